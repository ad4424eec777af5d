// Where an entry is: its address in the first table from a hash, and in the second from its address in the first.
//
// The first table:
//
// hash_digits (fixed)      line from the first word of the hash, chain and fingerprint from the second.
// number_digits (growable, erasable)
//                          x = floor(low U / 2^64) is the key's number, h = x S its place among 2^64, S = floor(2^64 / U);
//                          line, chain and fingerprint are the digits of h / 2^64 in the bases B, L and 2^R. One-to-one, in
//                          the order of the numbers, and can be read back, for any B with enough places (spec.hpp).
//
// The second table. An address is made from the one in the first table alone, so that entries move without their keys:
//
// hashed_address (fixed)   line, chain and fingerprint are a hash of the whole entry.
// carried_address (growable, erasable)
//                          a one-to-one map, so that the entry can be brought back. With v = line + chain S modulo the lines
//                          (S about 0.618 of them, so that the chains of a line part), x = v chains + chain; `served` neighbouring
//                          x have one line of the second table. Which of them is told apart by the second chain and by the
//                          bits that the second fingerprint has more. Every line of the second table then serves each chain of
//                          the first equally often, to within one, which keeps its load nearer to the mean than a random
//                          permutation would (decision 0009).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include <membrane/base/bits.hpp>
#include <membrane/base/divisor.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/balanced_rank/layout.hpp>
#include <membrane/kind/balanced_rank/line_bytes.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

MEMBRANE_TARGET_BEGIN

struct rank_address {
    std::uint64_t line;
    line_entry entry;
};

constexpr line_layout first_layout(const filter_spec& spec) {
    return {spec[balanced_rank_field::chains], spec[balanced_rank_field::cells],
            spec[balanced_rank_field::fingerprint_bits]};
}
constexpr line_layout second_layout(const filter_spec& spec) {
    return {spec[balanced_rank_field::second_chains], spec[balanced_rank_field::second_cells],
            spec[balanced_rank_field::second_fingerprint_bits]};
}

class hash_digits {
public:
    explicit hash_digits(const filter_spec& spec) noexcept
        : lines_(spec[balanced_rank_field::lines]),
          chains_(spec[balanced_rank_field::chains]),
          fingerprint_bits_(spec[balanced_rank_field::fingerprint_bits]) {}

    // The line is cut from one word and the entry from the other, so that the entry can be computed again without the line.
    rank_address of(const key_hash& hash) const noexcept {
        return {fastrange(hash.low, lines_), entry(hash)};
    }

    // `KnownBits`: of a fingerprint, where the compiler knows them, or 0. `InMemory`: the hash is read where it stands, by one
    // instruction; in registers it would have to be stored first.
    template <bool InMemory>
    [[gnu::always_inline]] std::uint64_t line(const key_hash& hash) const noexcept {
        return InMemory ? fastrange_of(hash.low, lines_) : fastrange(hash.low, lines_);
    }
    template <unsigned KnownBits = 0>
    [[gnu::always_inline]] line_entry entry(const key_hash& hash) const noexcept {
        return {upper_half_of_high(hash) * chains_ >> 32, fingerprint<KnownBits>(hash)};
    }

private:
    template <unsigned KnownBits>
    [[gnu::always_inline]] std::uint64_t fingerprint(const key_hash& hash) const noexcept {
        if constexpr (KnownBits == 7 || KnownBits == 8)
            return lowest_byte_of_high(hash) & low_bits(KnownBits);
        return hash.high & low_bits(fingerprint_bits_);
    }

    std::uint64_t lines_, chains_, fingerprint_bits_;
};

class number_digits {
public:
    explicit number_digits(const filter_spec& spec) noexcept
        : universe_(spec[balanced_rank_field::universe]),
          stride_(number_stride(universe_)),
          lines_(spec[balanced_rank_field::lines]),
          lines_stride_(lines_ * stride_),
          chains_(spec[balanced_rank_field::chains]),
          fingerprint_bits_(static_cast<unsigned>(spec[balanced_rank_field::fingerprint_bits])),
          fingerprint_shift_(64 - fingerprint_bits_) {}

    std::uint64_t universe() const noexcept { return universe_; }
    std::uint64_t number(const key_hash& hash) const noexcept { return fastrange(hash.low, universe_); }
    template <bool InMemory = false>
    [[gnu::always_inline]] rank_address of(const key_hash& hash) const noexcept {
        return of_number(InMemory ? fastrange_of(hash.low, universe_) : fastrange(hash.low, universe_));
    }
    [[gnu::always_inline]] rank_address of_number(std::uint64_t number) const noexcept {
        // h B = x (S B): S B is below 2^64, since there are fewer lines than numbers.
        const wide_product line = multiply_wide(number, lines_stride_);
        const wide_product chain = multiply_wide(line.low, chains_);
        return {line.high, {chain.high, chain.low >> fingerprint_shift_}};
    }
    // (line, chain, fingerprint) as one number, in their order: floor(h places / 2^64).
    std::uint64_t place_of(const rank_address& at) const noexcept {
        return first_place_of(at.line) + (at.entry.chain << fingerprint_bits_ | at.entry.fingerprint);
    }
    std::uint64_t first_place_of(std::uint64_t line) const noexcept {
        return line * chains_ << fingerprint_bits_;
    }
    std::uint64_t places() const noexcept { return first_place_of(lines_); }
    std::uint64_t lines() const noexcept { return lines_; }

private:
    friend class number_reader;

    std::uint64_t universe_, stride_, lines_, lines_stride_, chains_;
    unsigned fingerprint_bits_, fingerprint_shift_;
};

// From an address of the first table back to the number.
//
// The digits are exact, so that number x has place floor(x w), w = places S / 2^64 >= 1, and the least number whose place is not
// below p is ceil(p / w). With w = 2^e d / 2^64, d rounded down to 65 bits, and q = floor((2^128 - 1) / d), floor(p q / 2^(64 + e)) is at most
// ceil(p / w) and at least two less: p < 2^62, and d and q are exact to one in 2^63.
class number_reader {
public:
    explicit number_reader(const number_digits& digits) noexcept : digits_(digits), places_(digits.places()) {
        const wide_product span = multiply_wide(places_, digits.stride_);
        extra_bits_ = static_cast<unsigned>(std::bit_width(span.high)) - 1;
        reciprocal_ = reciprocal_of_one_and(
            extra_bits_ == 0 ? span.low : span.high << (64 - extra_bits_) | span.low >> extra_bits_);
    }

    // None if no number has this address.
    std::optional<std::uint64_t> number_at(const rank_address& at) const noexcept {
        const std::uint64_t place = digits_.place_of(at), least = least_number_of(place);
        if (has_place(least + 1, place)) return least + 1;  // nearly always
        for (const std::uint64_t number : {least, least + 2})
            if (has_place(number, place)) return number;
        return std::nullopt;
    }
    // The least number in this line or behind it; U if there is none.
    std::uint64_t first_number_of(std::uint64_t line) const noexcept {
        if (line >= digits_.lines()) return digits_.universe();
        // Behind the last number there may be places, and whole lines of a wide layout.
        std::uint64_t number = std::min(least_number_of(digits_.first_place_of(line)), digits_.universe());
        while (number < digits_.universe() && digits_.of_number(number).line < line) ++number;
        return number;
    }

private:
    bool has_place(std::uint64_t number, std::uint64_t place) const noexcept {
        return number < digits_.universe() && fastrange(number * digits_.stride_, places_) == place;
    }
    std::uint64_t least_number_of(std::uint64_t place) const noexcept {
        return fastrange(place, reciprocal_) >> extra_bits_;
    }
    // floor((2^128 - 1) / (2^64 + rest)) by long division.
    static std::uint64_t reciprocal_of_one_and(std::uint64_t rest) noexcept {
        // What is left of the dividend so far, high 2^64 + low, is below the divisor.
        std::uint64_t quotient = 0, high = 0, low = UINT64_MAX;
        for (unsigned bit = 0; bit < 64; ++bit) {
            high = high << 1 | low >> 63;
            low = low << 1 | 1;
            quotient <<= 1;
            if (high < 1 || (high == 1 && low < rest)) continue;
            high -= 1 + (low < rest ? 1 : 0);
            low -= rest;
            ++quotient;
        }
        return quotient;
    }

    number_digits digits_;
    std::uint64_t places_;
    std::uint64_t reciprocal_;
    unsigned extra_bits_;
};

class hashed_address {
public:
    explicit hashed_address(const filter_spec& spec) noexcept
        : lines_(second_lines(spec)),
          chains_(spec[balanced_rank_field::second_chains]),
          fingerprint_bits_(spec[balanced_rank_field::second_fingerprint_bits]) {}

    rank_address second(const rank_address& first) const noexcept {
        const key_hash id{first.line << 6 | first.entry.chain, first.entry.fingerprint};
        const std::uint64_t word = remix(id, stream::rank_second_entry);
        return {fastrange(remix(id, stream::rank_second_line), lines_),
                {(word >> 32) * chains_ >> 32, word & low_bits(fingerprint_bits_)}};
    }

private:
    std::uint64_t lines_, chains_, fingerprint_bits_;
};

class carried_address {
public:
    explicit carried_address(const filter_spec& spec) noexcept
        : lines_(spec[balanced_rank_field::lines]),
          stride_(fastrange(golden, lines_)),
          served_(spec[balanced_rank_field::served_chains]),
          chains_(spec[balanced_rank_field::chains]),
          second_chains_(spec[balanced_rank_field::second_chains]),
          fingerprint_bits_(spec[balanced_rank_field::fingerprint_bits]) {}

    rank_address second(const rank_address& first) const noexcept {
        return second(chain_of_line(first.line, first.entry.chain), first.entry.fingerprint);
    }

    // A chain of a line of the first table, from which the next chain of that line is found sooner than from the start.
    struct line_chain {
        std::uint64_t moved, chain;
    };
    line_chain chain_of_line(std::uint64_t line, std::uint64_t chain) const noexcept {
        return {wrapped(line + shift_of(chain)), chain};
    }
    line_chain next(const line_chain& at) const noexcept {
        return {wrapped(at.moved + stride_), at.chain + 1};
    }
    std::uint64_t second_line(const line_chain& at) const noexcept { return place_of(at).quotient; }
    rank_address second(const line_chain& at, std::uint64_t fingerprint) const noexcept {
        const auto place = place_of(at);
        const auto among = by_second_chains_.divide(place.rest);
        return {place.quotient, {among.rest, among.quotient << fingerprint_bits_ | fingerprint}};
    }

    // The entry of the first table that this one was; none if no entry has this address.
    std::optional<rank_address> origin(const rank_address& second) const noexcept {
        const std::uint64_t number =
            (second.entry.fingerprint >> fingerprint_bits_) * second_chains_ + second.entry.chain;
        if (number >= served_) return std::nullopt;
        const std::uint64_t place = second.line * served_ + number;
        const std::uint64_t chain = place % chains_, moved = place / chains_;
        if (moved >= lines_) return std::nullopt;
        return rank_address{wrapped(moved + lines_ - shift_of(chain)),
                            {chain, second.entry.fingerprint & low_bits(fingerprint_bits_)}};
    }

private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

    divisor::parts place_of(const line_chain& at) const noexcept {
        return by_served_.divide(at.moved * chains_ + at.chain);
    }
    std::uint64_t wrapped(std::uint64_t line) const noexcept { return line - (line >= lines_ ? lines_ : 0); }
    // chain S modulo the lines. S is less than one below golden / 2^64 of them, so that the whole rounds are
    // floor(chain golden / 2^64) or, where the product falls short of that by less than `chain`, one less.
    std::uint64_t shift_of(std::uint64_t chain) const noexcept {
        if (lines_ < 64) return chain * stride_ % lines_;
        const std::uint64_t shift = chain * stride_ - fastrange(chain, golden) * lines_;
        return shift + (shift >> 63) * lines_;
    }

    std::uint64_t lines_, stride_;
    std::uint64_t served_, chains_, second_chains_, fingerprint_bits_;
    divisor by_served_{served_}, by_second_chains_{second_chains_};
};

MEMBRANE_TARGET_END
