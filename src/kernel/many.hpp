// may_contain and may_contain_many with the fastest kernel that this machine has; the portable ones for every view
// without a kernel.
#pragma once

#include <membrane/part/batch.hpp>

#include "kernel/block_lookups.hpp"
#include "kernel/flat_lanes.hpp"
#include "kernel/level.hpp"

namespace membrane::kernel {

using single_lookup = bool (*)(const void* view, key_hash);

#if defined(MEMBRANE_HAVE_KERNELS)
template <class View>
[[gnu::flatten]] MEMBRANE_VECTOR_CODE bool single_in_lanes(const void* view, key_hash hash) {
    return may_contain_in_lanes(*static_cast<const View*>(view), hash);
}

// Insertions into blocks, with the shifts and bit counts that came with AVX2.
template <class View>
MEMBRANE_NEW_CODE bool insert_into_block(void* view, key_hash hash) {
    return in_new_code(*static_cast<View*>(view)).insert(hash);
}
template <class View>
MEMBRANE_NEW_CODE std::size_t insert_many_blocks(void* view, std::span<const key_hash> hashes) {
    auto&& fast = in_new_code(*static_cast<View*>(view));
    return membrane::insert_many(fast, hashes);
}
template <class View>
MEMBRANE_NEW_CODE bool insert_all_blocks(void* view, const hash_batches& hashes, unsigned threads) {
    auto&& fast = in_new_code(*static_cast<View*>(view));
    return membrane::insert_all(fast, hashes, threads);
}
#endif

#if defined(MEMBRANE_HAVE_AVX2)
// Arrays in memory: the same walk, with the shifts and multiplications that came with AVX2.
template <class View>
MEMBRANE_NEW_CODE std::size_t ask_in_memory(const View& view, std::span<const key_hash> hashes,
                                            std::span<std::uint64_t> answers) noexcept {
    return view.ask_in_memory(hashes, answers);
}
#endif

#if defined(MEMBRANE_HAVE_KERNELS)
// One key of a flat array of any size, with those instructions and in one function.
template <class View>
MEMBRANE_NEW_CODE bool single_in_new_code(const void* view, key_hash hash) {
    return static_cast<const View*>(view)->may_contain(hash);
}
#endif

// Null: the view's own may_contain is the best.
template <class View>
single_lookup best_single_lookup() noexcept {
#if defined(MEMBRANE_HAVE_KERNELS)
    if constexpr (has_block_lanes<View>)
        if (has_kernels()) return &single_in_lanes<View>;
    if constexpr (requires(const View& view) { view.is_in_memory(); })
        if (has_kernels()) return &single_in_new_code<View>;
#endif
    return nullptr;
}

template <class View>
std::size_t may_contain_many(const View& view, std::span<const key_hash> hashes,
                             std::span<std::uint64_t> answers) noexcept {
#if defined(MEMBRANE_HAVE_AVX2)
    if constexpr (requires { view.is_in_memory(); })
        if (active_level() == level::avx2 && view.is_in_memory()) return ask_in_memory(view, hashes, answers);
    if constexpr (has_flat_lanes<View>)
        if (active_level() == level::avx2 && !view.is_in_memory() && fits_lanes(view.shape()))
            return ask_in_lanes(view, hashes, answers);
#endif
#if defined(MEMBRANE_HAVE_KERNELS)
    if constexpr (has_block_lanes<View>)
        if (has_kernels()) return ask_in_lanes(view, hashes, answers);
#endif
    return membrane::may_contain_many(view, hashes, answers);
}

}  // namespace membrane::kernel
