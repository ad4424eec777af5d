// Where an entry is. Its address in the first table is cut from the two words of the hash; no bit serves twice.
//
// Where an entry of the first table goes when its line is full: its address in the second table, made from its address in
// the first alone, so that entries move without their keys.
//
// hashed:  line, chain and fingerprint are a hash of the whole entry.
// carried: a one-to-one map, so that the entry can be brought back. With v = line + chain S modulo the lines (S about 0.618 of
//          them, so that the chains of a line part), x = v chains + chain; `served` neighbouring x have one line of the
//          second table. Which of them is told apart by the second chain and by the bits that the second fingerprint has
//          more. Every line of the second table then serves each chain of the first equally often, to within one, which
//          keeps its load nearer to the mean than a random permutation would (decision 0009).
#pragma once

#include <cstdint>
#include <optional>

#include <membrane/base/bits.hpp>
#include <membrane/base/divisor.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/balanced_rank/layout.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

MEMBRANE_TARGET_BEGIN

struct rank_address {
    std::uint64_t line;
    line_entry entry;
};

constexpr line_layout first_layout(const filter_spec& spec) {
    return {spec[rank_field::chains], spec[rank_field::cells], spec[rank_field::fingerprint_bits]};
}
constexpr line_layout second_layout(const filter_spec& spec) {
    return {spec[rank_field::second_chains], spec[rank_field::second_cells],
            spec[rank_field::second_fingerprint_bits]};
}

// From the upper half of a word.
inline std::uint64_t chain_of(std::uint64_t half, std::uint64_t chains) noexcept {
    return half * chains >> 32;
}

// The line is cut from one word, the entry from the other. `KnownBits`: of a fingerprint, where the compiler knows them, or 0.
template <unsigned KnownBits>
[[gnu::always_inline]] inline std::uint64_t fingerprint_of(const key_hash& hash,
                                                           std::uint64_t fingerprint_bits) noexcept {
    if constexpr (KnownBits == 7 || KnownBits == 8) return lowest_byte_of_high(hash) & low_bits(KnownBits);
    return hash.high & low_bits(fingerprint_bits);
}
template <unsigned KnownBits = 0>
[[gnu::always_inline]] inline line_entry first_entry(const key_hash& hash, std::uint64_t chains,
                                                     std::uint64_t fingerprint_bits) noexcept {
    return {chain_of(upper_half_of_high(hash), chains), fingerprint_of<KnownBits>(hash, fingerprint_bits)};
}
[[gnu::always_inline]] inline rank_address first_address(const key_hash& hash, std::uint64_t lines,
                                                         std::uint64_t chains,
                                                         std::uint64_t fingerprint_bits) noexcept {
    return {fastrange(hash.low, lines), first_entry(hash, chains, fingerprint_bits)};
}

class hashed_address {
public:
    explicit hashed_address(const filter_spec& spec) noexcept
        : lines_(second_lines(spec)),
          chains_(spec[rank_field::second_chains]),
          fingerprint_bits_(spec[rank_field::second_fingerprint_bits]) {}

    // Of a fingerprint of the second table, as planned: code that knows them has fewer instructions.
    static constexpr unsigned bits_for(unsigned fingerprint_bits) noexcept { return fingerprint_bits; }

    rank_address second(const rank_address& first) const noexcept {
        const key_hash id{first.line << 6 | first.entry.chain, first.entry.fingerprint};
        const std::uint64_t word = remix(id, stream::rank_second_entry);
        return {fastrange(remix(id, stream::rank_second_line), lines_),
                {chain_of(word >> 32, chains_), word & low_bits(fingerprint_bits_)}};
    }

private:
    std::uint64_t lines_, chains_, fingerprint_bits_;
};

class carried_address {
public:
    explicit carried_address(const filter_spec& spec) noexcept
        : lines_(spec[rank_field::lines]),
          stride_(fastrange(golden, lines_)),
          served_(spec[rank_field::served_chains]),
          chains_(spec[rank_field::chains]),
          second_chains_(spec[rank_field::second_chains]),
          fingerprint_bits_(spec[rank_field::fingerprint_bits]) {}

    // As hashed_address::bits_for, as planned at the usual rates.
    static constexpr unsigned bits_for(unsigned fingerprint_bits) noexcept {
        return fingerprint_bits + (fingerprint_bits <= 10 ? 3 : 4);
    }

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
