// Many lookups with several lines in flight: the line of a key a little ahead is asked for as each key is answered, and keys
// that must look further do so one word of answers later, when their next line has come. Rolling is much better than a block
// of keys at a time: nothing waits at a block's edge.
//
// `Steps` is how a view looks for a key:
//
//   place                  what is known of a key between two steps
//   start(hash)            its first place; asks for the memory
//   look(place, hash)      {is it there, must it look further}; never both
//   next(place, hash)      its next place; asks for the memory
//   settle(place, hash)    the answer, from that place on
//
// next and settle are left out where has_next is false.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/hash/key_hash.hpp>

namespace membrane {

inline constexpr std::size_t batch_lookahead = 16;

struct first_look {
    bool is_there;
    bool goes_on;
};

// As may_contain_many of filter/batch.hpp.
template <class Steps>
std::size_t ask_in_ring(const Steps& steps, std::span<const key_hash> hashes,
                        std::span<std::uint64_t> answers) noexcept {
    using place = typename Steps::place;
    place ring[batch_lookahead];
    std::size_t asked_for = 0;
    const auto ask_for_next = [&] {
        ring[asked_for % batch_lookahead] = steps.start(hashes[asked_for]);
        ++asked_for;
    };
    while (asked_for < std::min(batch_lookahead, hashes.size())) ask_for_next();

    struct waiting_key {
        std::size_t number;
        place at;
    };
    waiting_key waiting[2][64];
    std::size_t waiting_count[2] = {0, 0};
    const auto settle = [&]([[maybe_unused]] std::size_t side) {
        if constexpr (Steps::has_next)
            for (std::size_t i = 0; i < waiting_count[side]; ++i) {
                const waiting_key& key = waiting[side][i];
                const std::uint64_t yes = steps.settle(key.at, hashes[key.number]) ? 1 : 0;
                answers[key.number / 64] |= yes << (key.number % 64);
            }
        waiting_count[side] = 0;
    };

    for (std::size_t first = 0; first < hashes.size(); first += 64) {
        const std::size_t last = std::min(first + 64, hashes.size());
        const std::size_t side = first / 64 % 2;
        std::uint64_t word = 0;
        for (std::size_t i = first; i < last; ++i) {
            const place at = ring[i % batch_lookahead];
            if (asked_for < hashes.size()) ask_for_next();
            const first_look found = steps.look(at, hashes[i]);
            word |= std::uint64_t{found.is_there} << (i - first);
            if constexpr (Steps::has_next) {
                // Which keys go on is as good as random: no branch.
                waiting[side][waiting_count[side]] = {i, at};
                waiting_count[side] += found.goes_on ? 1 : 0;
            }
        }
        answers[first / 64] = word;
        if constexpr (Steps::has_next)
            for (std::size_t i = 0; i < waiting_count[side]; ++i) {
                waiting_key& key = waiting[side][i];
                key.at = steps.next(key.at, hashes[key.number]);
            }
        settle(1 - side);
    }
    settle(0);
    settle(1);
    std::size_t present = 0;
    for (std::size_t word = 0; word * 64 < hashes.size(); ++word)
        present += static_cast<std::size_t>(std::popcount(answers[word]));
    return present;
}

}  // namespace membrane
