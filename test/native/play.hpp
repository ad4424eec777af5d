// The body of a unit; see unit.hpp.
#pragma once

#include <membrane/filter/filters.hpp>
#include <membrane/hash/integer_hash.hpp>

#include "native/unit.hpp"

#define MEMBRANE_TEXT_OF(name) #name
#define MEMBRANE_TEXT(name) MEMBRANE_TEXT_OF(name)

MEMBRANE_TARGET_BEGIN

// Keys for few of many lines if the table is far, so that lines overflow at any size.
inline key_hash played_hash(std::uint64_t number, bool is_far) {
    key_hash hash = integer_fold({3, 4}, number);
    if (is_far) hash.low >>= 12;
    return hash;
}

template <class View>
test::outcome play_view(const filter_spec& spec, std::uint64_t keys) {
    test::outcome made;
    const std::uint64_t size = *View::payload_bytes(spec);
    const bool is_far = size > std::uint64_t{8} << 20;
    aligned_buffer memory = std::move(*aligned_buffer::zeroed(size));
    View view(spec, memory.data());
    std::vector<key_hash> hashes;
    for (std::uint64_t i = 0; i < keys + 20'000; ++i) hashes.push_back(played_hash(i, is_far));
    for (std::uint64_t i = 0; i < keys; ++i) made.stored += view.insert(hashes[i]) ? 1 : 0;
    made.bytes.assign(memory.bytes().begin(), memory.bytes().end());
    made.answers.resize(bitmap_words(hashes.size()));
    may_contain_many(view, hashes, made.answers);
    made.single_answers.resize(made.answers.size());
    for (std::size_t i = 0; i < hashes.size(); ++i)
        made.single_answers[i / 64] |= std::uint64_t{view.may_contain(hashes[i]) ? 1u : 0u} << (i % 64);
    if constexpr (requires { view.erase(hashes[0]); }) {
        for (std::uint64_t i = 0; i < keys / 2; ++i) view.erase(hashes[i]);
        made.bytes_after_erasures.assign(memory.bytes().begin(), memory.bytes().end());
    }
    return made;
}

template <class Family, std::size_t Variant = 0>
test::outcome play_family(const filter_spec& spec, std::uint64_t keys) {
    if constexpr (Variant < std::tuple_size_v<typename Family::types>) {
        if (Family::variant_of(spec) == Variant)
            return play_view<std::tuple_element_t<Variant, typename Family::types>>(spec, keys);
        return play_family<Family, Variant + 1>(spec, keys);
    }
    return {};
}

inline test::outcome play_spec(const filter_spec& spec, std::uint64_t keys) {
    switch (spec.kind) {
        case kind_id::balanced_rank: return play_family<balanced_rank_family>(spec, keys);
        case kind_id::blocked_bloom: return play_family<blocked_bloom_family>(spec, keys);
        case kind_id::balanced_bloom:
            return play_view<balanced_bloom_view<512, multi_level_placement>>(spec, keys);
        default: return play_view<bloom_view<progression_probe<odd_ring, no_growth>>>(spec, keys);
    }
}
inline test::unit this_unit() { return {MEMBRANE_TEXT(MEMBRANE_TARGET), &play_spec}; }

MEMBRANE_TARGET_END
