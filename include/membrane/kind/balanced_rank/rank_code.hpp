// Rank-indexed lines with AVX2, BMI2 and popcnt, or with NEON: what rank_line does. Searching is rank_search.hpp; here lines are changed,
// their cells moved in registers. The bytes are those that the line leaves, bit for bit; lines without bytes (R < 7) are left to it.
#pragma once

#include <membrane/base/instructions.hpp>

#if defined(MEMBRANE_HAVE_KERNELS)

#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/kind/balanced_rank/line_code.hpp>
#include <membrane/kind/balanced_rank/rank_search.hpp>
#include <membrane/kind/balanced_rank/run_writer.hpp>

namespace membrane {

// Bits: those of a fingerprint, and of one of the second table, where they are known to the compiler; 0: the shape tells. IsTight:
// so is that lines of the first table are tight. Shape, SecondShape: so are all numbers of the lines, or nullptr.
template <unsigned Bits, unsigned SecondBits = 0, bool IsTight = false,
          const rank_line_shape* Shape = nullptr, const rank_line_shape* SecondShape = nullptr>
struct rank_code : rank_search<Bits, IsTight, Shape> {
    using second = rank_code<SecondBits, 0, false, SecondShape>;

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
    // The same by the fewest instructions, for entries that are nearly always new and lines that are seldom full.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static line_offer quick_offer(rank_line& line, line_entry added) noexcept {
        if (IsTight || (Bits == 8 && line.shape().is_tight()))
            return rank_code<8, 0, true, Shape>::template put_at_once<KeepsEqual>(line, added);
        return offer<KeepsEqual>(line, added);
    }
    // The largest entry of a full line, which is above the new one, drops out.
    MEMBRANE_RANK_CODE static void insert(rank_line& line, line_entry added) noexcept {
        const rank_line_shape& shape = line.shape();
        if (!has_bytes(shape)) return line.insert(added);
        line_indexes now = indexes_of(line);
        if (now.count() == shape.cells()) now.drop_last(shape.cells());
        put_instead(line, added, now.cells_of(added.chain), now);
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
    template <unsigned, unsigned, bool, const rank_line_shape*, const rank_line_shape*>
    friend struct rank_code;

    using search = rank_search<Bits, IsTight, Shape>;
    using line_indexes = typename search::line_indexes;
    using search::has_bytes, search::continues_in_bytes, search::planes, search::indexes_of,
        search::indexes_with_mark, search::run, search::cells_not_above, search::equal_cells;
    static constexpr unsigned most_planes = 24;  // of 32 bits

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
    // The same in a tight line, where whether there is room, or the entry, is asked on the way.
    template <bool KeepsEqual>
    MEMBRANE_RANK_CODE static line_offer put_at_once(rank_line& line, line_entry added) noexcept {
        const rank_line_shape& shape = line.shape();
        std::byte* const to = line.data();
        const unsigned cells = shape.cells();
        const std::uint64_t continues = cut_at(search::continues_of(line), cells);
        const std::uint64_t used = search::used_with_mark(line);
        if (count_ones(used) + count_ones(continues) >= cells) return line_offer::undecided;
        const std::uint64_t chain = shape.chain_bit(added.chain);
        const std::uint64_t first = start_of_chain(used | chain, chain, continues);
        const std::uint64_t start = start_of_chain(used, chain, continues);
        // Behind all cells of the chain that are below the entry: at the next that is not, or where another chain begins.
        line_registers bytes = line_registers::of(to);
        const std::uint64_t others = ~(continues << 1) ^ start;
        const unsigned at = lowest_one((bytes.not_below(added.fingerprint).signs() | others) & (0 - first));
        // The same entry, or now and then an equal byte of another chain or of an empty cell.
        if (!KeepsEqual && to[at] == static_cast<std::byte>(added.fingerprint)) return line_offer::undecided;
        const std::uint64_t now = with_zero_at(continues, first) | start;
        bytes.open(at, 64, added.fingerprint & 0xff);
        bytes.store(to);
        // The eight bytes of `continues` end within the last word, which is written behind them.
        store_le(to + cells, now);
        store_le(to + 56, used | chain | now >> (8 * (56 - cells)));
        return line_offer::taken;
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
};

}  // namespace membrane

#endif
