// Small filters of few cells a line, which forward to the second table and the list after some dozens of keys, and grow soon.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <membrane/kind/balanced_rank/concurrent/concurrent_rank.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>

#include "support/keys.hpp"

namespace membrane::test {

// Wide fingerprints leave room for few cells. No two of the keys 0, 1, ... that tests use have equal numbers in so large a universe.
// For 60 keys it has five lines of 15 cells, one of the second table, and is full after some 90.
inline filter_spec small_spec(std::uint64_t form, std::uint64_t keys = 60) {
    return *balanced_rank_numbers_spec_for(form, keys, 1e-4, std::uint64_t{1} << 25);
}
inline key_hash small_hash(std::uint64_t key) { return numbered_hasher(77)(key); }

// The bytes of a filter that one thread made of these keys, in this layout.
template <std::uint64_t Form>
std::vector<std::byte> bytes_of_one_thread(const filter_spec& layout, const std::vector<key_hash>& hashes) {
    using growth = rank_growth<number_rank_view<Form == balanced_rank_form::erasable>>;
    auto made = growth::create(layout, {.max_bytes = *number_rank_view<false>::payload_bytes(layout)});
    for (const key_hash& hash : hashes)
        if (made->insert(hash) == insertion::refused) return {};  // not a layout for these keys
    const auto bytes = made->buffer().bytes();
    return {bytes.begin(), bytes.end()};
}
// Whether the concurrent filter holds these keys and nothing else, byte by byte.
template <std::uint64_t Form, class Filter>
bool holds_exactly(Filter& filter, const std::vector<key_hash>& hashes) {
    const auto now = filter.copy();
    if (!now) return false;
    const auto expected = bytes_of_one_thread<Form>(now->spec, hashes);
    return expected.size() == now->payload.size_bytes() &&
           std::memcmp(expected.data(), now->payload.data(), expected.size()) == 0;
}
// How many keys of 0, 1, ... fit until the next one begins a growth.
template <class Filter>
std::uint64_t keys_before_growth(const filter_spec& spec) {
    const auto filter = *Filter::create(spec);
    std::uint64_t keys = 0;
    while (!filter->is_growing() && filter->spec().planned_keys == spec.planned_keys)
        static_cast<void>(filter->insert(small_hash(keys++)));
    return keys - 1;
}

}  // namespace membrane::test
