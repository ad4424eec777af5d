// avx2: what a batch asks of four lines at once. The questions about the last words take as many instructions for four keys as for
// one; only the bytes are compared key by key. A batch in near tables takes 25 % fewer instructions than one line at a time
// (doc/decisions/0011). Answers are bits, the first key's the highest.
#pragma once

#include <membrane/base/target.hpp>

#if defined(MEMBRANE_TARGET_AVX2)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include <membrane/hash/key_hash.hpp>
#include <membrane/kind/balanced_rank/line.hpp>

MEMBRANE_TARGET_BEGIN

template <layout_class Class>
class four_lines {
    static_assert(Class != layout_class::any);

public:
    static constexpr std::size_t keys = 4;

    // Entries that are digits of hashes (hash_digits).
    four_lines(const line_layout& layout, std::byte* const* lines, const key_hash* hashes) noexcept
        : layout_(layout) {
        for (std::size_t i = 0; i < keys; ++i) lines_[i] = lines[i], fingerprints_[i] = &hashes[i].high;
        const auto* const pairs = reinterpret_cast<const __m256i*>(hashes);
        const __m256i words = _mm256_permute4x64_epi64(
            _mm256_unpackhi_epi64(_mm256_loadu_si256(pairs), _mm256_loadu_si256(pairs + 1)), 0x27);
        chains_ = _mm256_srli_epi64(
            _mm256_mul_epu32(_mm256_srli_epi64(words, 32), in_all_lanes(layout.chains())), 32);
        load_last_words();
    }
    // Entries that stand in memory: Place has `line` and `entry`.
    template <class Place>
    four_lines(const line_layout& layout, const Place* places) noexcept : layout_(layout) {
        for (std::size_t i = 0; i < keys; ++i)
            lines_[i] = places[i].line, fingerprints_[i] = &places[i].entry.fingerprint;
        const auto chain = [&](std::size_t i) { return static_cast<long long>(places[i].entry.chain); };
        chains_ = _mm256_set_epi64x(chain(0), chain(1), chain(2), chain(3));
        load_last_words();
    }

    // line::may_hold of each.
    std::uint64_t may_hold() const noexcept {
        const __m256i odd = joined(some_equal(3), some_equal(1));
        const __m256i even = joined(some_equal(2), some_equal(0));
        const __m256i any =
            _mm256_or_si256(_mm256_unpacklo_epi64(odd, even), _mm256_unpackhi_epi64(odd, even));
        const __m256i has_none = _mm256_cmpeq_epi64(any, _mm256_setzero_si256());
        const __m256i chain_as_sign = _mm256_sllv_epi64(
            last_words_, _mm256_sub_epi64(in_all_lanes(63 - layout_.first_chain_bit()), chains_));
        return signs(_mm256_andnot_si256(has_none, chain_as_sign));
    }
    // line::contains of each.
    template <bool KeepsEqual>
    std::uint64_t contain() const noexcept {
        alignas(32) std::uint64_t chains[keys];
        _mm256_store_si256(reinterpret_cast<__m256i*>(chains), chains_);
        std::uint64_t all = 0;
#pragma GCC unroll 4
        for (std::size_t i = 0; i < keys; ++i) {
            const line<Class> at(layout_, lines_[i]);
            const std::uint64_t equal = at.equal_in_planes(*fingerprints_[i], equal_bytes_of(i).signs());
            all = with_answer(all, at.template matches_of<KeepsEqual>(chains[keys - 1 - i], equal));
        }
        return all;
    }
    // line::may_have_forwarded of each: of the bits above the chain's, only the forwarded bit is set.
    std::uint64_t may_have_forwarded() const noexcept {
        const __m256i above = _mm256_sllv_epi64(in_all_lanes(layout_.above_chain(0)), chains_);
        return signs(
            _mm256_cmpeq_epi64(_mm256_and_si256(last_words_, above), in_all_lanes(std::uint64_t{1} << 63)));
    }

private:
    static __m256i in_all_lanes(std::uint64_t word) noexcept {
        return _mm256_set1_epi64x(static_cast<long long>(word));
    }
    static std::uint64_t signs(__m256i lanes) noexcept {
        return static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(lanes)));
    }
    // Both halves of each of two registers, or-ed into one half.
    static __m256i joined(__m256i low, __m256i high) noexcept {
        return _mm256_or_si256(_mm256_permute2x128_si256(low, high, 0x20),
                               _mm256_permute2x128_si256(low, high, 0x31));
    }
    long long last_word(std::size_t key) const noexcept {
        return static_cast<long long>(load_le<std::uint64_t>(lines_[key] + 56));
    }
    // The fingerprint's byte goes from memory into the register.
    two_registers equal_bytes_of(std::size_t key) const noexcept {
        const std::uint64_t mask = Class == layout_class::bits_7 ? 0x7f : 0xff;
        const two_registers bytes = two_registers::load(lines_[key]);
        const __m256i wanted = _mm256_and_si256(two_registers::filled_with(lowest_byte(fingerprints_[key])),
                                                two_registers::filled_with(mask));
        const two_registers kept = bytes.masked(mask);
        return {_mm256_cmpeq_epi8(kept.low, wanted), _mm256_cmpeq_epi8(kept.high, wanted)};
    }
    __m256i some_equal(std::size_t key) const noexcept { return equal_bytes_of(key).either(); }

    static std::uint64_t lowest_byte(const std::uint64_t* word) noexcept {
        return std::to_integer<std::uint64_t>(*reinterpret_cast<const std::byte*>(word));
    }
    void load_last_words() noexcept {
        last_words_ = _mm256_set_epi64x(last_word(0), last_word(1), last_word(2), last_word(3));
    }

    const line_layout& layout_;
    std::byte* lines_[keys];
    const std::uint64_t* fingerprints_[keys];  // above the bits of a fingerprint may stand others
    __m256i chains_;
    __m256i last_words_;
};

MEMBRANE_TARGET_END

#endif
