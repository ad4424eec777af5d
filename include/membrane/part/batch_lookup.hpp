// A batch of lookups made from the walk of a kind: 64 keys at a time, one word of answers. While the lines of one word are looked
// at, the first lines of the next word are prefetched; keys that must look on have their next lines prefetched and are looked at
// one word later. Nothing ever waits at the edge of a block of keys, and no answer depends on a branch that the data decides.
//
// A walk provides:
//
//   place                        what is kept of a key between two rounds
//   rounds                       how many times a key may wait for a prefetched line
//   start(place&, hash)          computes the first place from the hash alone and prefetches it
//   look(place, hash)            first round: {is it there, must it look on if it is not}
//   next<Round>(place&, hash)    computes and prefetches the place of a later round (1, 2, ...); false: the key is not there
//   look_again<Round>(place, hash)   as look, in that round; in the last one the answer is final
//
//   has_quick_look               quick_look(places, hashes) is cheaper than look and conservative: no bit, no key. It is used while
//                                most keys are absent; the keys that pass are looked at with look.
//   group                        quick_look and look_at_group take so many keys at once, a bit for each, the first key's the highest
//   expect_members(bool)         optional: whether most keys of the word look on, before their `next`
//   disturbed(places, count, found)   optional: keys of a word whose answers do not count, since what was read was changing
//   is_there(hash)               of these: the final answer
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/bits.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/key_hash.hpp>

MEMBRANE_TARGET_BEGIN

// How many keys ahead the lines of a batch are prefetched into the second-level cache: one word of answers.
inline constexpr std::size_t read_lookahead = 64;
// How many keys ahead insertions prefetch into the first-level cache.
inline constexpr std::size_t write_lookahead = 16;

// 0 or 1 each, or a bit for each key of a group. Words, since they become bits of words.
struct look_result {
    std::uint64_t is_there;
    std::uint64_t goes_on;
};

template <class Walk>
class batch_lookup {
public:
    batch_lookup(const Walk& walk, std::span<const key_hash> hashes,
                 std::span<std::uint64_t> answers) noexcept
        : walk_(walk), hashes_(hashes), answers_(answers) {}

    // Returns how many keys may be present.
    std::size_t run() noexcept {
        const std::size_t words = (hashes_.size() + word_keys - 1) / word_keys;
        for (std::size_t i = 0; i < std::min(word_keys, hashes_.size()); ++i) start(0, i);
        // waiting[r]: the keys of the word r words back that are waiting for the line of round r.
        std::uint64_t waiting[Walk::rounds + 1] = {};
        std::size_t present = 0;
        for (std::size_t word = 0; word < words + Walk::rounds - 1; ++word) {
            std::uint64_t going_on = 0;
            if (word < words) going_on = advance<1>(word, look_at_word(word));
            later_rounds<Walk::rounds - 1>(word, waiting);
            if constexpr (Walk::rounds > 1) waiting[1] = going_on;
            if (word + 1 >= Walk::rounds)
                present += static_cast<std::size_t>(std::popcount(answers_[word + 1 - Walk::rounds]));
        }
        return present;
    }

private:
    static constexpr std::size_t word_keys = read_lookahead;
    using place = typename Walk::place;

    // Words whose places are in use: being prefetched, looked at, and one for each later round.
    static constexpr std::size_t words_in_flight = std::bit_ceil(std::size_t{Walk::rounds} + 1);
    place* places_of(std::size_t word) noexcept { return places_ + word % words_in_flight * word_keys; }
    const key_hash* hashes_of(std::size_t word) const noexcept { return hashes_.data() + word * word_keys; }
    void start(std::size_t word, std::size_t i) noexcept {
        walk_.start(places_of(word)[i], hashes_of(word)[i]);
    }

    // First round: writes the answers of a word, prefetches the next word, returns the keys that look on.
    std::uint64_t look_at_word(std::size_t word) noexcept {
        const std::size_t count = std::min(word_keys, hashes_.size() - word * word_keys);
        const std::size_t ahead = std::min(word_keys, hashes_.size() - word * word_keys - count);
        // The last words, whose next word is not whole, are looked at one key at a time.
        look_result found;
        if (ahead == word_keys) {
            found = look_at_whole_word(word);
        } else {
            for (std::size_t i = 0; i < ahead; ++i) start(word + 1, i);
            found = collect<false, 1>(
                word, count, [&](const place* at, const key_hash* hash) { return walk_.look(*at, *hash); });
        }
        if constexpr (requires { walk_.disturbed(places_of(word), count, found); })
            if (const std::uint64_t disturbed = walk_.disturbed(places_of(word), count, found);
                disturbed != 0) [[unlikely]]
                found = asked_again(word, disturbed, found);
        answers_[word] = found.is_there;
        is_mostly_present_ = static_cast<std::size_t>(std::popcount(found.is_there)) * 2 > count;
        const std::uint64_t going_on = found.goes_on & ~found.is_there;
        if constexpr (requires { walk_.expect_members(true); })
            walk_.expect_members(std::popcount(going_on) * 2 > static_cast<int>(word_keys));
        return going_on;
    }
    [[gnu::noinline]] look_result asked_again(std::size_t word, std::uint64_t keys,
                                              const look_result& found) noexcept {
        const std::uint64_t is_there =
            those_of(word, keys, [&](const place&, const key_hash& hash) { return walk_.is_there(hash); });
        return {(found.is_there & ~keys) | is_there, found.goes_on & ~keys};
    }
    look_result look_at_whole_word(std::size_t word) noexcept {
        if constexpr (Walk::has_quick_look)
            if (!is_mostly_present_) {
                look_result found = collect<true, Walk::group>(
                    word, word_keys,
                    [&](const place* at, const key_hash* hash) { return walk_.quick_look(at, hash); });
                found.is_there = those_of(word, found.is_there, [&](place& at, const key_hash& hash) {
                    return walk_.look(at, hash).is_there;
                });
                return found;
            }
        return collect<true, Walk::group>(word, word_keys, [&](const place* at, const key_hash* hash) {
            if constexpr (Walk::group != 1) return walk_.look_at_group(at, hash);
            else return walk_.look(*at, *hash);
        });
    }
    // `count` is not 0, and a multiple of `Group`.
    template <bool Prefetches, std::size_t Group, class Look>
    look_result collect(std::size_t word, std::size_t count, const Look& look) noexcept {
        place* const places = places_of(word);
        const key_hash* const hashes = hashes_of(word);
        [[maybe_unused]] place* const next_places = places_of(word + 1);
        // Answers are shifted in from below, which takes the fewest instructions, and reversed at the end.
        look_result all{0, 0};
        for (std::size_t i = 0; i < count; i += Group) {
            if constexpr (Prefetches)
#pragma GCC unroll 4
                for (std::size_t j = i; j < i + Group; ++j)
                    walk_.start(next_places[j], hashes[word_keys + j]);
            const look_result found = look(places + i, hashes + i);
            all.is_there = (all.is_there << Group) + found.is_there;
            all.goes_on = (all.goes_on << Group) + found.goes_on;
        }
        const auto unused = static_cast<unsigned>(word_keys - count);
        return {reversed_bits(all.is_there) >> unused, reversed_bits(all.goes_on) >> unused};
    }

    template <class Use>
    void for_each_of(std::size_t word, std::uint64_t keys, const Use& use) noexcept {
        place* const places = places_of(word);
        const key_hash* const hashes = hashes_of(word);
        for (; keys != 0; keys &= keys - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(keys));
            use(places[i], hashes[i], i);
        }
    }
    // Of these keys of a word, those for which is_so(place&, hash) is 1.
    template <class IsSo>
    std::uint64_t those_of(std::size_t word, std::uint64_t keys, const IsSo& is_so) noexcept {
        std::uint64_t those = 0;
        for_each_of(word, keys, [&](place& at, const key_hash& hash, unsigned i) {
            those |= std::uint64_t{is_so(at, hash)} << i;
        });
        return those;
    }
    // Prefetches the lines of a later round; returns the keys that have one.
    template <unsigned Round>
    std::uint64_t advance(std::size_t word, std::uint64_t keys) noexcept {
        if constexpr (Round < Walk::rounds)
            return those_of(word, keys, [&](place& at, const key_hash& hash) {
                return walk_.template next<Round>(at, hash);
            });
        return 0;
    }
    // A later round of these keys of a word: adds to its answers, returns the keys that wait for the round behind it.
    template <unsigned Round>
    std::uint64_t look_again_at(std::size_t word, std::uint64_t keys) noexcept {
        look_result all{0, 0};
        for_each_of(word, keys, [&](place& at, const key_hash& hash, unsigned i) {
            const look_result found = walk_.template look_again<Round>(at, hash);
            all.is_there |= found.is_there << i;
            all.goes_on |= found.goes_on << i;
        });
        answers_[word] |= all.is_there;
        return advance<Round + 1>(word, all.goes_on & ~all.is_there);
    }
    // Round `Round` of the word that many words back, then the earlier rounds of the younger words.
    template <unsigned Round>
    void later_rounds(std::size_t word, std::uint64_t* waiting) noexcept {
        if constexpr (Round != 0) {
            waiting[Round + 1] = waiting[Round] == 0 ? 0 : look_again_at<Round>(word - Round, waiting[Round]);
            later_rounds<Round - 1>(word, waiting);
        }
    }

    Walk walk_;
    std::span<const key_hash> hashes_;
    std::span<std::uint64_t> answers_;
    place places_[words_in_flight * word_keys];
    bool is_mostly_present_ = false;  // the keys of the last word
};

// Bit i of `answers` is the answer for hashes[i]; unused bits are zero. Returns how many keys may be present.
template <class Walk>
std::size_t look_up_many(const Walk& walk, std::span<const key_hash> hashes,
                         std::span<std::uint64_t> answers) noexcept {
    return batch_lookup<Walk>(walk, hashes, answers).run();
}

MEMBRANE_TARGET_END
