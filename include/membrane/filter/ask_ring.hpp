// Many lookups with many lines in flight: as each key is answered, the line of the key 64 further is asked for, and keys that must
// look on do so one word of answers later, when their next line has come. Rolling is much better than a block of keys at a
// time: nothing waits at a block's edge. Lines are asked for into the second cache, see base/prefetch.hpp.
//
// `Steps` is how a view looks for a key:
//
//   place                     what is kept of a key between two steps
//   start(place&, hash)       asks for the memory of its first place
//   look(place&, hash)        {is it there, must it look further if it is not}
//   next(place&, hash)        asks for the memory of its next place; may answer whether it has one, or else the key is not there
//   settle(place&, hash)      the answer, from that place on
//
//   glance(place&, hash)      cheaper than look: {may it be there, must it look further if it is not}
//
//   expect(are_many)          whether most keys of a word look further, before their next: they are members, then
//
// next and settle are left out where has_next is false, glance where has_glance is, expect where it makes no difference.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <membrane/base/bits.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

// How far ahead lines are asked for into the second cache: as many keys as a word has answers.
inline constexpr std::size_t read_lookahead = 64;
// How far ahead insertions ask for memory into the first cache.
inline constexpr std::size_t batch_lookahead = 16;

// 0 or 1 each, as words: they become bits of words.
struct first_look {
    std::uint64_t is_there;
    std::uint64_t goes_on;
};

template <class Steps>
class ask_ring {
public:
    // As may_contain_many of filter/batch.hpp.
    ask_ring(const Steps& steps, std::span<const key_hash> hashes, std::span<std::uint64_t> answers) noexcept
        : steps_(steps), hashes_(hashes), answers_(answers) {}

    std::size_t ask() noexcept {
        for (std::size_t i = 0; i < std::min(word_keys, hashes_.size()); ++i) start(i);
        std::uint64_t waiting = 0;
        for (std::size_t first = 0; first < hashes_.size(); first += word_keys) {
            const std::uint64_t further = answer_word(first);
            if constexpr (Steps::has_next) {
                if constexpr (requires { steps_.expect(true); })
                    steps_.expect(std::popcount(further) * 2 > static_cast<int>(word_keys));
                const std::uint64_t going_on = go_on(first, further);
                if (first != 0) settle(first - word_keys, waiting);
                waiting = going_on;
            }
        }
        if (!hashes_.empty()) settle((hashes_.size() - 1) / word_keys * word_keys, waiting);
        std::size_t present = 0;
        for (std::size_t word = 0; word * word_keys < hashes_.size(); ++word)
            present += static_cast<std::size_t>(std::popcount(answers_[word]));
        return present;
    }

private:
    static constexpr std::size_t word_keys = read_lookahead;
    using place = typename Steps::place;

    // Places are needed while their word is asked for, answered and settled: three words, rounded up.
    place& place_of(std::size_t i) noexcept { return places_[i % (4 * word_keys)]; }

    // Returns the keys that look further. Which keys are there or go on is as good as random: bits are collected, without a
    // branch.
    std::uint64_t answer_word(std::size_t first) noexcept {
        const std::size_t count = std::min(word_keys, hashes_.size() - first);
        std::size_t ahead = hashes_.size() - first - count;
        if (ahead < word_keys) {
            for (; ahead != 0; --ahead) start(first + count + ahead - 1);
            return answer_keys<false>(first, count);
        }
        return answer_keys<true>(first, count);
    }
    template <bool Starts>
    std::uint64_t answer_keys(std::size_t first, std::size_t count) noexcept {
        first_look found;
        if constexpr (Steps::has_glance) {
            if (!is_mostly_present_) {
                found = collect<Starts>(
                    first, count, [&](std::size_t i) { return steps_.glance(place_of(i), hashes_[i]); });
                std::uint64_t present = 0;
                for_each_key(first, found.is_there, [&](std::size_t i) {
                    present |= steps_.look(place_of(i), hashes_[i]).is_there << (i - first);
                });
                found.is_there = present;
            } else {
                found = collect<Starts>(first, count,
                                        [&](std::size_t i) { return steps_.look(place_of(i), hashes_[i]); });
            }
            is_mostly_present_ = static_cast<std::size_t>(std::popcount(found.is_there)) * 2 > count;
        } else {
            found = collect<Starts>(first, count,
                                    [&](std::size_t i) { return steps_.look(place_of(i), hashes_[i]); });
        }
        answers_[first / word_keys] = found.is_there;
        return found.goes_on & ~found.is_there;
    }
    // `count` is not 0.
    template <bool Starts, class Look>
    first_look collect(std::size_t first, std::size_t count, const Look& look) noexcept {
        // Each answer comes in below the others, which takes one instruction, and in the end they are turned round.
        first_look all{0, 0};
        for (std::size_t i = first; i < first + count; ++i) {
            if constexpr (Starts) start(i + word_keys);
            const first_look found = look(i);
            all.is_there = 2 * all.is_there + found.is_there;
            all.goes_on = 2 * all.goes_on + found.goes_on;
        }
        const auto unused = static_cast<unsigned>(word_keys - count);
        return {reversed_bits(all.is_there) >> unused, reversed_bits(all.goes_on) >> unused};
    }
    void start(std::size_t i) noexcept { steps_.start(place_of(i), hashes_[i]); }

    template <class Use>
    static void for_each_key(std::size_t first, std::uint64_t keys, const Use& use) noexcept {
        for (; keys != 0; keys &= keys - 1) use(first + static_cast<std::size_t>(std::countr_zero(keys)));
    }
    // Returns the keys that have a next place.
    std::uint64_t go_on(std::size_t first, std::uint64_t keys) noexcept {
        if constexpr (std::is_void_v<decltype(steps_.next(place_of(0), hashes_[0]))>) {
            for_each_key(first, keys, [&](std::size_t i) { steps_.next(place_of(i), hashes_[i]); });
            return keys;
        } else {
            std::uint64_t going_on = 0;
            for_each_key(first, keys, [&](std::size_t i) {
                going_on |= std::uint64_t{steps_.next(place_of(i), hashes_[i])} << (i - first);
            });
            return going_on;
        }
    }
    void settle(std::size_t first, std::uint64_t waiting) noexcept {
        if constexpr (Steps::has_next)
            for_each_key(first, waiting, [&](std::size_t i) {
                const std::uint64_t yes = steps_.settle(place_of(i), hashes_[i]) ? 1 : 0;
                answers_[first / word_keys] |= yes << (i - first);
            });
    }

    Steps steps_;
    std::span<const key_hash> hashes_;
    std::span<std::uint64_t> answers_;
    place places_[4 * word_keys];
    bool is_mostly_present_ = false;  // the keys of the last word
};

template <class Steps>
std::size_t ask_in_ring(const Steps& steps, std::span<const key_hash> hashes,
                        std::span<std::uint64_t> answers) noexcept {
    return ask_ring<Steps>(steps, hashes, answers).ask();
}

}  // namespace membrane
