// Integers as programs have them: each pattern as a sequence.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace membrane::test {

struct integer_pattern {
    const char* name;
    std::uint64_t (*at)(std::uint64_t i);
    std::uint64_t count;  // how many different integers it has
};

// The words of one and two bits, one after the other.
inline std::uint64_t sparse_word(std::uint64_t i) {
    if (i < 64) return std::uint64_t{1} << i;
    i -= 64;
    for (unsigned high = 1;; i -= high++)
        if (i < high) return std::uint64_t{1} << high | std::uint64_t{1} << i;
}

inline constexpr std::array<integer_pattern, 12> integer_patterns{{
    {"0, 1, 2, ...", [](std::uint64_t i) { return i; }, UINT64_MAX},
    {"from a time in nanoseconds on", [](std::uint64_t i) { return 1'700'000'000'000'000'000 + i; },
     UINT64_MAX},
    {"multiples of 4096", [](std::uint64_t i) { return i << 12; }, std::uint64_t{1} << 52},
    {"multiples of 12289", [](std::uint64_t i) { return i * 12289; }, UINT64_MAX},
    {"multiples of 2^32", [](std::uint64_t i) { return i << 32; }, std::uint64_t{1} << 32},
    {"multiples of 2^44", [](std::uint64_t i) { return i << 44; }, std::uint64_t{1} << 20},
    {"words of one and two bits", &sparse_word, 64 + 64 * 63 / 2},
    {"addresses 48 bytes apart", [](std::uint64_t i) { return 0x00007f5c3a801010 + 48 * i; }, UINT64_MAX},
    {"addresses on pages",
     [](std::uint64_t i) { return 0x0000558812340040 + 64 * (i % 16) + 4096 * (i / 16); }, UINT64_MAX},
    {"pairs of 32-bit numbers", [](std::uint64_t i) { return i % 1024 << 32 | i / 1024; }, UINT64_MAX},
    {"numbers in reverse order of bytes",
     [](std::uint64_t i) {
         std::uint64_t word = 0;
         for (unsigned byte = 0; byte < 8; ++byte) word |= (i >> (8 * byte) & 0xff) << (56 - 8 * byte);
         return word;
     },
     UINT64_MAX},
    {"doubles of whole numbers",
     [](std::uint64_t i) { return std::bit_cast<std::uint64_t>(static_cast<double>(i)); },
     std::uint64_t{1} << 53},
}};

}  // namespace membrane::test
