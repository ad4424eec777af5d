// Fields of the kind `counting_bloom`: the flat fields, with 4-bit counters for bits.
#pragma once

#include <membrane/kind/bloom/spec.hpp>

namespace membrane {

inline constexpr auto counting_bloom_fields =
    flat_fields("counters", "4-bit counters of the array before folding", "sub_array_counters");

inline result<filter_spec> counting_bloom_spec_for(std::uint64_t keys, double fpr) {
    return flat_spec_for(kind_id::counting_bloom, counting_bloom_fields, keys, fpr);
}

}  // namespace membrane
