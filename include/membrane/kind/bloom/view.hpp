// bloom: the Bloom filter (1970), with every way of probing that the paper "less hashing" studies.
#pragma once

#include <membrane/base/target.hpp>
#include <membrane/kind/bloom/spec.hpp>
#include <membrane/part/bit_span.hpp>
#include <membrane/part/flat_family.hpp>

MEMBRANE_TARGET_BEGIN

template <class Probe>
class bloom_view : public flat_view<bit_span, Probe> {
public:
    using flat_view<bit_span, Probe>::flat_view;
};

struct bloom_family : flat_variants<bloom_view> {
    static constexpr kind_id id = kind_id::bloom;
    static constexpr std::string_view name = "bloom";
    static constexpr std::string_view meaning = "one bit array, k probes anywhere in it";
    static constexpr std::span<const field_rule> fields = bloom_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_flat_spec(spec, bloom_fields); }
};

MEMBRANE_TARGET_END
