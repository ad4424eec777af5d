// Rank-indexed lines with AVX2, BMI2 and popcnt, or with NEON: what rank_line does, without loops and almost without branches.
//
// All fingerprints are compared at once (line_registers.hpp), and the cells of the chain are cut out (word_code.hpp): the r-th one
// of ~(continues << 1) is where the r-th chain in use begins. Cells are moved with the line in registers. Answers and bytes are
// those of the line, bit for bit; lines without bytes (R < 7) are left to it.
#pragma once

#include <membrane/base/instructions.hpp>

#if defined(MEMBRANE_HAVE_KERNELS)

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/bucket/line_code.hpp>
#include <membrane/bucket/line_registers.hpp>
#include <membrane/bucket/line_registers_neon.hpp>
#include <membrane/bucket/rank_line.hpp>
#include <membrane/bucket/run_writer.hpp>
#include <membrane/bucket/word_code.hpp>

namespace membrane {

// Bits: those of a fingerprint, and of one of the second table, where they are known to the compiler; 0: the shape tells.
template <unsigned Bits, unsigned SecondBits = 0>
struct rank_code {
    using second = rank_code<SecondBits>;
    static constexpr bool has_glance = true;

    static constexpr unsigned fingerprint_bits(const rank_line_shape& shape) noexcept {
        return Bits != 0 ? Bits : shape.fingerprint_bits();
    }

    MEMBRANE_RANK_CODE static bool is_full(const rank_line& line) noexcept {
        if (!has_bytes(line.shape())) return line.is_full();
        return indexes_of(line).count() == line.shape().cells();
    }

    // No means no. True of one stranger in five, of three in eight with 7 bits. For a branch, by as few instructions as can be.
    MEMBRANE_RANK_CODE static bool has_alike(const rank_line& line, line_entry asked) noexcept {
        return !has_bytes(line.shape()) || equal_bytes_of(line, asked.fingerprint).is_any();
    }
    // Likewise, of one stranger in eight, of one in four with 7 bits, and without a branch.
    MEMBRANE_RANK_CODE static bool may_hold(const rank_line& line, line_entry asked) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return true;
        const std::uint64_t from_chain = line.last_word() >> (shape.first_chain_bit() + asked.chain);
        // No branch: batches collect the answers.
        return (equal_bytes_of(line, asked.fingerprint).has_any() & from_chain) != 0;
    }

    // KeepsEqual: a line may hold an entry more than once. Where it may not and does, as nothing but an unchecked file can make
    // it, the answer may be another than the line's.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static bool contains(const rank_line& line, line_entry asked) noexcept {
        if (!has_bytes(line.shape())) return line.contains(asked);
        return matches<KeepsEqual>(line, asked) != 0;
    }

    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static line_offer offer(rank_line& line, line_entry added) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return plain_line_code::offer<KeepsEqual>(line, added);
        const line_indexes now = indexes_with_mark(line);
        const chain_cells chain = now.cells_of(added.chain);
        if (!KeepsEqual && (equal_cells(line, added.fingerprint) & chain.mask()) != 0)
            return line_offer::present;
        // A mark, which only a full line has, counts as one more.
        if (now.count() >= shape.cells()) return line_offer::full;
        put_beside(line, added, chain, now.continues);
        return line_offer::taken;
    }
    // The largest entry of a full line, which is above the new one, drops out.
    MEMBRANE_RANK_CODE static void insert(rank_line& line, line_entry added) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return line.insert(added);
        line_indexes now = indexes_of(line);
        if (now.count() == shape.cells()) now.drop_last(shape.cells());
        put_instead(line, added, now.cells_of(added.chain), now);
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
    MEMBRANE_RANK_CODE static void remove(rank_line& line, std::uint64_t chain,
                                          const line_cell& cell) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return line.remove(chain, cell);
        line_indexes now = indexes_of(line);
        now.remove(chain, cell);
        close_cell(line, cell.at, now, 0);
    }
    // An entry of a full line goes, and one that is below none comes in its place.
    MEMBRANE_RANK_CODE static void exchange(rank_line& line, std::uint64_t chain, const line_cell& cell,
                                            line_entry last) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return plain_line_code::exchange(line, chain, cell, last);
        line_indexes now = indexes_of(line);
        now.remove(chain, cell);
        now.continues |= (now.used >> last.chain & 1) << (shape.cells() - 1) >> 1;
        now.used |= std::uint64_t{1} << last.chain;
        close_cell(line, cell.at, now, last.fingerprint);
    }

private:
    static constexpr bool has_bytes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) >= 7;
    }
    static constexpr bool continues_in_bytes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) == 7;
    }
    static constexpr unsigned most_planes = 24;  // of 32 bits
    static constexpr unsigned planes(const rank_line_shape& shape) noexcept {
        return fingerprint_bits(shape) <= 8 ? 0 : fingerprint_bits(shape) - 8;
    }

    // 0 if it is not there.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static std::uint64_t matches(const rank_line& line, line_entry asked) noexcept {
        const std::uint64_t equal = equal_cells(line, asked.fingerprint);
        if (KeepsEqual) return equal & cells_of(line, asked.chain);
        // No chain has two equal cells: added to `continues`, one turns the zero at the end of its chain and no other.
        const std::uint64_t continues = continues_of(line);
        return (continues + equal) & end_of_chain(line.last_word() >> line.shape().first_chain_bit(),
                                                  static_cast<unsigned>(asked.chain), continues);
    }

    struct line_indexes {
        std::uint64_t used;
        std::uint64_t continues;

        MEMBRANE_RANK_CODE unsigned count() const noexcept {
            return count_ones(used) + count_ones(continues);
        }
        MEMBRANE_RANK_CODE chain_cells cells_of(std::uint64_t chain) const noexcept {
            return cells_of_chain(used, static_cast<unsigned>(chain), continues);
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
    // The cells of a chain alone, from the last word as it is.
    MEMBRANE_RANK_CODE static std::uint64_t cells_of(const rank_line& line, std::uint64_t chain) noexcept {
        return mask_of_chain(line.last_word() >> line.shape().first_chain_bit(), static_cast<unsigned>(chain),
                             continues_of(line));
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

    // Ones below the place where an entry comes to stand: the chain's entries that are not above it are its first ones.
    MEMBRANE_RANK_CODE static std::uint64_t cells_before(const rank_line& line, line_entry added,
                                                         const chain_cells& chain) noexcept {
        return (cells_not_above(line, added.fingerprint) & chain.mask()) | (chain.first - 1);
    }
    // Of `continues`, the ones behind a chain. With one entry more in it they move up by one, which is what a number does that is
    // added to itself; and all entries that it had go on.
    MEMBRANE_RANK_CODE static std::uint64_t behind_of(const chain_cells& chain,
                                                      std::uint64_t continues) noexcept {
        return continues & ~(chain.behind - 1);
    }

    // One entry more in a line that is not full, so that the last bit of `continues` is 0. Few instructions, and no branch that
    // the line decides: all of them wait for it, and as many lines are on their way as the processor has room for instructions
    // that wait.
    MEMBRANE_RANK_CODE static void put_beside(rank_line& line, line_entry added, const chain_cells& chain,
                                              std::uint64_t continues) noexcept {
        const rank_line_shape& shape = line.shape();
        if (planes(shape) != 0) return put_instead(line, added, chain, {line.in_use(), continues});
        std::byte* const to = line.data();
        const unsigned at = count_ones(cells_before(line, added, chain));
        const std::uint64_t chain_bit = std::uint64_t{1} << added.chain << shape.first_chain_bit();
        line_registers bytes = line_registers::of(to);
        if (continues_in_bytes(shape)) {
            // They move with their bytes; the chain's entry before the new one, or else the new one, goes on.
            const std::uint64_t goes_on = chain.mask() >> at & 1;
            const std::uint64_t is_used = (chain.mask() | (0 - chain.mask())) >> 63;
            bytes.open(at, shape.cells(), (added.fingerprint & 0x7f) | goes_on << 7);
            bytes.put_sign(at - 1, is_used & ~goes_on);
            const auto [sixth, last] = bytes.last_words();
            bytes.store_other_words(to);
            store_le(to + 48, sixth);
            store_le(to + 56, last | chain_bit);
            return;
        }
        std::byte* const run_at = to + shape.continues_byte();
        const unsigned shift = shape.continues_shift();
        const std::uint64_t run = load_le<std::uint64_t>(run_at) + (behind_of(chain, continues) << shift);
        // The eight bytes of the run and the last eight overlap: chains and cells are fewer than 120 beside bytes.
        const unsigned apart = 8 * (56 - shape.continues_byte());
        const std::uint64_t last = line.last_word() | chain_bit;
        // There is nothing behind the cells that is not written again, but for zeros.
        bytes.open(at, 64, added.fingerprint & 0xff);
        bytes.store(to);
        store_le(to + 56, last);
        store_le(run_at, run | chain.mask() << shift | chain_bit << apart);
    }
    // The same in a line that has planes, or was full: the indexes have dropped its last entry.
    MEMBRANE_RANK_CODE static void put_instead(rank_line& line, line_entry added, const chain_cells& chain,
                                               line_indexes now) noexcept {
        const unsigned at = count_ones(cells_before(line, added, chain));
        now.continues = (now.continues + behind_of(chain, now.continues)) | chain.mask();
        now.used |= std::uint64_t{1} << added.chain;
        line_registers bytes = line_registers::of(line.data());
        bytes.open(at, line.shape().cells(), added.fingerprint & 0xff);
        store(line, bytes, now, [&](unsigned plane, std::uint64_t old) MEMBRANE_RANK_LAMBDA {
            return with_bit_inserted(old, at, (added.fingerprint >> (8 + plane) & 1) != 0);
        });
    }

    // Cells behind it move down, and `last` stands in the last one.
    MEMBRANE_RANK_CODE static void close_cell(rank_line& line, unsigned at, const line_indexes& indexes,
                                              std::uint64_t last) noexcept {
        const rank_line_shape& shape = line.shape();
        line_registers bytes = line_registers::of(line.data());
        bytes.close(at, shape.cells(), last & 0xff);
        store(line, bytes, indexes, [&](unsigned plane, std::uint64_t old) MEMBRANE_RANK_LAMBDA {
            return with_bit_removed(old, at) | (last >> (8 + plane) & 1) << (shape.cells() - 1);
        });
    }

    // The bytes of the cells, the planes, each as `new_plane` makes it of the old one, and the indexes.
    template <class NewPlane>
    MEMBRANE_RANK_CODE static void store(rank_line& line, const line_registers& bytes,
                                         const line_indexes& indexes, const NewPlane& new_plane) noexcept {
        const rank_line_shape& shape = line.shape();
        if (planes(shape) == 0) return store(line, bytes, indexes);
        // All is read before anything is written: a word that is read across two that were just written would wait for both.
        std::uint64_t all[most_planes];
        for (unsigned plane = 0; plane < planes(shape); ++plane)
            all[plane] =
                cut_at(new_plane(plane, cut_at(run(line, (8 + plane) * shape.cells()), shape.cells())),
                       shape.cells());
        const std::uint64_t mark = line.last_word() >> 63;
        bytes.store(line.data());
        run_writer to(line.data() + shape.cells());
        for (unsigned plane = 0; plane < planes(shape); ++plane) to.append(all[plane], shape.cells());
        to.append_zeros(shape.continues_at() - shape.plane_at(planes(shape)));
        to.append(indexes.continues, shape.cells());
        to.append(indexes.used | mark << shape.chains(), shape.chains() + 1);
        to.finish();
    }
    // The bytes and the indexes of a line without planes.
    MEMBRANE_RANK_CODE static void store(rank_line& line, line_registers bytes,
                                         const line_indexes& indexes) noexcept {
        const rank_line_shape& shape = line.shape();
        const unsigned chains = shape.chains();
        if (continues_in_bytes(shape)) bytes.put_signs(indexes.continues, shape.cells());
        auto [sixth, last] = bytes.last_words();
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
        bytes.store_other_words(to);
        store_le(to + 48, sixth);
        store_le(to + 56, last);
    }

    // The bytes without what is no fingerprint.
    MEMBRANE_RANK_CODE static line_registers values_of(const rank_line& line) noexcept {
        const line_registers bytes = line_registers::of(line.data());
        return continues_in_bytes(line.shape()) ? bytes.without_signs() : bytes;
    }
    // All ones in the bytes that equal the fingerprint's lowest bits.
    MEMBRANE_RANK_CODE static line_registers equal_bytes_of(const rank_line& line,
                                                            std::uint64_t fingerprint) noexcept {
        return values_of(line).equal_to(fingerprint);
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
