// Lookups of blocked_bloom and balanced_bloom with the vector instructions of the machine: one by one, and many in the ring of
// part/batch_ring.hpp. How a block is tested is block_lanes.hpp (AVX2) or block_neon.hpp.
#pragma once

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <membrane/part/batch_ring.hpp>
#include <membrane/kind/balanced_bloom/view.hpp>
#include <membrane/kind/blocked_bloom/view.hpp>

#include "kernel/block_lanes.hpp"
#include "kernel/block_neon.hpp"

namespace membrane::kernel {

struct block_test_in_lanes {
    static constexpr bool has_glance = true;

    template <unsigned Bits>
    MEMBRANE_VECTOR_CODE bool operator()(const bloom_block<Bits>& block, key_hash hash,
                                         std::uint64_t k) const noexcept {
        return holds_in_lanes(block, hash, k);
    }
    // The first eight bits alone: most strangers lack one of them.
    template <unsigned Bits>
    MEMBRANE_VECTOR_CODE bool glance(const bloom_block<Bits>& block, key_hash hash,
                                     std::uint64_t k) const noexcept {
        return holds_in_lanes(block, hash, std::min<std::uint64_t>(k, 8));
    }
};

template <unsigned Bits>
struct anywhere_test_in_lanes {
    MEMBRANE_VECTOR_CODE bool operator()(const std::byte* block, key_hash hash) const noexcept {
        return holds_in_lanes<Bits>(block, hash, k);
    }
    std::uint64_t k;
};

template <class View>
inline constexpr bool has_block_lanes = false;
template <unsigned Bits, unsigned LaneBits>
inline constexpr bool has_block_lanes<blocked_bloom_view<Bits, LaneBits>> = true;
template <unsigned Bits, class Placement>
inline constexpr bool has_block_lanes<balanced_bloom_view<Bits, Placement>> = true;

// The view in code for the new instructions: itself, or one of the same bytes.
template <class View>
View& in_new_code(View& view) noexcept {
    return view;
}
template <unsigned Bits, unsigned LaneBits>
requires(LaneBits != 0) auto in_new_code(const blocked_bloom_view<Bits, LaneBits>& view) noexcept {
    return blocked_bloom_view<Bits, LaneBits, vector_code>(view);
}
template <unsigned Bits, unsigned LaneBits>
requires(LaneBits != 0) auto in_new_code(blocked_bloom_view<Bits, LaneBits>& view) noexcept {
    return in_new_code(std::as_const(view));
}

template <unsigned Bits, unsigned LaneBits>
[[gnu::flatten]] MEMBRANE_VECTOR_CODE bool may_contain_in_lanes(
    const blocked_bloom_view<Bits, LaneBits>& view, key_hash hash) noexcept {
    if constexpr (LaneBits != 0) return in_new_code(view).may_contain(hash);
    else return holds_in_lanes<Bits>(view.block_of(hash), hash, view.k());
}
template <class View>
[[gnu::noinline]] MEMBRANE_VECTOR_CODE bool looks_further_in_lanes(const View& view, key_hash hash) noexcept {
    return view.may_contain(hash, block_test_in_lanes{});
}
// What few lookups need stands behind a call, where the others do not pay for its registers.
template <unsigned Bits, class Placement>
[[gnu::flatten]] MEMBRANE_VECTOR_CODE bool may_contain_in_lanes(
    const balanced_bloom_view<Bits, Placement>& view, key_hash hash) noexcept {
    using answer = typename balanced_bloom_view<Bits, Placement>::answer;
    const answer found = view.look_first(hash, block_test_in_lanes{});
    return found == answer::go_on ? looks_further_in_lanes(view, hash) : found == answer::yes;
}

// may_contain_many of part/batch.hpp.
template <unsigned Bits, unsigned LaneBits>
[[gnu::flatten]] MEMBRANE_VECTOR_CODE std::size_t ask_in_lanes(const blocked_bloom_view<Bits, LaneBits>& view,
                                                               std::span<const key_hash> hashes,
                                                               std::span<std::uint64_t> answers) noexcept {
    if constexpr (LaneBits != 0) return ask_in_ring(in_new_code(view).steps(), hashes, answers);
    else return ask_in_ring(view.steps(anywhere_test_in_lanes<Bits>{view.k()}), hashes, answers);
}
template <unsigned Bits, class Placement>
[[gnu::flatten]] MEMBRANE_VECTOR_CODE std::size_t ask_in_lanes(
    const balanced_bloom_view<Bits, Placement>& view, std::span<const key_hash> hashes,
    std::span<std::uint64_t> answers) noexcept {
    return ask_in_ring(view.steps(block_test_in_lanes{}), hashes, answers);
}

}  // namespace membrane::kernel

#endif
