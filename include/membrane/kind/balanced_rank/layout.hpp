// Where the parts of a line stand, for L chains, Z cells and fingerprints of R bits.
//
//   R >= 8: Z bytes with the low 8 bits of the fingerprints, then R - 8 planes of Z bits with the bits above
//   R = 7:  Z bytes: the fingerprint, and continues[i] as the highest bit
//   R < 7:  R planes of Z bits
//   padding, zero
//   Z bits  continues[i]: entry i + 1 is of the same chain as entry i (unless R = 7, see above)
//   L bits  in_use[c]: chain c has an entry
//   1 bit   forwarded: the line was full and forwarded entries to the second table; the last bit of the line
#pragma once

#include <algorithm>
#include <cstdint>

namespace membrane {

inline constexpr std::uint64_t rank_line_bytes = 64;

struct line_entry {
    std::uint64_t chain;
    std::uint64_t fingerprint;

    friend constexpr bool operator==(const line_entry&, const line_entry&) = default;
    friend constexpr bool operator<(const line_entry& a, const line_entry& b) noexcept {
        return a.chain != b.chain ? a.chain < b.chain : a.fingerprint < b.fingerprint;
    }
};

// L < 64, so that in_use and the forwarded bit stand in the last word; L + Z (R + 1) + 1 <= 512.
class line_layout {
public:
    constexpr line_layout(std::uint64_t chains, std::uint64_t cells, std::uint64_t fingerprint_bits) noexcept
        : chains_(static_cast<std::uint8_t>(chains)),
          cells_(static_cast<std::uint8_t>(cells)),
          fingerprint_bits_(static_cast<std::uint8_t>(fingerprint_bits)),
          first_chain_bit_(static_cast<std::uint8_t>(63 - chains)),
          continues_byte_(static_cast<std::uint8_t>(std::min((511 - chains - cells) / 8, std::uint64_t{56}))),
          continues_shift_(static_cast<std::uint8_t>(511 - chains - cells - 8u * continues_byte_)),
          first_chain_(std::uint64_t{1} << first_chain_bit_),
          above_first_chain_(0 - 2 * first_chain_),
          chains_and_mark_(0 - first_chain_) {}

    friend constexpr bool operator==(const line_layout&, const line_layout&) = default;

    constexpr unsigned chains() const noexcept { return chains_; }
    constexpr unsigned cells() const noexcept { return cells_; }
    constexpr unsigned fingerprint_bits() const noexcept { return fingerprint_bits_; }

    // 8-bit fingerprints and no padding: `continues` begins right behind the bytes.
    constexpr bool is_tight() const noexcept {
        return fingerprint_bits_ == 8 && 9u * cells_ + chains_ + 1 == 8 * rank_line_bytes;
    }

    // Every plane stands within the line and the eight bytes that begin with its first bit.
    constexpr bool has_planes_in_words() const noexcept {
        return cells_ <= 57 && 2u * cells_ + chains_ >= 56;
    }

    constexpr bool has_bytes() const noexcept { return fingerprint_bits_ >= 7; }
    constexpr bool continues_in_bytes() const noexcept { return fingerprint_bits_ == 7; }
    constexpr unsigned bits_in_byte() const noexcept {
        return has_bytes() ? (continues_in_bytes() ? 7 : 8) : 0;
    }
    constexpr unsigned planes() const noexcept { return fingerprint_bits_ - bits_in_byte(); }
    constexpr unsigned plane_at(unsigned plane) const noexcept {
        return (has_bytes() ? 8u * cells_ : 0u) + plane * cells_;
    }
    constexpr unsigned in_use_at() const noexcept { return 448u + first_chain_bit_; }
    // The bit of chain 0 in the last word.
    constexpr unsigned first_chain_bit() const noexcept { return first_chain_bit_; }
    constexpr std::uint64_t chain_bit(std::uint64_t chain) const noexcept { return first_chain_ << chain; }
    constexpr std::uint64_t chains_and_mark() const noexcept { return chains_and_mark_; }
    // The bits of the last word above a chain's bit, the forwarded bit included.
    constexpr std::uint64_t above_chain(std::uint64_t chain) const noexcept {
        return above_first_chain_ << chain;
    }
    // Where `continues` begins if it is not in the bytes: as a bit, and as a byte with a shift of the word read there.
    constexpr unsigned continues_at() const noexcept { return in_use_at() - cells_; }
    constexpr unsigned continues_byte() const noexcept { return continues_byte_; }
    constexpr unsigned continues_shift() const noexcept { return continues_shift_; }
    constexpr unsigned used_end() const noexcept {
        return continues_in_bytes() ? in_use_at() : continues_at();
    }

private:
    std::uint8_t chains_, cells_, fingerprint_bits_;
    std::uint8_t first_chain_bit_, continues_byte_, continues_shift_;
    // Derived words, stored so that an instruction can take them as memory operands.
    std::uint64_t first_chain_, above_first_chain_, chains_and_mark_;
};

}  // namespace membrane
