// Fields of the kind `counting_bloom`: the flat fields, with 4-bit counters for bits.
#pragma once

#include <membrane/kind/bloom/spec.hpp>

namespace membrane {

inline constexpr auto counting_bloom_fields =
    flat_fields("counters", "4-bit counters of the array before folding", "sub_array_counters");

inline constexpr std::uint64_t counting_bloom_cell_bits = 4;

inline result<filter_spec> counting_bloom_spec_for(std::uint64_t keys, double fpr,
                                                   std::uint64_t probes = cheapest_probes) {
    return flat_spec_for(kind_id::counting_bloom, counting_bloom_fields, keys, fpr, probes);
}
inline result<filter_spec> counting_bloom_spec_for(std::uint64_t keys, bits_per_key size,
                                                   std::uint64_t probes = cheapest_probes) {
    if (auto checked = check_wanted_bits(size.value); !checked) return checked.error();
    return flat_spec_of(kind_id::counting_bloom, counting_bloom_fields, keys,
                        size.value / counting_bloom_cell_bits, probes);
}

}  // namespace membrane
