// Little-endian loads and stores at any address. Files and mapped bytes may have any alignment, and a big-endian machine must
// read the same file.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace membrane {

template <std::unsigned_integral Word>
constexpr Word byte_swapped(Word word) noexcept {
    Word swapped = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
        swapped = static_cast<Word>((swapped << 8) | (word & 0xff));
        word = static_cast<Word>(word >> 8);
    }
    return swapped;
}

template <std::unsigned_integral Word>
Word load_le(const std::byte* from) noexcept {
    Word word;
    std::memcpy(&word, from, sizeof(Word));
    if constexpr (std::endian::native == std::endian::big) word = byte_swapped(word);
    return word;
}

template <std::unsigned_integral Word>
void store_le(std::byte* to, Word word) noexcept {
    if constexpr (std::endian::native == std::endian::big) word = byte_swapped(word);
    std::memcpy(to, &word, sizeof(Word));
}

// Numbers of IEEE 754 by their bits. std::bit_cast is newer than some of the C++ libraries that this is compiled with.
inline double load_le_double(const std::byte* from) noexcept {
    const auto bits = load_le<std::uint64_t>(from);
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline void store_le_double(std::byte* to, double value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    store_le(to, bits);
}

}  // namespace membrane
