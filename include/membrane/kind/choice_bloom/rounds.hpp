// Offline construction: all keys are placed jointly, in rounds. In each round every key leaves its group and takes the group that
// needs the fewest bits that no other key holds; ties are broken at random. Two searches: the paper's greedy rounds, and
// annealing, which in early rounds takes a group with d more bits than the best with weight e^(-d/T), T falling linearly to 0.
// 40 annealed rounds are as good as 160 greedy ones (doc/decisions/0008).
//
// An 8-bit counter per bit of the filter says how many keys hold the bit. A counter that reached 255 is saturated: it is never
// decremented again. Keys decide in blocks of 1/64 of the keys, all against the counters at the block's start; then the
// decisions are applied in order. So several threads can decide for one block, and the result does not depend on their number.
// The filter keeps the bits of the final choices; counters and choices are scratch memory.
// Source: two choices, section 4.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/checked_math.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/threads.hpp>
#include <membrane/hash/integer_hash.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/part/bit_span.hpp>
#include <membrane/part/probe/place.hpp>

MEMBRANE_TARGET_BEGIN

template <class Probe>
class choice_rounds {
public:
    struct shape {
        Probe probe;
        std::uint64_t size_bits, k, choices;
        bool is_annealed;
    };

    // Scratch memory in addition to the hashes and the filter: a byte per bit, a byte per key and a block of decisions.
    static std::optional<std::uint64_t> scratch_bytes(std::uint64_t size_bits, std::uint64_t keys) {
        return checked_add(size_bits, keys + keys / blocks_in_round + 1);
    }

    static result<choice_rounds> create(const shape& filter, std::span<const key_hash> hashes) {
        auto counters = aligned_buffer::zeroed(filter.size_bits);
        if (!counters) return counters.error();
        auto chosen = aligned_buffer::zeroed(hashes.size());
        if (!chosen) return chosen.error();
        auto decisions = aligned_buffer::zeroed(block_keys_of(hashes.size()));
        if (!decisions) return decisions.error();
        return choice_rounds(filter, hashes, std::move(*counters), std::move(*chosen), std::move(*decisions));
    }

    // Starts with the first covered group of each key. An error if a key has none: then it is not in the filter.
    result<void> start_from(const bit_span& bits) {
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            std::uint64_t g = 0;
            while (g < filter_.choices && !is_covered(bits, i, g)) ++g;
            if (g == filter_.choices)
                return make_error(errc::bad_field, "keys")
                    .with_found(i)
                    .with_note("a key is not in the filter: give the keys that it was built from");
            move_to_group(i, static_cast<std::uint8_t>(g));
        }
        return {};
    }

    rounds_report run(const rounds_request& request) {
        rounds_report report;
        std::uint64_t ones = 0;
        for (std::uint64_t round = 0; round < request.rounds; ++round) {
            const double left = request.rounds > 1
                                    ? 1 - static_cast<double>(round) / static_cast<double>(request.rounds - 1)
                                    : 0;
            set_weights(filter_.is_annealed ? first_temperature * left : 0);
            round_seed_ = finalise64(request.seed + finalise64(round));
            make_round(request);
            ++report.rounds;
            if (filter_.is_annealed || request.least_gain <= 0) continue;
            const std::uint64_t before = ones;
            ones = used_counters();
            if (round != 0 && static_cast<double>(before) - static_cast<double>(ones) <
                                  request.least_gain * static_cast<double>(before))
                break;
        }
        return report;
    }

    // Writes the union of the chosen groups. Not the nonzero counters: a saturated counter may stand for a bit no longer held.
    void write(bit_span bits) const {
        for (std::uint64_t i = 0; i < bits.words(); ++i) bits.set_word(i, 0);
        for (std::size_t i = 0; i < hashes_.size(); ++i)
            for_each_place(i, chosen(i), [&](place at) { bits.set(at.position()); });
    }

    // The number of bits that at least one key holds.
    std::uint64_t used_counters() const {
        return filter_.size_bits - static_cast<std::uint64_t>(std::count(
                                       counters_.data(), counters_.data() + filter_.size_bits, std::byte{0}));
    }

private:
    static constexpr std::uint8_t no_group = 255;
    static constexpr std::uint8_t saturated = 255;
    static constexpr double first_temperature = 0.8;
    static constexpr std::uint64_t blocks_in_round = 64;
    static constexpr std::size_t least_keys_per_thread =
        1024;  // keys per thread and block; with fewer, starting a thread costs more than it saves

    choice_rounds(const shape& filter, std::span<const key_hash> hashes, aligned_buffer counters,
                  aligned_buffer chosen, aligned_buffer decisions)
        : filter_(filter),
          hashes_(hashes),
          counters_(std::move(counters)),
          chosen_(std::move(chosen)),
          decisions_(std::move(decisions)) {
        std::fill_n(chosen_.data(), hashes_.size(), std::byte{no_group});
    }

    static std::size_t block_keys_of(std::size_t keys) {
        return std::max<std::size_t>(1, keys / blocks_in_round);
    }

    std::uint8_t counter(std::uint64_t bit) const {
        return std::to_integer<std::uint8_t>(counters_.data()[bit]);
    }
    std::uint8_t chosen(std::size_t i) const { return std::to_integer<std::uint8_t>(chosen_.data()[i]); }

    template <class Visit>
    void for_each_place(std::size_t i, std::uint64_t g, const Visit& visit) const {
        auto walk = filter_.probe.places(hashes_[i], stream::group * g);
        for (std::uint64_t j = 0; j < filter_.k; ++j) visit(walk.next());
    }

    bool is_covered(const bit_span& bits, std::size_t i, std::uint64_t g) const {
        std::uint64_t all = 1;
        for_each_place(i, g, [&](place at) { all &= bits.is_used(at.word, at.cell); });
        return (all & 1) != 0;
    }

    void move_to_group(std::size_t i, std::uint8_t to) {
        const std::uint8_t from = chosen(i);
        std::byte* const counters = counters_.data();
        if (from != no_group)
            for_each_place(i, from, [&](place at) {
                std::byte& held = counters[at.position()];
                if (held != std::byte{saturated}) held = std::byte(std::to_integer<std::uint8_t>(held) - 1);
            });
        for_each_place(i, to, [&](place at) {
            std::byte& held = counters[at.position()];
            if (held != std::byte{saturated}) held = std::byte(std::to_integer<std::uint8_t>(held) + 1);
        });
        chosen_.data()[i] = std::byte{to};
    }

    // The number of distinct bits of group g that no other key holds.
    std::uint64_t bits_needed(std::size_t i, std::uint64_t g) const {
        const bool is_own = chosen(i) == g;
        std::array<std::uint64_t, 64> found;
        std::uint64_t places[64];
        std::uint64_t count = 0, seen = 0;
        for_each_place(i, g, [&](place at) {
            const std::uint64_t bit = at.position();
            places[seen++] = bit;
            const std::uint8_t held = counter(bit);
            bool is_needed = held == (is_own ? 1 : 0);
            if constexpr (!Probe::distinct)
                if (is_own && held > 1 && held <= filter_.k)  // may all be repeated positions of this key
                    is_needed = held == std::count(places, places + seen, bit);
            if (!is_needed) return;
            if (Probe::distinct ||
                std::find(found.begin(), found.begin() + count, bit) == found.begin() + count)
                found[count++] = bit;
        });
        return count;
    }

    // weights_[d] = 2^32 e^(-d/T) for d bits more than the best group needs.
    void set_weights(double temperature) {
        weights_.fill(0);
        weights_[0] = std::uint64_t{1} << 32;
        for (std::size_t d = 1; d < weights_.size() && temperature > 0; ++d)
            weights_[d] =
                static_cast<std::uint64_t>(0x1p32 * std::exp(-static_cast<double>(d) / temperature));
    }

    std::uint8_t decide(std::size_t i) const {
        std::array<std::uint64_t, 4> need{};
        std::uint64_t least = UINT64_MAX;
        for (std::uint64_t g = 0; g < filter_.choices; ++g)
            least = std::min(least, need[g] = bits_needed(i, g));
        std::uint64_t total = 0;
        for (std::uint64_t g = 0; g < filter_.choices; ++g) total += weights_[need[g] - least];
        std::uint64_t drawn = fastrange(finalise64(round_seed_ + i), total);
        for (std::uint64_t g = 0;; ++g) {
            const std::uint64_t weight = weights_[need[g] - least];
            if (drawn < weight) return static_cast<std::uint8_t>(g);
            drawn -= weight;
        }
    }

    void prefetch_counters(std::size_t i) const {
        for (std::uint64_t g = 0; g < filter_.choices; ++g)
            for_each_place(i, g, [&](place at) { prefetch_for_read(counters_.data() + at.position()); });
    }

    void decide_range(std::size_t first, std::size_t last, std::size_t block) {
        constexpr std::size_t ahead = 8;
        for (std::size_t i = first; i < last; ++i) {
            if (i + ahead < last) prefetch_counters(i + ahead);
            decisions_.data()[i - block] = std::byte{decide(i)};
        }
    }

    void decide_block(std::size_t block, std::size_t end, unsigned threads) {
        const std::size_t share = (end - block) / threads;
        if (share < least_keys_per_thread) return decide_range(block, end, block);
        run_threads(threads, [&](unsigned part) {
            const std::size_t first = block + part * share;
            decide_range(first, part + 1 == threads ? end : first + share, block);
        });
    }

    void make_round(const rounds_request& request) {
        const std::size_t keys = hashes_.size();
        const std::size_t block_keys = block_keys_of(keys);
        const unsigned threads = thread_count(request.threads);
        for (std::size_t block = 0; block < keys; block += block_keys) {
            const std::size_t end = std::min(keys, block + block_keys);
            decide_block(block, end, threads);
            for (std::size_t i = block; i < end; ++i)
                if (const std::byte to = decisions_.data()[i - block]; to != chosen_.data()[i])
                    move_to_group(i, std::to_integer<std::uint8_t>(to));
        }
        if (request.progress) request.progress(++rounds_made_, request.rounds);
    }

    shape filter_;
    std::span<const key_hash> hashes_;
    aligned_buffer counters_, chosen_, decisions_;
    std::array<std::uint64_t, 65> weights_{};
    std::uint64_t round_seed_ = 0, rounds_made_ = 0;
};

MEMBRANE_TARGET_END
