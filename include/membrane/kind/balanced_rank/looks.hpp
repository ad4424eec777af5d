// What a batch asks of the lines of its keys: of one line, or of four at once with AVX2. What a key asks of the indexes of its line takes
// as many instructions for four keys as for one; the bytes are compared key by key. `rank_looks<Code>` is the better of the two.
//
// Answers are bits, the first key's the highest.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/base/instructions.hpp>
#include <membrane/kind/balanced_rank/rank_code.hpp>
#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/kind/balanced_rank/address.hpp>
#include <membrane/hash/key_hash.hpp>

#if defined(MEMBRANE_HAVE_AVX2)
#include <immintrin.h>
#endif

namespace membrane {

template <class Code>
class look_at_one_line {
public:
    static constexpr std::size_t keys = 1;

    look_at_one_line(const rank_line_shape& shape, std::byte* const* line, const key_hash* hash) noexcept
        : line_(shape, *line),
          asked_(first_entry<Code::known_bits>(*hash, shape.chains(), Code::fingerprint_bits(shape))) {}

    std::uint64_t may_hold() const noexcept { return Code::may_hold(line_, asked_) ? 1 : 0; }
    template <bool KeepsEqual>
    std::uint64_t contain() const noexcept {
        return Code::template contains<KeepsEqual>(line_, asked_) ? 1 : 0;
    }
    std::uint64_t may_have_forwarded() const noexcept {
        return line_.may_have_forwarded(asked_.chain) ? 1 : 0;
    }

private:
    rank_line line_;
    line_entry asked_;
};

template <class Code>
struct rank_looks_of {
    using type = look_at_one_line<Code>;
};

#if defined(MEMBRANE_HAVE_AVX2)

// `Bits`, at least 7, are those of a fingerprint. The first key has the highest lane.
template <unsigned Bits>
class look_at_four_lines {
    static_assert(Bits >= 7);
    // What it shares with the code for one line.
    struct search : rank_search<Bits> {
        using rank_search<Bits>::equal_planes, rank_search<Bits>::matches_of;
    };

public:
    static constexpr std::size_t keys = 4;

    MEMBRANE_RANK_CODE look_at_four_lines(const rank_line_shape& shape, std::byte* const* lines,
                                          const key_hash* hashes) noexcept
        : shape_(shape), lines_(lines), hashes_(hashes) {
        const auto* const pairs = reinterpret_cast<const __m256i*>(hashes);
        const __m256i words = _mm256_permute4x64_epi64(
            _mm256_unpackhi_epi64(_mm256_loadu_si256(pairs), _mm256_loadu_si256(pairs + 1)), 0x27);
        chains_ = _mm256_srli_epi64(
            _mm256_mul_epu32(_mm256_srli_epi64(words, 32), in_all_lanes(shape.chains())), 32);
        last_words_ = _mm256_set_epi64x(last_word(0), last_word(1), last_word(2), last_word(3));
    }

    // As rank_code::may_hold.
    MEMBRANE_RANK_CODE std::uint64_t may_hold() const noexcept {
        const __m256i odd = joined(some_equal(3), some_equal(1));
        const __m256i even = joined(some_equal(2), some_equal(0));
        const __m256i any =
            _mm256_or_si256(_mm256_unpacklo_epi64(odd, even), _mm256_unpackhi_epi64(odd, even));
        const __m256i has_none = _mm256_cmpeq_epi64(any, _mm256_setzero_si256());
        const __m256i chain_as_sign = _mm256_sllv_epi64(
            last_words_, _mm256_sub_epi64(in_all_lanes(63 - shape_.first_chain_bit()), chains_));
        return signs(_mm256_andnot_si256(has_none, chain_as_sign));
    }
    // As rank_code::contains.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE std::uint64_t contain() const noexcept {
        alignas(32) std::uint64_t chains[keys];
        _mm256_store_si256(reinterpret_cast<__m256i*>(chains), chains_);
        std::uint64_t all = 0;
#pragma GCC unroll 4
        for (std::size_t i = 0; i < keys; ++i) {
            const rank_line line(shape_, lines_[i]);
            const std::uint64_t equal =
                search::equal_planes(line, hashes_[i].high, 0, equal_bytes(i).signs());
            all =
                with_answer(all, search::template matches_of<KeepsEqual>(line, chains[keys - 1 - i], equal));
        }
        return all;
    }
    // As rank_line::may_have_forwarded: of the bits above the chain's, the mark alone.
    MEMBRANE_RANK_CODE std::uint64_t may_have_forwarded() const noexcept {
        const __m256i above = _mm256_sllv_epi64(in_all_lanes(shape_.above_chain(0)), chains_);
        return signs(
            _mm256_cmpeq_epi64(_mm256_and_si256(last_words_, above), in_all_lanes(std::uint64_t{1} << 63)));
    }

private:
    // Of two keys: in each half what is in one of the key's halves.
    MEMBRANE_RANK_CODE static __m256i joined(__m256i low, __m256i high) noexcept {
        return _mm256_or_si256(_mm256_permute2x128_si256(low, high, 0x20),
                               _mm256_permute2x128_si256(low, high, 0x31));
    }
    MEMBRANE_RANK_CODE static __m256i in_all_lanes(std::uint64_t word) noexcept {
        return _mm256_set1_epi64x(static_cast<long long>(word));
    }
    MEMBRANE_RANK_CODE static std::uint64_t signs(__m256i lanes) noexcept {
        return static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(lanes)));
    }
    MEMBRANE_RANK_CODE long long last_word(std::size_t key) const noexcept {
        return static_cast<long long>(rank_line(shape_, lines_[key]).last_word());
    }
    // All ones in the bytes that equal the lowest bits of the key's fingerprint, which goes from memory into the register.
    MEMBRANE_RANK_CODE line_registers equal_bytes(std::size_t key) const noexcept {
        const line_registers bytes = line_registers::of(lines_[key]);
        const line_registers wanted = line_registers::filled_with(lowest_byte_of_high(hashes_[key]));
        return Bits == 7 ? bytes.without_signs().equal_to(wanted.without_signs()) : bytes.equal_to(wanted);
    }
    MEMBRANE_RANK_CODE __m256i some_equal(std::size_t key) const noexcept {
        const line_registers equal = equal_bytes(key);
        return _mm256_or_si256(equal.low, equal.high);
    }

    const rank_line_shape& shape_;
    std::byte* const* lines_;
    const key_hash* hashes_;
    __m256i chains_;
    __m256i last_words_;
};

template <class Code>
requires(Code::known_bits >= 7) struct rank_looks_of<Code> {
    using type = look_at_four_lines<Code::known_bits>;
};

#endif

template <class Code>
using rank_looks = typename rank_looks_of<Code>::type;

}  // namespace membrane
