// balanced_rank compiled once more, for machines that have AVX2 and what came with it, or NEON, with lines worked on by
// rank_code. The lines of the usual rates have code of their own (kind/balanced_rank/planned_lines.hpp), and so have others with fingerprints of
// as many bits.
#pragma once

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

#include <membrane/part/batch_ring.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/kind/balanced_rank/planned_lines.hpp>
#include <membrane/kind/balanced_rank/address.hpp>

#include <membrane/kind/balanced_rank/rank_code.hpp>

namespace membrane::kernel {

template <class View>
inline constexpr bool has_new_code = requires {
    View::counts_bits;
};

using code_of_any = rank_code<0>;
template <class View, unsigned Bits>
using code_of_bits = rank_code<Bits, View::second_bits(Bits)>;
template <class View, unsigned Bits>
using code_of_planned = planned_rank_code<Bits, View::is_erasable>;

// Functions of their own for each code, and the second table behind a call: what ends in the first saves no registers.
template <class View, class Code>
struct coded {
    using code = Code;

    static bool suits(const filter_spec& spec) noexcept {
        return code::suits(first_shape(spec)) && code::second::suits(second_shape(spec));
    }

    // For a table in the cache, where a branch that is taken at random costs most.
    MEMBRANE_NEW_CODE static bool may_contain_near(const void* view, key_hash hash) {
        const auto step = steps(view);
        const rank_address at = step.asked_of(hash);
        if (step.is_there(at)) return true;
        return step.is_further(at)
                   ? looks_further(view, step.line_of(at), at.entry.chain, at.entry.fingerprint)
                   : false;
    }
    // For a table in memory.
    MEMBRANE_NEW_CODE static bool may_contain_far(const void* view, key_hash hash) {
        const auto step = steps(view);
        const rank_address at = step.asked_of(hash);
        if (step.has_alike(at) && step.is_there(at)) return true;
        return step.is_further(at)
                   ? looks_further(view, step.line_of(at), at.entry.chain, at.entry.fingerprint)
                   : false;
    }
    MEMBRANE_NEW_CODE static std::size_t many_near(const void* view, std::span<const key_hash> hashes,
                                                   std::span<std::uint64_t> answers) {
        return ask_in_ring(static_cast<const View*>(view)->near_steps(code{}), hashes, answers);
    }
    MEMBRANE_NEW_CODE static std::size_t many_far(const void* view, std::span<const key_hash> hashes,
                                                  std::span<std::uint64_t> answers) {
        return ask_in_ring(steps(view), hashes, answers);
    }
    MEMBRANE_NEW_CODE static bool insert(void* view, key_hash hash) {
        const line_offer found = static_cast<View*>(view)->offer(hash, code{});
        return found <= line_offer::present || insert_apart(view, found, hash);
    }
    MEMBRANE_NEW_CODE static std::size_t insert_many(void* view, std::span<const key_hash> hashes) {
        return membrane::insert_many(*static_cast<View*>(view), hashes, code{});
    }
    MEMBRANE_NEW_CODE static bool insert_all(void* view, const hash_batches& hashes, unsigned threads) {
        return membrane::insert_all(*static_cast<View*>(view), hashes, threads, code{});
    }
    MEMBRANE_NEW_CODE static bool erase(void* view, key_hash hash) requires requires(View& present) {
        present.erase(hash);
    }
    { return static_cast<View*>(view)->erase(hash, code{}); }
    MEMBRANE_NEW_CODE static std::size_t erase_many(void* view, std::span<const key_hash> hashes) requires
        requires(View& present, key_hash hash) {
        present.erase(hash);
    }
    { return membrane::erase_many(*static_cast<View*>(view), hashes, code{}); }

private:
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool insert_apart(void* view, line_offer found,
                                                                 key_hash hash) {
        return static_cast<View*>(view)->insert_after(found, hash, code{});
    }
    // The address is made again from the line, which is in a register anyway.
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool looks_further(const void* view, const std::byte* line,
                                                                  std::uint64_t chain,
                                                                  std::uint64_t fingerprint) {
        const auto step = steps(view);
        return step.looks_further({step.number_of(line), {chain, fingerprint}});
    }
    static auto steps(const void* view) { return static_cast<const View*>(view)->steps(code{}); }
};

}  // namespace membrane::kernel

#endif
