// Many lookups in a flat array in memory, for part/batch_ring.hpp: the first two cells of every key are asked for ahead, two more of
// the keys whose two are in use, which are a quarter of the strangers, and three more of the sixteenth whose four are. All of
// them, where most keys are members.
//
// IsUsual: an array that is not folded, and keys with at least as many cells as are asked for. The others pay for what they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/part/batch_ring.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

template <class FlatView, bool IsUsual>
struct flat_far_steps {
    static constexpr std::size_t first_cells = 2, next_cells = 2, last_cells = 3;
    static constexpr std::size_t usual_cells = first_cells + next_cells + last_cells;
    struct place {
        std::uint64_t cells[last_cells];  // those that were asked for last
    };
    static constexpr bool has_next = true;
    static constexpr bool has_glance = false;
    static constexpr std::size_t keys_together = 1;

    void start(place& at, key_hash hash) const noexcept { ask_for<0, first_cells>(at, hash); }
    first_look look(const place& at, key_hash) const noexcept {
        const std::uint64_t are_used = are_all_used<first_cells>(at);
        return {IsUsual || view.k_ > first_cells ? 0 : are_used, are_used};
    }
    void next(place& at, key_hash hash) const noexcept {
        ask_for<first_cells, next_cells>(at, hash);
        if (are_members) ask_for_more(hash);
    }
    first_look settle(const place& at, key_hash hash) const noexcept {
        const std::uint64_t are_used = are_all_used<next_cells>(at);
        if (!are_members) return {0, are_used};
        return {are_used != 0 && view.may_contain(hash) ? 1u : 0u, 0};
    }
    void last(place& at, key_hash hash) const noexcept {
        ask_for<first_cells + next_cells, last_cells>(at, hash);
    }
    bool finish(const place& at, key_hash hash) const noexcept {
        return are_all_used<last_cells>(at) != 0 && view.may_contain(hash);
    }
    void expect(bool many) noexcept { are_members = many; }

    // So many cells of the key behind the first `Skipped`. A cell that the key has not is one that is looked at anyway, or was.
    template <std::size_t Skipped, std::size_t Count>
    void ask_for(place& at, key_hash hash) const noexcept {
        auto walk = view.probe_.places(hash);
        for (std::size_t i = 0; i < Skipped; ++i) walk.next();
        for (std::size_t i = 0; i < Count; ++i) {
            std::uint64_t cell = walk.next().position();
            if constexpr (!IsUsual) cell = Skipped + i < view.k_ ? view.folded(cell) : at.cells[0];
            view.cells_.prefetch_far(cell);
            at.cells[i] = cell;
        }
    }
    void ask_for_more(key_hash hash) const noexcept {
        std::size_t number = 0;
        view.probe_.all_of(hash, [&](std::uint64_t position) {
            if (number++ >= first_cells + next_cells) view.cells_.prefetch_far(view.folded(position));
            return true;
        });
    }
    template <std::size_t Count>
    std::uint64_t are_all_used(const place& at) const noexcept {
        std::uint64_t all = 1;
        for (std::size_t i = 0; i < Count; ++i) all &= view.cells_.test(at.cells[i]) ? 1u : 0u;
        return all;
    }

    const FlatView& view;
    bool are_members = false;
};

}  // namespace membrane
