// What every filter of this folder has, whether its kind is known when it is compiled or when it runs: the same names, arguments and
// returns.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/part/key_calls.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

template <class Filter>
concept filter_like = std::copyable<Filter> && std::equality_comparable<Filter> && std::swappable<Filter> &&
    requires(Filter filter, const Filter& other, std::string_view key, std::span<const std::uint64_t> keys,
             std::span<std::uint64_t> answers, const std::string& path, std::span<const std::byte> file) {
    { filter.insert(key) } -> std::same_as<void>;
    { filter.insert(keys.begin(), keys.end()) } -> std::same_as<void>;
    { filter.insert_many(keys) } -> std::same_as<void>;
    { filter.insert_if_absent(key) } -> std::same_as<bool>;
    { filter.try_insert(key) } -> std::same_as<result<void>>;
    { filter.try_insert_many(keys) } -> std::same_as<result<void>>;
    { filter.try_insert_if_absent(key) } -> std::same_as<result<bool>>;
    { other.may_contain(key) } -> std::same_as<bool>;
    { other.may_contain_many(keys, answers) } -> std::same_as<std::size_t>;
    { other.try_may_contain_many(keys, answers) } -> std::same_as<result<std::size_t>>;
    { other.keys() } -> std::same_as<std::uint64_t>;
    { other.size_bytes() } -> std::same_as<std::uint64_t>;
    { other.estimated_size() } -> std::same_as<double>;
    { other.estimated_fpr_now() } -> std::same_as<double>;
    { other.spec() } -> std::same_as<const filter_spec&>;
    { other.hash() } -> std::same_as<const typename Filter::hash_type&>;
    { filter.clear() } -> std::same_as<void>;
    { filter.build(std::span<const key_hash>{}) } -> std::same_as<result<void>>;
    { other.try_copy() } -> std::same_as<result<Filter>>;
    { other.to_bytes() } -> std::same_as<std::vector<std::byte>>;
    { other.try_to_bytes() } -> std::same_as<result<std::vector<std::byte>>>;
    { Filter::from_bytes(file) } -> std::same_as<Filter>;
    { Filter::try_from_bytes(file) } -> std::same_as<result<Filter>>;
    { other.save(path) } -> std::same_as<void>;
    { other.try_save(path) } -> std::same_as<result<void>>;
    { Filter::load(path) } -> std::same_as<Filter>;
    { Filter::try_load(path) } -> std::same_as<result<Filter>>;
};

// Filters whose keys can be erased and counted. A membrane::filter says so when it runs.
template <class Filter>
concept erasable_like = filter_like<Filter> &&
    requires(Filter filter, const Filter& other, std::string_view key, std::span<const std::uint64_t> keys) {
    { filter.erase(key) } -> std::same_as<bool>;
    { filter.try_erase(key) } -> std::same_as<result<bool>>;
    { filter.erase_many(keys) } -> std::same_as<std::size_t>;
    { filter.try_erase_many(keys) } -> std::same_as<result<std::size_t>>;
    { other.count(key) } -> std::same_as<std::uint64_t>;
    { other.try_count(key) } -> std::same_as<result<std::uint64_t>>;
};

template <class Filter>
concept mergeable_like = filter_like<Filter> && requires(Filter filter, const Filter& other) {
    { filter.merge(other) } -> std::same_as<void>;
    { filter |= other } -> std::same_as<Filter&>;
    { filter | other } -> std::same_as<Filter>;
    { filter.try_merge(other) } -> std::same_as<result<void>>;
};

template <class Filter>
concept intersectable_like = filter_like<Filter> && requires(Filter filter, const Filter& other) {
    { filter.intersect(other) } -> std::same_as<void>;
    { filter &= other } -> std::same_as<Filter&>;
    { filter& other } -> std::same_as<Filter>;
    { filter.try_intersect(other) } -> std::same_as<result<void>>;
};

template <class Filter>
concept packable_like = filter_like<Filter> &&
    requires(const Filter& other, std::span<const std::byte> bytes) {
    { other.pack() } -> std::same_as<std::vector<std::byte>>;
    { other.try_pack() } -> std::same_as<result<std::vector<std::byte>>>;
    { Filter::unpack(bytes) } -> std::same_as<Filter>;
    { Filter::try_unpack(bytes) } -> std::same_as<result<Filter>>;
};

// Filters of numbers, which grow.
template <class Filter>
concept growable_like = mergeable_like<Filter> && packable_like<Filter> &&
    requires(Filter filter, const Filter& other, std::uint64_t keys, std::span<const std::byte> bytes,
             void (*visit)(std::uint64_t, std::uint64_t)) {
    { filter.reserve(keys) } -> std::same_as<void>;
    { filter.try_reserve(keys) } -> std::same_as<result<void>>;
    { filter.shrink_to_fit() } -> std::same_as<void>;
    { filter.try_shrink_to_fit() } -> std::same_as<result<void>>;
    { filter.lower_rate(0.01) } -> std::same_as<std::uint64_t>;
    { filter.try_lower_rate(0.01) } -> std::same_as<result<std::uint64_t>>;
    { other.for_each_number(visit) } -> std::same_as<void>;
    { other.compare(other) } -> std::same_as<comparison>;
    { other.try_compare(other) } -> std::same_as<result<comparison>>;
    { other.diff(other) } -> std::same_as<std::vector<std::byte>>;
    { other.try_diff(other) } -> std::same_as<result<std::vector<std::byte>>>;
    { other.patched(bytes) } -> std::same_as<Filter>;
    { other.try_patched(bytes) } -> std::same_as<result<Filter>>;
};

}  // namespace membrane
