// Bits over bytes: bit i is bit i % 8 of byte i / 8, which is also bit i % 64 of little-endian word i / 64.
// Owns nothing, assumes no alignment. The number of bytes is a multiple of eight.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <membrane/base/endian.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

class bit_span {
public:
    static constexpr std::uint64_t cells_per_word = 64;
    static constexpr std::uint64_t word_bytes = 8;

    bit_span(std::byte* bytes, std::uint64_t words) noexcept : bytes_(bytes), words_(words) {}

    bool test(std::uint64_t bit) const noexcept {
        return ((std::to_integer<unsigned>(bytes_[bit >> 3]) >> (bit & 7)) & 1u) != 0;
    }
    // Odd if the bit is set, even if not; a load and a shift, nothing to branch on.
    std::uint64_t is_used(std::uint64_t at, std::uint64_t bit) const noexcept {
        return word(at) >> (bit & 63);
    }
    void set(std::uint64_t bit) noexcept { bytes_[bit >> 3] |= std::byte{1} << (bit & 7); }
    void prefetch(std::uint64_t bit) const noexcept { prefetch_for_read(bytes_ + (bit >> 3)); }
    void prefetch_far(std::uint64_t bit) const noexcept { membrane::prefetch_far(bytes_ + (bit >> 3)); }
    void prefetch_write(std::uint64_t bit) const noexcept { prefetch_for_write(bytes_ + (bit >> 3)); }

    const std::byte* data() const noexcept { return bytes_; }
    std::uint64_t words() const noexcept { return words_; }
    std::uint64_t word(std::uint64_t i) const noexcept {
        return load_le<std::uint64_t>(bytes_ + i * word_bytes);
    }
    void set_word(std::uint64_t i, std::uint64_t word) noexcept { store_le(bytes_ + i * word_bytes, word); }

    void record(std::uint64_t bit) noexcept { set(bit); }
    void join_word(std::uint64_t i, const bit_span& other, std::uint64_t j) noexcept {
        set_word(i, word(i) | other.word(j));
    }
    void meet_word(std::uint64_t i, const bit_span& other, std::uint64_t j) noexcept {
        set_word(i, word(i) & other.word(j));
    }

    // Cells that are in use, from word `first` up to but not including word `last`.
    std::uint64_t used_cells(std::uint64_t first, std::uint64_t last) const noexcept {
        std::uint64_t ones = 0;
        for (std::uint64_t i = first; i < last; ++i)
            ones += static_cast<std::uint64_t>(std::popcount(word(i)));
        return ones;
    }
    std::uint64_t used_cells() const noexcept { return used_cells(0, words_); }

private:
    std::byte* bytes_;
    std::uint64_t words_;
};

MEMBRANE_TARGET_END
