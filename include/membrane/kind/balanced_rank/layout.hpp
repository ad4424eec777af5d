// What stands in a rank-indexed line and where: an entry, and the places of the parts for so many chains, cells and bits. The
// picture is in kind/balanced_rank/line.hpp.
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

// Where an entry was found, beside the others of its chain; a word of bits, one for each cell. No chain: it is not there.
struct line_cell {
    std::uint64_t chain_cells;
    unsigned at;

    explicit operator bool() const noexcept { return chain_cells != 0; }
};

// The numbers of a line: L < 64 chains, so that in_use and the mark stand in the last word; Z cells, R bits of fingerprint;
// L + Z (R + 1) + 1 <= 512.
class rank_line_shape {
public:
    constexpr rank_line_shape(std::uint64_t chains, std::uint64_t cells,
                              std::uint64_t fingerprint_bits) noexcept
        : chains_(static_cast<std::uint8_t>(chains)),
          cells_(static_cast<std::uint8_t>(cells)),
          fingerprint_bits_(static_cast<std::uint8_t>(fingerprint_bits)),
          first_chain_bit_(static_cast<std::uint8_t>(63 - chains)),
          continues_byte_(static_cast<std::uint8_t>(std::min((511 - chains - cells) / 8, std::uint64_t{56}))),
          continues_shift_(static_cast<std::uint8_t>(511 - chains - cells - 8u * continues_byte_)),
          usual_bits_(usual_bits_of(chains, cells, fingerprint_bits)),
          first_chain_(std::uint64_t{1} << first_chain_bit_),
          above_first_chain_(0 - 2 * first_chain_),
          chains_and_mark_(0 - first_chain_) {}

    friend constexpr bool operator==(const rank_line_shape&, const rank_line_shape&) = default;

    constexpr unsigned chains() const noexcept { return chains_; }
    constexpr unsigned cells() const noexcept { return cells_; }
    constexpr unsigned fingerprint_bits() const noexcept { return fingerprint_bits_; }

    // Fingerprints of 8 bits, and the indexes follow the bytes with no bit between: lines as they are planned for 0.4 %.
    constexpr bool is_tight() const noexcept { return usual_bits_ == 8; }
    // Of a fingerprint, where the line is one of those that plans for 1 % and for 0.4 % have: 7, or 8 and tight. Otherwise 0.
    constexpr std::uint8_t usual_bits() const noexcept { return usual_bits_; }

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
    // Of chain 0, in the line's last word.
    constexpr unsigned first_chain_bit() const noexcept { return first_chain_bit_; }
    // A chain's bit in that word, and the ones of all chains and the mark.
    constexpr std::uint64_t chain_bit(std::uint64_t chain) const noexcept { return first_chain_ << chain; }
    constexpr std::uint64_t chains_and_mark() const noexcept { return chains_and_mark_; }
    // Ones in the line's last word above the bit of a chain, up to and with the mark.
    constexpr std::uint64_t above_chain(std::uint64_t chain) const noexcept {
        return above_first_chain_ << chain;
    }
    // Where they are not in the bytes: the bit, and the same as a shift of the eight bytes from a byte on.
    constexpr unsigned continues_at() const noexcept { return in_use_at() - cells_; }
    constexpr unsigned continues_byte() const noexcept { return continues_byte_; }
    constexpr unsigned continues_shift() const noexcept { return continues_shift_; }
    constexpr unsigned used_end() const noexcept {
        return continues_in_bytes() ? in_use_at() : continues_at();
    }

private:
    static constexpr std::uint8_t usual_bits_of(std::uint64_t chains, std::uint64_t cells,
                                                std::uint64_t fingerprint_bits) noexcept {
        if (fingerprint_bits == 7) return 7;
        return fingerprint_bits == 8 && 9 * cells + chains + 1 == 8 * rank_line_bytes ? 8 : 0;
    }

    std::uint8_t chains_, cells_, fingerprint_bits_;
    std::uint8_t first_chain_bit_, continues_byte_, continues_shift_, usual_bits_;
    // As words: what an instruction takes from memory takes no register.
    std::uint64_t first_chain_, above_first_chain_, chains_and_mark_;
};

}  // namespace membrane
