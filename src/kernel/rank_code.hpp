// Rank-indexed lines with AVX2, BMI2 and popcnt: what rank_line does, without loops and almost without branches.
//
// All fingerprints are compared at once, and the cells of the chain are cut out with two deposits: chains begin at the ones of
// E = ~continues << 1 | 1, so that the r-th one of it is where the r-th chain in use begins and the next one is behind its end.
// Cells are moved with the line in two registers. Answers and bytes are those of the line, bit for bit; lines without bytes
// (R < 7) are left to it.
#pragma once

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_AVX2)

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/bucket/rank_line.hpp>

#include "kernel/line_registers.hpp"

namespace membrane::kernel {

// Bits: those of a fingerprint, where they are known to the compiler; 0: the shape tells.
template <unsigned Bits>
struct rank_code {
    using any = rank_code<0>;
    static constexpr bool has_glance = true;

    static constexpr unsigned fingerprint_bits(const rank_line_shape& shape) noexcept {
        return Bits != 0 ? Bits : shape.fingerprint_bits();
    }

    // No means no; true of one stranger in ten.
    MEMBRANE_RANK_CODE static bool may_hold(const rank_line& line, line_entry asked) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return true;
        const line_registers equal = equal_bytes_of(line, asked.fingerprint);
        const __m256i any = _mm256_or_si256(equal.low, equal.high);
        const std::uint64_t from_chain = line.last_word() >> (shape.first_chain_bit() + asked.chain);
        // By arithmetic, so that no compiler makes a branch of it: batches collect the answers.
        const std::uint64_t equal_bytes = static_cast<std::uint32_t>(_mm256_movemask_epi8(any));
        return ((0 - equal_bytes) >> 63 & from_chain) != 0;
    }

    MEMBRANE_RANK_CODE static bool contains(const rank_line& line, line_entry asked) noexcept {
        if (!has_bytes(line.shape())) return line.contains(asked);
        const std::uint64_t found = equal_cells(line, asked.fingerprint) & cells_of(line, asked.chain);
        return (found | (0 - found)) >> 63 != 0;
    }

    MEMBRANE_RANK_CODE static void insert(rank_line& line, line_entry added) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return line.insert(added);
        line_indexes now = indexes_of(line);
        if (now.count() == shape.cells()) now.drop_last(shape.cells());
        const chain_cells chain = now.cells_of(added.chain);
        const auto at = static_cast<unsigned>(
            _tzcnt_u64(chain.first) +
            static_cast<unsigned>(_mm_popcnt_u64(cells_not_above(line, added.fingerprint) & chain.mask())));
        const std::uint64_t goes_on = chain.mask() >> at & 1;
        const std::uint64_t follows =
            chain.mask() != 0 ? 1 - goes_on : 0;  // the chain's last entry goes on to this one
        now.continues = with_bit_inserted(now.continues, at, goes_on != 0) | follows << at >> 1;
        now.used |= std::uint64_t{1} << added.chain;
        line_registers bytes = line_registers::of(line.data());
        bytes.open(at, shape.cells(), added.fingerprint & 0xff);
        store(line, bytes, now);
        line.open_planes(at, added.fingerprint);
    }
    MEMBRANE_RANK_CODE static bool erase(rank_line& line, line_entry gone) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return line.erase(gone);
        line_indexes now = indexes_of(line);
        const std::uint64_t chain = now.cells_of(gone.chain).mask();
        const std::uint64_t equal = equal_cells(line, gone.fingerprint) & chain;
        if (equal == 0) return false;
        const auto at = static_cast<unsigned>(_tzcnt_u64(equal));
        const std::uint64_t is_only = (chain & (chain - 1)) == 0 ? 1 : 0;
        const std::uint64_t ends =
            1 - (chain >> at >> 1 & 1);  // the entry before it, if any, is the chain's last now
        now.continues = with_bit_removed(now.continues, at) & ~((ends & ~is_only) << at >> 1);
        now.used &= ~(is_only << gone.chain);
        line_registers bytes = line_registers::of(line.data());
        bytes.close(at, shape.cells());
        store(line, bytes, now);
        line.close_planes(at);
        return true;
    }

private:
    static constexpr bool has_bytes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) >= 7;
    }
    static constexpr bool continues_in_bytes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) == 7;
    }
    static constexpr unsigned planes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) <= 8 ? 0 : fingerprint_bits(shape) - 8;
    }

    // The first cell of the chain, or where it would be, and the cell behind its last, as single bits; `behind` is 0 if
    // that is cell 64.
    struct chain_cells {
        std::uint64_t first;
        std::uint64_t behind;
        std::uint64_t mask() const noexcept { return behind - first; }
    };
    struct line_indexes {
        std::uint64_t used;
        std::uint64_t continues;

        MEMBRANE_RANK_CODE unsigned count() const noexcept {
            return static_cast<unsigned>(_mm_popcnt_u64(used) + _mm_popcnt_u64(continues));
        }
        MEMBRANE_RANK_CODE chain_cells cells_of(std::uint64_t chain) const noexcept {
            const std::uint64_t starts = ~continues << 1 | 1;
            const auto rank =
                static_cast<unsigned>(_mm_popcnt_u64(_bzhi_u64(used, static_cast<unsigned>(chain))));
            const std::uint64_t first = std::uint64_t{1} << rank;
            return {_pdep_u64(first, starts), _pdep_u64(first << (used >> chain & 1), starts)};
        }
        // Of a full line.
        MEMBRANE_RANK_CODE void drop_last(unsigned cells) noexcept {
            const std::uint64_t before = std::uint64_t{1} << (cells - 1) >> 1;
            const std::uint64_t is_only = (continues & before) == 0 ? 1 : 0;
            used &= ~(is_only << (63 - _lzcnt_u64(used)));
            continues &= ~before;
        }
    };
    MEMBRANE_RANK_CODE static line_indexes indexes_of(const rank_line& line) noexcept {
        return {line.in_use(), _bzhi_u64(continues_of(line), line.shape().cells())};
    }
    // The cells of a chain alone, from the last word as it is.
    MEMBRANE_RANK_CODE static std::uint64_t cells_of(const rank_line& line, std::uint64_t chain) noexcept {
        const rank_line_shape& shape = line.shape();
        const std::uint64_t last = line.last_word();
        const unsigned at = shape.first_chain_bit() + static_cast<unsigned>(chain);
        const auto rank =
            static_cast<unsigned>(_mm_popcnt_u64(_bzhi_u64(last, at) >> shape.first_chain_bit()));
        const std::uint64_t starts = ~continues_of(line) << 1 | 1;
        const std::uint64_t first = (last >> at & 1) << rank;  // 0 if the chain is not in use
        return _pdep_u64(first << 1, starts) - _pdep_u64(first, starts);
    }

    // Bits behind the cells are of no meaning.
    MEMBRANE_RANK_CODE static std::uint64_t continues_of(const rank_line& line) noexcept {
        if (continues_in_bytes(line.shape())) return line_registers::of(line.data()).signs();
        return load_le<std::uint64_t>(line.data() + line.shape().continues_byte()) >>
               line.shape().continues_shift();
    }
    // A run of at most 57 bits stands in the eight bytes that begin with it. Lines with bytes and runs have fewer cells.
    MEMBRANE_RANK_CODE static std::uint64_t run(const rank_line& line, unsigned at) noexcept {
        const unsigned byte = std::min(at / 8, 56u);
        return load_le<std::uint64_t>(line.data() + byte) >> (at - byte * 8);
    }

    // A few planes are not worth what a compiler makes of a loop over many.
    static void keep_scalar([[maybe_unused]] unsigned& plane) noexcept {
        if constexpr (Bits == 0) asm("" : "+r"(plane));
    }

    // The bytes of the cells and the indexes; planes are as they were.
    MEMBRANE_RANK_CODE static void store(rank_line& line, line_registers bytes,
                                         const line_indexes& indexes) noexcept {
        const rank_line_shape& shape = line.shape();
        const unsigned chains = shape.chains();
        if (continues_in_bytes(shape)) bytes.put_signs(indexes.continues, shape.cells());
        const __m128i tail = _mm256_extracti128_si256(bytes.high, 1);
        auto sixth = static_cast<std::uint64_t>(_mm_cvtsi128_si64(tail));
        auto last = static_cast<std::uint64_t>(_mm_extract_epi64(tail, 1));
        if (!continues_in_bytes(shape)) {
            // In the last 128 bits, since chains and cells are fewer.
            const unsigned at = 127 - chains - shape.cells();
            const std::uint64_t mask = low_bits(shape.cells());
            if (at < 64) {
                sixth = (sixth & ~(mask << at)) | indexes.continues << at;
                last = (last & ~(mask >> 1 >> (63 - at))) | indexes.continues >> 1 >> (63 - at);
            } else {
                last = (last & ~(mask << (at - 64))) | indexes.continues << (at - 64);
            }
        }
        last = (last & (low_bits(63 - chains) | std::uint64_t{1} << 63)) | indexes.used << (63 - chains);
        std::byte* const to = line.data();
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes.low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 32), _mm256_castsi256_si128(bytes.high));
        store_le(to + 48, sixth);
        store_le(to + 56, last);
    }

    // The bytes without what is no fingerprint.
    MEMBRANE_RANK_CODE static line_registers values_of(const rank_line& line) noexcept {
        const line_registers bytes = line_registers::of(line.data());
        if (!continues_in_bytes(line.shape())) return bytes;
        const __m256i value = _mm256_set1_epi8(0x7f);
        return {_mm256_and_si256(bytes.low, value), _mm256_and_si256(bytes.high, value)};
    }
    // All ones in the bytes that equal the fingerprint's lowest bits.
    MEMBRANE_RANK_CODE static line_registers equal_bytes_of(const rank_line& line,
                                                            std::uint64_t fingerprint) noexcept {
        const line_registers bytes = values_of(line);
        const __m256i wanted = _mm256_set1_epi8(static_cast<char>(fingerprint & 0xff));
        return {_mm256_cmpeq_epi8(bytes.low, wanted), _mm256_cmpeq_epi8(bytes.high, wanted)};
    }
    // Cells whose fingerprint is not above this one.
    MEMBRANE_RANK_CODE static std::uint64_t cells_not_above(const rank_line& line,
                                                            std::uint64_t value) noexcept {
        const rank_line_shape& shape = line.shape();
        line_registers bytes = values_of(line);
        const __m256i most = _mm256_set1_epi8(static_cast<char>(value & 0xff));
        bytes = {_mm256_cmpeq_epi8(_mm256_min_epu8(bytes.low, most), bytes.low),
                 _mm256_cmpeq_epi8(_mm256_min_epu8(bytes.high, most), bytes.high)};
        std::uint64_t below = 0, equal = ~std::uint64_t{0};
        for (unsigned plane = planes(shape); plane-- != 0;) {
            keep_scalar(plane);
            const std::uint64_t ones = run(line, (8 + plane) * shape.cells());
            const std::uint64_t is_one = 0 - (value >> (8 + plane) & 1);
            below |= equal & is_one & ~ones;
            equal &= ~(ones ^ is_one);
        }
        return below | (equal & bytes.signs());
    }
    MEMBRANE_RANK_CODE static std::uint64_t equal_cells(const rank_line& line, std::uint64_t value) noexcept {
        const rank_line_shape& shape = line.shape();
        std::uint64_t equal = equal_bytes_of(line, value).signs();
        for (unsigned plane = 0; plane < planes(shape); ++plane) {
            keep_scalar(plane);
            // All ones where the bit is 0: cells that differ in it go.
            equal &= run(line, (8 + plane) * shape.cells()) ^ ((value >> (8 + plane) & 1) - 1);
        }
        return equal;
    }
};

}  // namespace membrane::kernel

#endif
