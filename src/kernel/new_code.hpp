// The operations of a view compiled once more, for machines that have AVX2 and what came with it. For views that count and
// move bits (`counts_bits`), which takes a dozen instructions each without popcnt and its like. Lookups have rank_find beside.
#pragma once

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_AVX2)

#include <membrane/filter/ask_ring.hpp>
#include <membrane/filter/batch.hpp>

#include "kernel/rank_find.hpp"

namespace membrane::kernel {

template <class View>
inline constexpr bool has_new_code = requires {
    View::counts_bits;
};

template <class View>
struct new_code {
    MEMBRANE_NEW_CODE static bool insert(void* view, key_hash hash) {
        return static_cast<View*>(view)->insert(hash);
    }
    MEMBRANE_NEW_CODE static std::size_t insert_many(void* view, std::span<const key_hash> hashes) {
        return membrane::insert_many(*static_cast<View*>(view), hashes);
    }
    MEMBRANE_NEW_CODE static bool may_contain(const void* view, key_hash hash) {
        return static_cast<const View*>(view)->may_contain(hash, rank_find{});
    }
    MEMBRANE_NEW_CODE static std::size_t may_contain_many(const void* view, std::span<const key_hash> hashes,
                                                          std::span<std::uint64_t> answers) {
        return ask_in_ring(static_cast<const View*>(view)->steps(rank_find{}), hashes, answers);
    }
    MEMBRANE_NEW_CODE static bool erase(void* view, key_hash hash) requires requires(View& present) {
        present.erase(hash);
    }
    { return static_cast<View*>(view)->erase(hash); }
};

}  // namespace membrane::kernel

#endif
