// Words in ascending order, with gaps, so that one more moves few: linear probing that is kept sorted.
//
//   u64 slots in use, 56 zero bytes, then `slots` words, rounded up to whole lines; a word that is 0 is a gap
//
// `Home` gives each word a slot that does not fall as words rise; a word stands there or behind it with no gap in between. The
// slots behind the last home take what is moved there.
// From its home on, words are therefore below x up to one place, and behind it not below x or gaps: a lookup doubles its
// step, then halves it. The same words give the same bytes in any order. An insertion is refused if the next gap is more
// than `most_moved` slots away, an erasure if as many words would have to go back: that does not come by chance, and for
// chosen words, or a list that somebody made, it bounds the work. (A check of the bytes cannot: words that come in ascending
// order make a run of any length without moving one.) Words decides how much an erasure may move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/base/result.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/zero_bytes.hpp>

MEMBRANE_TARGET_BEGIN

// How words are reached: for a list that one thread changes while no other uses it. part/threads/shared_words.hpp has the other way.
struct plain_words {
    static constexpr std::uint64_t most_moved_by_erasure = 4096;

    static std::uint64_t load(const std::byte* from) noexcept { return load_le<std::uint64_t>(from); }
    static void store(std::byte* to, std::uint64_t word) noexcept { store_le(to, word); }
    // So many words go to the place of the next one, or of the one before.
    static void move_up(std::byte* from, std::uint64_t count) noexcept {
        std::memmove(from + 8, from, static_cast<std::size_t>(count * 8));
    }
    static void move_down(std::byte* from, std::uint64_t count) noexcept {
        std::memmove(from - 8, from, static_cast<std::size_t>(count * 8));
    }
};

template <class Home, class Words = plain_words>
class sorted_slots {
public:
    static constexpr std::uint64_t most_moved = 4096;

    sorted_slots(std::byte* bytes, std::uint64_t slots, Home home) noexcept
        : bytes_(bytes), slots_(slots), home_(home) {}

    static std::optional<std::uint64_t> size_bytes(std::uint64_t slots) {
        const auto words = checked_multiply(slots, 8);
        const auto rounded = words ? round_up(*words, 64) : std::nullopt;
        return rounded ? checked_add(head_bytes, *rounded) : std::nullopt;
    }

    std::uint64_t slots() const noexcept { return slots_; }
    std::uint64_t in_use() const noexcept { return Words::load(bytes_); }
    // 0 behind the last slot, too.
    std::uint64_t word(std::uint64_t at) const noexcept { return at < slots_ ? Words::load(place(at)) : 0; }
    void put(std::uint64_t at, std::uint64_t word) noexcept { Words::store(place(at), word); }

    // The first slot from the home on that is a gap or holds a word that is not below this one.
    std::uint64_t first_not_below(std::uint64_t asked) const noexcept {
        if (slots_ == 0) return 0;
        const auto is_below = [&](std::uint64_t at) {
            const std::uint64_t other = word(at);
            return other != 0 && other < asked;
        };
        std::uint64_t low = home_(asked), step = 1;
        if (!is_below(low)) return low;
        while (low + step < slots_ && is_below(low + step)) {
            low += step;
            step *= 2;
        }
        std::uint64_t high = std::min(low + step, slots_);
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (is_below(middle) ? low : high) = middle;
        }
        return high;
    }

    // Before the words from `at` on; false, and nothing changed, if there is no room.
    bool insert(std::uint64_t at, std::uint64_t added) noexcept {
        std::uint64_t gap = at;
        const std::uint64_t end = std::min(slots_, at + most_moved);
        while (gap < end && word(gap) != 0) ++gap;
        if (gap >= end) return false;
        Words::move_up(place(at), gap - at);
        put(at, added);
        Words::store(bytes_, in_use() + 1);
        return true;
    }
    // The words behind it go back as far as their homes allow; false, and nothing changed, if these are `most_moved`.
    bool erase(std::uint64_t at) noexcept {
        std::uint64_t last = at;
        while (last - at < Words::most_moved_by_erasure && word(last + 1) != 0 &&
               home_(word(last + 1)) <= last)
            ++last;
        if (last - at == Words::most_moved_by_erasure) return false;
        Words::move_down(place(at + 1), last - at);
        put(last, 0);
        Words::store(bytes_, in_use() - 1);
        return true;
    }

    const std::byte* home(std::uint64_t asked) const noexcept { return place(home_(asked)); }

    // `may_follow(last, word)`: the kind's own rule; `last` is 0 before the first word.
    template <class MayFollow>
    result<void> check(const MayFollow& may_follow) const {
        std::uint64_t found = 0, last = 0, behind_gap = 0;
        for (std::uint64_t at = 0; at < slots_; ++at) {
            const std::uint64_t here = word(at);
            if (here == 0) {
                behind_gap = at + 1;
                continue;
            }
            ++found;
            if (!may_follow(last, here))
                return make_error(errc::bad_payload, "word of the overflow list").with_found(at);
            if (home_(here) > at || home_(here) < behind_gap)
                return make_error(errc::bad_payload, "place of a word of the overflow list").with_found(at);
            last = here;
        }
        if (found != in_use())
            return make_error(errc::bad_payload, "count of the overflow list")
                .with_found(in_use())
                .with_expected(found);
        if (!are_all_zero({bytes_ + 8, head_bytes - 8}) ||
            !are_all_zero({place(slots_), bytes_ + *size_bytes(slots_)}))
            return make_error(errc::reserved_not_zero, "padding of the overflow list");
        return {};
    }

private:
    static constexpr std::uint64_t head_bytes = 64;

    std::byte* place(std::uint64_t at) const noexcept { return bytes_ + head_bytes + at * 8; }

    std::byte* bytes_;
    std::uint64_t slots_;
    Home home_;
};

MEMBRANE_TARGET_END
