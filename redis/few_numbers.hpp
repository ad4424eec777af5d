// A filter of few keys: the sorted numbers of a growable or erasable balanced_rank filter (doc/growth.md) themselves, in as many bytes
// each as the universe needs. It takes a fifth of the memory of the smallest table, and becomes one when its bytes are used up. The
// answers are the same: the numbers of a filter do not depend on how they are stored.
//
//   image:  magic 8 | version 4 | is_multiset 4 | universe 8 | planned fpr 8 | hash id 4 | bytes of a number 4 | hash key 16 | count 8
//           | numbers, ascending, little-endian | checksum 8
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

namespace membrane::redis {

using byte_span = std::span<const std::byte>;

class few_numbers {
public:
    // Beyond that, a table takes less.
    static constexpr std::size_t most_bytes = 1024;
    static std::uint64_t most_keys(std::uint64_t universe) noexcept;

    // A spec of a growable or erasable balanced_rank whose layout is not chosen yet: form, universe and planned_fpr, all else is 0.
    static bool is_spec_of_few(const filter_spec& spec) noexcept;
    static filter_spec spec_of_few(bool is_multiset, std::uint64_t universe, double planned_fpr) noexcept;

    static result<few_numbers> create(const filter_spec& spec_of_few, const hasher& hash);
    static result<few_numbers> copy_of(const few_numbers& other);
    few_numbers(few_numbers&&) noexcept = default;
    few_numbers& operator=(few_numbers&&) noexcept = default;

    const hasher& hash() const noexcept { return hash_; }
    std::uint64_t universe() const noexcept { return universe_; }
    double planned_fpr() const noexcept { return planned_fpr_; }
    std::uint64_t keys() const noexcept { return count_; }
    bool is_multiset() const noexcept { return is_multiset_; }
    std::uint64_t size_bytes() const noexcept { return std::uint64_t{count_} * width_; }
    filter_spec spec() const noexcept;
    std::uint64_t promised_keys() const noexcept;

    bool may_contain(key_hash hash) const noexcept { return times_of(number_of(hash)) != 0; }
    std::uint64_t estimate(key_hash hash) const noexcept { return times_of(number_of(hash)); }
    std::uint64_t number_at(std::size_t i) const noexcept;
    std::uint64_t times_of(std::uint64_t number) const noexcept;

    // A set does not store a number again. False if the bytes are used up: nothing has changed then. Throws std::bad_alloc, also without a
    // change.
    bool insert(key_hash hash);
    bool erase(key_hash hash) noexcept;

    // A table of the same numbers, with room for so many keys in all. At most max_bytes of payload.
    result<any_filter> as_table(std::uint64_t keys, std::uint64_t max_bytes) const;

    std::vector<std::byte> image() const;
    static std::uint64_t image_bytes(std::uint64_t count, unsigned width) noexcept;
    std::uint64_t image_bytes() const noexcept { return image_bytes(count_, width_); }
    static bool is_image(byte_span bytes) noexcept;
    static result<few_numbers> open(byte_span image);

private:
    few_numbers() = default;

    std::uint64_t number_of(key_hash hash) const noexcept;
    // The position of the first number that is not below `number`.
    std::size_t position_of(std::uint64_t number) const noexcept;
    void put(std::size_t i, std::uint64_t number) noexcept;
    void make_room();

    hasher hash_;
    std::uint64_t universe_ = 0;
    double planned_fpr_ = 0;
    std::uint32_t count_ = 0;
    std::uint16_t capacity_ = 0;  // numbers for which there is memory
    std::uint8_t width_ = 0;      // bytes of a number
    bool is_multiset_ = false;
    std::unique_ptr<std::byte[]> numbers_;  // and 8 bytes behind them, so that a number is read as one word
};

}  // namespace membrane::redis
