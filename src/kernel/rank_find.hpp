// Is an entry in a rank-indexed line? All fingerprints are compared at once, and the cells of the chain are cut out with two
// deposits: chains begin at the ones of E = ~continues << 1 | 1, so that the r-th one of it is where the r-th chain in use
// begins and the next one is behind its end. No loop and no branch. Answers are those of the line, bit for bit.
#pragma once

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_AVX2)

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include <membrane/bucket/rank_line.hpp>

namespace membrane::kernel {

struct rank_find {
    [[gnu::target("avx2,bmi,bmi2,popcnt")]] bool operator()(const rank_line& line,
                                                            line_entry asked) const noexcept {
        // A run of at most 57 bits stands in the eight bytes that begin with it.
        return line.shape().cells() <= 57 ? holds<true>(line, asked) : holds<false>(line, asked);
    }

private:
    template <bool Short>
    [[gnu::target("avx2,bmi,bmi2,popcnt")]] static bool holds(const rank_line& line,
                                                              line_entry asked) noexcept {
        const std::uint64_t used = line.in_use();
        const std::uint64_t starts = ~run<Short>(line, line.shape().continues_at()) << 1 | 1;
        const std::uint64_t below = (std::uint64_t{1} << asked.chain) - 1;
        const auto rank = static_cast<unsigned>(_mm_popcnt_u64(used & below));
        const std::uint64_t first = _pdep_u64(std::uint64_t{1} << rank, starts);
        // In two shifts: of 64 chains in use the last one ends with the line.
        const std::uint64_t behind = _pdep_u64(std::uint64_t{1} << rank << 1, starts);
        const std::uint64_t is_used = used >> asked.chain & 1;
        const std::uint64_t cells = (behind - first) & (0 - is_used);
        return (equal_cells<Short>(line, asked.fingerprint) & cells) != 0;
    }

    // Bits behind the run are of no meaning.
    template <bool Short>
    [[gnu::target("avx2,bmi,bmi2,popcnt")]] static std::uint64_t run(const rank_line& line,
                                                                     unsigned at) noexcept {
        if constexpr (Short) {
            const unsigned byte = std::min(at / 8, 56u);
            return load_le<std::uint64_t>(line.data() + byte) >> (at - byte * 8);
        }
        return read_bits(line.data(), at, line.shape().cells());
    }

    template <bool Short>
    [[gnu::target("avx2,bmi,bmi2,popcnt")]] static std::uint64_t equal_cells(const rank_line& line,
                                                                             std::uint64_t value) noexcept {
        const rank_line_shape& shape = line.shape();
        std::uint64_t equal = ~std::uint64_t{0};
        if (shape.has_bytes()) {
            const __m256i wanted = _mm256_set1_epi8(static_cast<char>(value & 0xff));
            const auto* const halves = reinterpret_cast<const __m256i*>(line.data());
            const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(halves), wanted);
            const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(halves + 1), wanted);
            equal = static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
                    std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
            value >>= 8;
        }
        for (unsigned plane = 0; plane < shape.planes(); ++plane)
            // All ones where the bit is 0: cells that differ in it go.
            equal &= run<Short>(line, shape.plane_at(plane)) ^ ((value >> plane & 1) - 1);
        return equal;
    }
};

}  // namespace membrane::kernel

#endif
