// choice_bloom with probes=blocked: all groups of a key lie in one block of 512 bits, so further choices cost no further memory
// access (two choices, section 5, dependent groups). With one choice the bits equal those of blocked_bloom with lanes=none.
//
// A test of a group branches once per hash word, that is per seven positions. About 1 % of non-members' groups pass the first
// word, so the branch is well predicted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <membrane/base/target.hpp>
#include <membrane/kind/choice_bloom/array.hpp>
#include <membrane/part/block_likelihood.hpp>
#include <membrane/part/probe/block_probe.hpp>

MEMBRANE_TARGET_BEGIN

class blocked_choice_view : public choice_array<block_probe> {
public:
    using choice_array<block_probe>::choice_array;

    bool may_contain(key_hash hash) const noexcept {
        const std::byte* const block = block_of(hash);
        for (std::uint64_t g = 0; g < choices_; ++g)
            if (is_covered(block, hash, stream::block_bits + streams_of(g))) return true;
        return false;
    }

    void prefetch(key_hash hash) const noexcept { prefetch_for_read(block_of(hash)); }
    void prefetch_insert(key_hash hash) const noexcept { prefetch_for_write(block_of(hash)); }

    template <class Visit>
    void trace_lookup(key_hash hash, Visit&& visit) const noexcept {
        visit(static_cast<std::uint64_t>(block_of(hash) - cells_.data()));
    }

    // Exact for the present contents, because a non-member hits each block with the same probability.
    double estimated_fpr_now() const {
        const auto by_fill = blocks_by_fill<block_bits>(cells_);
        double sum = 0;
        for (std::size_t x = 0; x < by_fill.size(); ++x) {
            const double one_group = std::pow(static_cast<double>(x) / block_bits, static_cast<double>(k_));
            sum -= static_cast<double>(by_fill[x]) *
                   std::expm1(static_cast<double>(choices_) * std::log1p(-one_group));
        }
        const std::uint64_t blocks = size_ / block_bits;
        return sum / static_cast<double>(blocks) + 0.0;  // never -0
    }

    // Assumes online insertion. Offline rounds leave fewer ones; the estimate is then a lower bound.
    double estimated_size() const {
        return estimated_keys_by_fill(blocks_by_fill<block_bits>(cells_), {.k = k_, .choices = choices_});
    }

private:
    static constexpr std::uint64_t block_bits = block_probe::block_bits;
    static_assert(block_bits == choice_block_bits);
    using positions = positions_in_block<block_bits>;

    const std::byte* block_of(key_hash hash) const noexcept {
        return cells_.data() + probe_.block_of(hash) * (block_bits / 8);
    }

    bool is_covered(const std::byte* block, key_hash hash, std::uint64_t number) const noexcept {
        std::uint64_t left = k_;
        for (; left >= positions::per_word; left -= positions::per_word)
            if (!are_set(block, remix(hash, number++), positions::per_word)) return false;
        return left == 0 || are_set(block, remix(hash, number), left);
    }
    static bool are_set(const std::byte* block, std::uint64_t word, std::uint64_t count) noexcept {
        unsigned all = 1;
        for (; count != 0; --count, word >>= positions::bits) {
            const std::uint64_t bit = positions::lowest(word);
            all &= std::to_integer<unsigned>(block[bit >> 3]) >> (bit & 7);
        }
        return all != 0;
    }
};

MEMBRANE_TARGET_END
