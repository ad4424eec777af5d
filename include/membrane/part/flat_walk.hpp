// The walk of a batch in a flat array in memory, in three rounds: the first two cells of every key; two more of the keys whose two
// are used, a quarter of those that are absent; three more of the sixteenth whose four are used; then the rest. Where most keys of
// a word are members, the second round prefetches all cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/hash/key_hash.hpp>
#include <membrane/part/batch_lookup.hpp>

MEMBRANE_TARGET_BEGIN

template <class FlatView>
class flat_walk {
    static constexpr std::size_t cells_in_round[] = {2, 2, 3};
    static constexpr std::size_t cells_before[] = {0, 2, 4};

public:
    explicit flat_walk(const FlatView& view) noexcept : view_(view) {}

    static constexpr unsigned rounds = 3;
    static constexpr bool has_quick_look = false;
    static constexpr std::size_t group = 1;
    struct place {
        std::uint64_t cells[3];  // prefetched last
    };

    void start(place& at, const key_hash& hash) const noexcept { prefetch<0>(at, hash); }
    look_result look(const place& at, const key_hash&) const noexcept {
        const std::uint64_t are_used = are_all_used<0>(at);
        return {view_.k_ > cells_before[1] ? 0 : are_used, are_used};
    }
    template <unsigned Round>
    bool next(place& at, const key_hash& hash) const noexcept {
        prefetch<Round>(at, hash);
        if (Round == 1 && are_members_) prefetch_rest(hash);
        return true;
    }
    template <unsigned Round>
    look_result look_again(const place& at, const key_hash& hash) const noexcept {
        const std::uint64_t are_used = are_all_used<Round>(at);
        if (Round == 1 && !are_members_) return {0, are_used};
        return {are_used != 0 && view_.may_contain(hash) ? 1u : 0u, 0};
    }
    void expect_members(bool many) noexcept { are_members_ = many; }

private:
    // A cell beyond the key's k is replaced by one that is looked at anyway.
    template <unsigned Round>
    void prefetch(place& at, const key_hash& hash) const noexcept {
        auto places = view_.probe_.places(hash);
        for (std::size_t i = 0; i < cells_before[Round]; ++i) places.next();
        for (std::size_t i = 0; i < cells_in_round[Round]; ++i) {
            const std::uint64_t cell = view_.folded(places.next().position());
            at.cells[i] = cells_before[Round] + i < view_.k_ ? cell : at.cells[0];
            view_.cells_.prefetch_far(at.cells[i]);
        }
    }
    void prefetch_rest(const key_hash& hash) const noexcept {
        std::size_t number = 0;
        view_.probe_.all_of(hash, [&](std::uint64_t position) {
            if (number++ >= cells_before[2]) view_.cells_.prefetch_far(view_.folded(position));
            return true;
        });
    }
    template <unsigned Round>
    std::uint64_t are_all_used(const place& at) const noexcept {
        std::uint64_t all = 1;
        for (std::size_t i = 0; i < cells_in_round[Round]; ++i)
            all &= view_.cells_.test(at.cells[i]) ? 1u : 0u;
        return all;
    }

    const FlatView& view_;
    bool are_members_ = false;
};

MEMBRANE_TARGET_END
