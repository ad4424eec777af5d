// Searching in rank-indexed lines with AVX2, BMI2 and popcnt, or with NEON: what rank_line finds, without loops and almost without
// branches.
//
// All fingerprints are compared at once (line_registers.hpp), and the cells of the chain are cut out (word_code.hpp): the r-th one
// of ~(continues << 1) is where the r-th chain in use begins. Answers are those of the line; lines without bytes (R < 7) are left
// to it.
#pragma once

#include <membrane/base/instructions.hpp>

#if defined(MEMBRANE_HAVE_KERNELS)

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/kind/balanced_rank/line_registers.hpp>
#include <membrane/kind/balanced_rank/line_registers_neon.hpp>
#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/kind/balanced_rank/word_code.hpp>

namespace membrane {

// Asked by the argument itself: for sanitizers the address of a variable is not known to differ from nullptr.
template <const rank_line_shape*>
inline constexpr bool is_known_shape = true;
template <>
inline constexpr bool is_known_shape<nullptr> = false;

// Bits: those of a fingerprint, where they are known to the compiler; 0: the shape tells. IsTight: so is that the line is tight.
// Shape: so is all of it, or nullptr.
template <unsigned Bits, bool IsTight = false, const rank_line_shape* Shape = nullptr>
struct rank_search {
    static_assert(!IsTight || Bits == 8);
    static constexpr bool has_glance = true;
    static constexpr unsigned known_bits = Bits;

    static constexpr bool suits(const rank_line_shape& shape) noexcept {
        if constexpr (is_known_shape<Shape>) return shape == *Shape;
        return (Bits == 0 || shape.fingerprint_bits() == Bits) && (!IsTight || shape.is_tight());
    }
    // Of a line that suits: what is known need not be read.
    static constexpr const rank_line_shape& shape_of(const rank_line_shape& shape) noexcept {
        if constexpr (is_known_shape<Shape>) return *Shape;
        else return shape;
    }
    static constexpr unsigned fingerprint_bits(const rank_line_shape& shape) noexcept {
        return Bits != 0 ? Bits : shape.fingerprint_bits();
    }

    MEMBRANE_RANK_CODE static bool is_full(const rank_line& line) noexcept {
        if (!has_bytes(line.shape())) return line.is_full();
        return indexes_of(line).count() == line.shape().cells();
    }

    // All ones in the bytes that equal the fingerprint's lowest bits.
    MEMBRANE_RANK_CODE static line_registers equal_bytes_of(const rank_line& line,
                                                            std::uint64_t fingerprint) noexcept {
        return values_of(line).equal_to(fingerprint);
    }
    // No means no. True of one stranger in five, of three in eight with 7 bits. For a branch, by as few instructions as can be.
    MEMBRANE_RANK_CODE static bool has_alike(const rank_line& line, line_entry asked) noexcept {
        return !has_bytes(line.shape()) || equal_bytes_of(line, asked.fingerprint).is_any_after(asked.chain);
    }
    // Likewise, of one stranger in eight, of one in four with 7 bits, and without a branch.
    MEMBRANE_RANK_CODE static bool may_hold(const rank_line& line, line_entry asked) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return true;
        const std::uint64_t from_chain = line.last_word() >> (shape.first_chain_bit() + asked.chain);
        // No branch: batches collect the answers.
        return (equal_bytes_of(line, asked.fingerprint).has_any() & from_chain) != 0;
    }

    // As rank_line::may_have_forwarded, with the word read by the addition.
    MEMBRANE_RANK_CODE static bool may_have_forwarded(const rank_line& line, std::uint64_t chain) noexcept {
        return overflows(line.shape().above_chain(chain), line.data() + 56);
    }

    // KeepsEqual: a line may hold an entry more than once. Where it may not and does, as nothing but an unchecked file can make
    // it, the answer may be another than the line's.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static bool contains(const rank_line& line, line_entry asked) noexcept {
        if (!has_bytes(line.shape())) return line.contains(asked);
        return matches<KeepsEqual>(line, asked) != 0;
    }

    // The first entry equal to this.
    MEMBRANE_RANK_CODE static line_cell find(const rank_line& line, line_entry asked) noexcept {
        if (!has_bytes(line.shape())) return line.find(asked);
        const std::uint64_t chain = cells_of(line, asked.chain);
        return first_of(equal_cells(line, asked.fingerprint), chain);
    }
    // The first one of the chain whose fingerprint is equal but for its lowest bits.
    MEMBRANE_RANK_CODE static line_cell find_alike(const rank_line& line, line_entry asked,
                                                   unsigned low_count) noexcept {
        if (!has_bytes(line.shape())) return line.find_alike(asked, low_count);
        const std::uint64_t chain = cells_of(line, asked.chain);
        return first_of(alike_cells(line, asked.fingerprint, low_count), chain);
    }

protected:
    static constexpr bool has_bytes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) >= 7;
    }
    static constexpr bool continues_in_bytes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) == 7;
    }
    static constexpr unsigned planes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) <= 8 ? 0 : fingerprint_bits(shape) - 8;
    }

    // 0 if it is not there.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static std::uint64_t matches(const rank_line& line, line_entry asked) noexcept {
        return matches_of<KeepsEqual>(line, asked.chain, equal_cells(line, asked.fingerprint));
    }
    // Among the cells whose fingerprints are equal.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static std::uint64_t matches_of(const rank_line& line, std::uint64_t chain,
                                                       std::uint64_t equal) noexcept {
        if (KeepsEqual) return equal & cells_of(line, chain);
        // No chain has two equal cells: added to `continues`, one turns the zero at the end of its chain and no other.
        const std::uint64_t continues = continues_of(line);
        return (continues + equal) &
               end_of_chain(used_with_mark(line), line.shape().chain_bit(chain), continues);
    }

    struct line_indexes {
        std::uint64_t used;
        std::uint64_t continues;

        MEMBRANE_RANK_CODE unsigned count() const noexcept {
            return count_ones(used) + count_ones(continues);
        }
        MEMBRANE_RANK_CODE chain_cells cells_of(std::uint64_t chain) const noexcept {
            return cells_of_chain(used, std::uint64_t{1} << chain, continues);
        }
        // Of a full line.
        MEMBRANE_RANK_CODE void drop_last(unsigned cells) noexcept {
            const std::uint64_t before = std::uint64_t{1} << (cells - 1) >> 1;
            const std::uint64_t is_only = (continues & before) == 0 ? 1 : 0;
            used &= ~(is_only << highest_one(used));
            continues &= ~before;
        }
        MEMBRANE_RANK_CODE void remove(std::uint64_t chain, const line_cell& cell) noexcept {
            const std::uint64_t is_only = (cell.chain_cells & (cell.chain_cells - 1)) == 0 ? 1 : 0;
            // The entry before it, if any, is the chain's last now.
            const std::uint64_t ends = 1 - (cell.chain_cells >> cell.at >> 1 & 1);
            continues = with_bit_removed(continues, cell.at) & ~((ends & ~is_only) << cell.at >> 1);
            used &= ~(is_only << chain);
        }
    };
    MEMBRANE_RANK_CODE static line_indexes indexes_of(const rank_line& line) noexcept {
        return {line.in_use(), cut_at(continues_of(line), line.shape().cells())};
    }
    // `used` has the mark as one bit more.
    MEMBRANE_RANK_CODE static line_indexes indexes_with_mark(const rank_line& line) noexcept {
        return {line.last_word() >> line.shape().first_chain_bit(),
                cut_at(continues_of(line), line.shape().cells())};
    }
    // The chains in use and the mark, where they are in the last word.
    MEMBRANE_RANK_CODE static std::uint64_t used_with_mark(const rank_line& line) noexcept {
        return line.last_word() & line.shape().chains_and_mark();
    }
    MEMBRANE_RANK_CODE static std::uint64_t cells_of(const rank_line& line, std::uint64_t chain) noexcept {
        return mask_of_chain(used_with_mark(line), line.shape().chain_bit(chain), continues_of(line));
    }

    // Bits behind the cells are of no meaning.
    MEMBRANE_RANK_CODE static std::uint64_t continues_of(const rank_line& line) noexcept {
        if (continues_in_bytes(line.shape())) return line_registers::of(line.data()).signs();
        if constexpr (IsTight) return load_le<std::uint64_t>(line.data() + line.shape().cells());
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

    // The bytes without what is no fingerprint.
    MEMBRANE_RANK_CODE static line_registers values_of(const rank_line& line) noexcept {
        const line_registers bytes = line_registers::of(line.data());
        return continues_in_bytes(line.shape()) ? bytes.without_signs() : bytes;
    }
    // Cells whose fingerprint is not above this one.
    MEMBRANE_RANK_CODE static std::uint64_t cells_not_above(const rank_line& line,
                                                            std::uint64_t value) noexcept {
        const rank_line_shape& shape = line.shape();
        std::uint64_t below = 0, equal = ~std::uint64_t{0};
        for (unsigned plane = planes(shape); plane-- != 0;) {
            keep_scalar(plane);
            const std::uint64_t ones = run(line, (8 + plane) * shape.cells());
            const std::uint64_t is_one = 0 - (value >> (8 + plane) & 1);
            below |= equal & is_one & ~ones;
            equal &= ~(ones ^ is_one);
        }
        return below | (equal & values_of(line).not_above(value).signs());
    }
    MEMBRANE_RANK_CODE static std::uint64_t equal_cells(const rank_line& line, std::uint64_t value) noexcept {
        return equal_planes(line, value, 0, equal_bytes_of(line, value).signs());
    }
    // Of these cells, those that are equal in the planes from `first` on.
    MEMBRANE_RANK_CODE static std::uint64_t equal_planes(const rank_line& line, std::uint64_t value,
                                                         unsigned first, std::uint64_t cells) noexcept {
        const rank_line_shape& shape = line.shape();
        for (unsigned plane = first; plane < planes(shape); ++plane) {
            keep_scalar(plane);
            // All ones where the bit is 0: cells that differ in it go.
            cells &= run(line, (8 + plane) * shape.cells()) ^ ((value >> (8 + plane) & 1) - 1);
        }
        return cells;
    }
    MEMBRANE_RANK_CODE static std::uint64_t alike_cells(const rank_line& line, std::uint64_t value,
                                                        unsigned low_count) noexcept {
        if (low_count >= 8) return equal_planes(line, value, low_count - 8, ~std::uint64_t{0});
        const std::uint64_t high = 0xff & ~low_bits(low_count);
        return equal_planes(line, value, 0, values_of(line).in(high).equal_to(value & high).signs());
    }
    MEMBRANE_RANK_CODE static line_cell first_of(std::uint64_t cells, std::uint64_t chain) noexcept {
        cells &= chain;
        return {cells == 0 ? 0 : chain, lowest_one(cells)};
    }
};

}  // namespace membrane

#endif
