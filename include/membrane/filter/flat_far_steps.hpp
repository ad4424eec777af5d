// Many lookups in a flat array in memory, for filter/ask_ring.hpp: the first two cells of every key are asked for ahead, and a few
// more of the keys whose two are in use, which are a quarter of the strangers. All of them, where most keys are members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <membrane/filter/ask_ring.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

template <class FlatView>
struct flat_far_steps {
    static constexpr std::size_t first_cells = 2, kept_cells = 4;
    struct place {
        std::uint64_t cells[kept_cells];
    };
    static constexpr bool has_next = true;
    static constexpr bool has_glance = false;
    static constexpr std::size_t keys_together = 1;

    void start(place& at, key_hash hash) const noexcept { ask_for(at, hash, 0, first_cells); }
    first_look look(const place& at, key_hash) const noexcept {
        const std::uint64_t are_used = are_all_used(at, 0, first_cells);
        return {view.k_ <= first_cells ? are_used : 0, are_used};
    }
    void next(place& at, key_hash hash) const noexcept {
        ask_for(at, hash, first_cells, are_members ? FlatView::most_probes : kept_cells);
    }
    bool settle(const place& at, key_hash hash) const noexcept {
        return are_all_used(at, first_cells, kept_cells) != 0 && view.may_contain(hash);
    }
    void expect(bool many) noexcept { are_members = many; }

    // Cells `first` to `last` - 1 of the key, and keeps which they are; a cell that the key has not is its first.
    void ask_for(place& at, key_hash hash, std::size_t first, std::size_t last) const noexcept {
        const std::size_t kept = std::min(last, kept_cells);
        std::size_t number = 0;
        view.probe_.all_of(hash, [&](std::uint64_t position) {
            if (number >= first) {
                const std::uint64_t cell = view.folded(position);
                view.cells_.prefetch_far(cell);
                if (number < kept) at.cells[number] = cell;
            }
            return ++number != last;
        });
        for (; number < kept; ++number) at.cells[number] = at.cells[0];
    }
    std::uint64_t are_all_used(const place& at, std::size_t first, std::size_t last) const noexcept {
        std::uint64_t all = 1;
        for (std::size_t i = first; i < last; ++i) all &= view.cells_.test(at.cells[i]) ? 1u : 0u;
        return all;
    }

    const FlatView& view;
    bool are_members = false;
};

}  // namespace membrane
