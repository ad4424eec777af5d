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
//   settle(place&, hash)      the answer, from that place on; or as look, and one more word of answers later:
//   last(place&, hash)        asks for the memory of its last places
//   finish(place&, hash)      the answer, from those on
//
//   glance(places, hashes)         cheaper than look: {may it be there, must it look further if it is not}
//   look_together(places, hashes)  look, where it takes less for several keys at once
//                                  Both of `keys_together` keys, a bit for each, the earlier keys above.
//
//   expect(are_many)          whether most keys of a word look further, before their next: they are members, then
//
// Left out may be: next where memory need not be asked for, settle too where has_next is false, last and finish where settle is
// the answer, glance where has_glance is false, look_together where keys_together is 1, expect where it makes
// no difference.
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

// 0 or 1 each, or as many bits as keys were looked at, as words: they become bits of words.
struct first_look {
    std::uint64_t is_there;
    std::uint64_t goes_on;
};

template <class Steps>
class ask_ring {
public:
    // As may_contain_many of part/batch.hpp.
    ask_ring(const Steps& steps, std::span<const key_hash> hashes, std::span<std::uint64_t> answers) noexcept
        : steps_(steps), hashes_(hashes), answers_(answers) {}

    std::size_t ask() noexcept {
        for (std::size_t i = 0; i < std::min(word_keys, hashes_.size()); ++i) start(0, i);
        std::uint64_t waiting = 0, waiting_on = 0;
        for (std::size_t first = 0; first < hashes_.size(); first += word_keys) {
            const std::uint64_t further = answer_word(first);
            if constexpr (Steps::has_next) {
                if constexpr (requires { steps_.expect(true); })
                    steps_.expect(std::popcount(further) * 2 > static_cast<int>(word_keys));
                std::uint64_t going_on = further;
                if constexpr (asks_for_next) going_on = go_on(first, further);
                if (has_last && first > word_keys) finish(first - 2 * word_keys, waiting_on);
                if (first != 0) waiting_on = settle(first - word_keys, waiting);
                waiting = going_on;
            }
        }
        if (!hashes_.empty()) {
            const std::size_t end = (hashes_.size() - 1) / word_keys * word_keys;
            if (end != 0) finish(end - word_keys, waiting_on);
            finish(end, settle(end, waiting));
        }
        std::size_t present = 0;
        for (std::size_t word = 0; word * word_keys < hashes_.size(); ++word)
            present += static_cast<std::size_t>(std::popcount(answers_[word]));
        return present;
    }

private:
    static constexpr std::size_t word_keys = read_lookahead;
    using place = typename Steps::place;
    static constexpr bool asks_for_next = requires(Steps steps, place at, key_hash hash) {
        steps.next(at, hash);
    };
    static constexpr bool has_last = requires(Steps steps, place at, key_hash hash) { steps.last(at, hash); };

    // Of the word's keys. They are needed while the word is asked for, answered, settled and finished: four words.
    place* places_of(std::size_t first) noexcept { return places_ + first % (4 * word_keys); }
    const key_hash* hashes_of(std::size_t first) const noexcept { return hashes_.data() + first; }

    // Returns the keys that look further. Which keys are there or go on is as good as random: bits are collected, without a
    // branch.
    std::uint64_t answer_word(std::size_t first) noexcept {
        const std::size_t count = std::min(word_keys, hashes_.size() - first);
        std::size_t ahead = hashes_.size() - first - count;
        if (ahead < word_keys) {
            for (; ahead != 0; --ahead) start(first + word_keys, ahead - 1);
            return answer_keys<false>(first, count);
        }
        return answer_keys<true>(first, count);
    }
    template <bool Starts>
    std::uint64_t answer_keys(std::size_t first, std::size_t count) noexcept {
        const first_look found = look_at_keys<Starts>(first, count);
        if constexpr (Steps::has_glance)
            is_mostly_present_ = static_cast<std::size_t>(std::popcount(found.is_there)) * 2 > count;
        answers_[first / word_keys] = found.is_there;
        return found.goes_on & ~found.is_there;
    }
    template <bool Starts>
    first_look look_at_keys(std::size_t first, std::size_t count) noexcept {
        if constexpr (Steps::has_glance)
            if (!is_mostly_present_ && count == word_keys) return glance_at_word<Starts>(first);
        if constexpr (Steps::keys_together != 1)
            if (count == word_keys)
                return collect<Starts, Steps::keys_together>(first, count,
                                                             [&](const place* at, const key_hash* hashes) {
                                                                 return steps_.look_together(at, hashes);
                                                             });
        return collect<Starts, 1>(first, count,
                                  [&](place* at, const key_hash* hash) { return steps_.look(*at, *hash); });
    }
    // Keys that may be there are looked at closely.
    template <bool Starts>
    first_look glance_at_word(std::size_t first) noexcept {
        const first_look found = collect<Starts, Steps::keys_together>(
            first, word_keys,
            [&](const place* at, const key_hash* hashes) { return steps_.glance(at, hashes); });
        const std::uint64_t present = those_of(first, found.is_there, [&](place& at, const key_hash& hash) {
            return steps_.look(at, hash).is_there;
        });
        return {present, found.goes_on};
    }
    // `count` is not 0, and a number of times `Keys`.
    template <bool Starts, std::size_t Keys, class Look>
    first_look collect(std::size_t first, std::size_t count, const Look& look) noexcept {
        place* const places = places_of(first);
        const key_hash* const hashes = hashes_of(first);
        [[maybe_unused]] place* const next_places = places_of(first + word_keys);
        // Answers come in below the others, which takes the fewest instructions, and in the end they are turned round.
        first_look all{0, 0};
        for (std::size_t i = 0; i < count; i += Keys) {
            if constexpr (Starts)
#pragma GCC unroll 4
                for (std::size_t j = i; j < i + Keys; ++j)
                    steps_.start(next_places[j], hashes[word_keys + j]);
            const first_look found = look(places + i, hashes + i);
            all.is_there = (all.is_there << Keys) + found.is_there;
            all.goes_on = (all.goes_on << Keys) + found.goes_on;
        }
        const auto unused = static_cast<unsigned>(word_keys - count);
        return {reversed_bits(all.is_there) >> unused, reversed_bits(all.goes_on) >> unused};
    }
    // Key `i` of the word that begins with `first`.
    void start(std::size_t first, std::size_t i) noexcept {
        steps_.start(places_of(first)[i], hashes_of(first)[i]);
    }

    template <class Use>
    void for_each_key(std::size_t first, std::uint64_t keys, const Use& use) noexcept {
        place* const places = places_of(first);
        const key_hash* const hashes = hashes_of(first);
        for (; keys != 0; keys &= keys - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(keys));
            use(places[i], hashes[i], i);
        }
    }
    // Of these keys, those of which it is true; is_so(place&, hash) is 0 or 1.
    template <class IsSo>
    std::uint64_t those_of(std::size_t first, std::uint64_t keys, const IsSo& is_so) noexcept {
        std::uint64_t those = 0;
        for_each_key(first, keys, [&](place& at, key_hash hash, unsigned i) {
            those |= std::uint64_t{is_so(at, hash)} << i;
        });
        return those;
    }
    // Returns the keys that have a next place.
    std::uint64_t go_on(std::size_t first, std::uint64_t keys) noexcept {
        const auto next = [&](place& at, key_hash hash) { return steps_.next(at, hash); };
        if constexpr (std::is_void_v<decltype(next(*places_, *hashes_.data()))>) {
            for_each_key(first, keys, [&](place& at, key_hash hash, unsigned) { next(at, hash); });
            return keys;
        } else {
            return those_of(first, keys, next);
        }
    }
    // Returns the keys that are to be finished.
    std::uint64_t settle(std::size_t first, std::uint64_t waiting) noexcept {
        if constexpr (Steps::has_next) {
            first_look all{0, 0};
            for_each_key(first, waiting, [&](place& at, key_hash hash, unsigned i) {
                const auto found = steps_.settle(at, hash);
                if constexpr (has_last) {
                    all.is_there |= found.is_there << i;
                    all.goes_on |= found.goes_on << i;
                } else {
                    all.is_there |= std::uint64_t{found} << i;
                }
            });
            answers_[first / word_keys] |= all.is_there;
            if constexpr (has_last) {
                const std::uint64_t further = all.goes_on & ~all.is_there;
                for_each_key(first, further,
                             [&](place& at, key_hash hash, unsigned) { steps_.last(at, hash); });
                return further;
            }
        }
        return 0;
    }
    void finish(std::size_t first, std::uint64_t waiting) noexcept {
        if constexpr (has_last)
            answers_[first / word_keys] |=
                those_of(first, waiting, [&](place& at, key_hash hash) { return steps_.finish(at, hash); });
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
