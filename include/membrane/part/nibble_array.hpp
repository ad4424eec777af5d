// 4-bit counters over bytes, counter i in the low half of byte i / 2 when i is even. A counter that reached 15 has
// lost its true value and stays there for ever: it can only make a key seem present longer, never absent.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <membrane/base/endian.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

class nibble_array {
public:
    static constexpr unsigned saturated = 15;
    static constexpr std::uint64_t cells_per_word = 64;  // the unit of size and of folding, as in bit_span
    static constexpr std::uint64_t word_bytes = 32;

    nibble_array(std::byte* bytes, std::uint64_t words) noexcept : bytes_(bytes), words_(words) {}

    unsigned get(std::uint64_t cell) const noexcept {
        return (std::to_integer<unsigned>(bytes_[cell >> 1]) >> shift(cell)) & 15u;
    }
    bool test(std::uint64_t cell) const noexcept { return get(cell) != 0; }
    std::uint64_t is_used(std::uint64_t word, std::uint64_t cell) const noexcept {
        return get(word * cells_per_word + (cell & 63)) != 0 ? 1 : 0;
    }
    void put(std::uint64_t cell, unsigned count) noexcept {
        std::byte& byte = bytes_[cell >> 1];
        byte = (byte & ~(std::byte{15} << shift(cell))) | (static_cast<std::byte>(count) << shift(cell));
    }
    void add(std::uint64_t cell, unsigned by) noexcept {
        const unsigned sum = get(cell) + by;
        put(cell, sum < saturated ? sum : saturated);
    }
    void prefetch(std::uint64_t cell) const noexcept { prefetch_for_read(bytes_ + (cell >> 1)); }
    void prefetch_far(std::uint64_t cell) const noexcept { membrane::prefetch_far(bytes_ + (cell >> 1)); }
    void prefetch_write(std::uint64_t cell) const noexcept { prefetch_for_write(bytes_ + (cell >> 1)); }

    const std::byte* data() const noexcept { return bytes_; }
    std::uint64_t words() const noexcept { return words_; }

    void record(std::uint64_t cell) noexcept { add(cell, 1); }
    void join_word(std::uint64_t i, const nibble_array& other, std::uint64_t j) noexcept {
        for (std::uint64_t c = 0; c < cells_per_word; ++c)
            add(i * cells_per_word + c, other.get(j * cells_per_word + c));
    }
    void meet_word(std::uint64_t i, const nibble_array& other, std::uint64_t j) noexcept {
        for (std::uint64_t c = 0; c < cells_per_word; ++c) {
            const std::uint64_t cell = i * cells_per_word + c;
            put(cell, std::min(get(cell), other.get(j * cells_per_word + c)));
        }
    }

    std::uint64_t used_cells(std::uint64_t first, std::uint64_t last) const noexcept {
        std::uint64_t used = 0;
        for (std::uint64_t i = first * 4; i < last * 4; ++i) {
            std::uint64_t word = load_le<std::uint64_t>(bytes_ + i * 8);
            word |= word >> 2;
            word |= word >> 1;
            used += static_cast<std::uint64_t>(std::popcount(word & 0x1111111111111111));
        }
        return used;
    }
    std::uint64_t used_cells() const noexcept { return used_cells(0, words_); }

private:
    static constexpr unsigned shift(std::uint64_t cell) noexcept {
        return static_cast<unsigned>(cell & 1) * 4;
    }

    std::byte* bytes_;
    std::uint64_t words_;
};

MEMBRANE_TARGET_END
