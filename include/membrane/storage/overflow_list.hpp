// The keys that no bucket took, exactly: 64-bit words (remixes of their hashes, never 0) in ascending order, with gaps.
//
//   u64 count, 56 zero bytes, then `slots` words; a word that is 0 is a gap
//
// A word's home is its share of the slots, and it stands there or behind it with no gap in between: linear probing that
// is kept sorted. From its home on, words are therefore below x up to one place, and behind it above x or gaps: a lookup
// doubles its step, then halves it. An insertion moves the words up to the next gap. It is refused if that is more than
// `most_moved` slots away: a list never fills so far by chance, and for chosen keys it bounds the work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/result.hpp>

namespace membrane {

class overflow_list {
public:
    static constexpr std::uint64_t most_moved = 4096;

    overflow_list(std::byte* bytes, std::uint64_t slots) noexcept : bytes_(bytes), slots_(slots) {}

    static std::optional<std::uint64_t> size_bytes(std::uint64_t slots) {
        const auto words = checked_multiply(slots, 8);
        const auto rounded = words ? round_up(*words, 64) : std::nullopt;
        return rounded ? checked_add(head_bytes, *rounded) : std::nullopt;
    }

    std::uint64_t count() const noexcept { return load_le<std::uint64_t>(bytes_); }

    bool contains(std::uint64_t word) const noexcept {
        word = never_zero(word);
        const std::uint64_t at = first_not_below(word);
        return at < slots_ && slot(at) == word;
    }

    // True if the word is in the list now; false, and nothing changed, if there is no room for it.
    bool insert(std::uint64_t word) noexcept {
        word = never_zero(word);
        const std::uint64_t at = first_not_below(word);
        if (at < slots_ && slot(at) == word) return true;
        std::uint64_t gap = at;
        const std::uint64_t end = std::min(slots_, at + most_moved);
        while (gap < end && slot(gap) != 0) ++gap;
        if (gap >= end) return false;
        std::memmove(place(at + 1), place(at), static_cast<std::size_t>((gap - at) * 8));
        store_le(place(at), word);
        store_le(bytes_, count() + 1);
        return true;
    }

    void prefetch(std::uint64_t word) const noexcept {
        if (slots_ != 0) prefetch_for_read(place(home_of(word)));
    }

    result<void> check() const {
        std::uint64_t found = 0, last = 0, last_gap = 0;  // last_gap: one behind it
        for (std::uint64_t at = 0; at < slots_; ++at) {
            const std::uint64_t word = slot(at);
            if (word == 0) {
                last_gap = at + 1;
                continue;
            }
            ++found;
            if (word <= last)
                return make_error(errc::bad_payload, "order of the overflow list").with_found(at);
            if (home_of(word) > at || home_of(word) < last_gap)
                return make_error(errc::bad_payload, "place of a word of the overflow list").with_found(at);
            last = word;
        }
        if (found != count())
            return make_error(errc::bad_payload, "count of the overflow list")
                .with_found(count())
                .with_expected(found);
        const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
        if (!std::all_of(bytes_ + 8, bytes_ + head_bytes, is_zero) ||
            !std::all_of(place(slots_), bytes_ + *size_bytes(slots_), is_zero))
            return make_error(errc::reserved_not_zero, "padding of the overflow list");
        return {};
    }

private:
    static constexpr std::uint64_t head_bytes = 64;
    // Slots behind the last home, for what is moved there.
    static constexpr std::uint64_t most_spare = 64;

    static std::uint64_t never_zero(std::uint64_t word) noexcept { return word == 0 ? 1 : word; }
    std::byte* place(std::uint64_t at) const noexcept { return bytes_ + head_bytes + at * 8; }
    std::uint64_t slot(std::uint64_t at) const noexcept { return load_le<std::uint64_t>(place(at)); }
    std::uint64_t home_of(std::uint64_t word) const noexcept {
        return fastrange(word, slots_ - std::min(slots_ / 2, most_spare));
    }

    std::uint64_t first_not_below(std::uint64_t word) const noexcept {
        const auto is_below = [&](std::uint64_t at) {
            const std::uint64_t other = slot(at);
            return other != 0 && other < word;
        };
        std::uint64_t low = home_of(word), step = 1;
        if (low >= slots_ || !is_below(low)) return low;
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

    std::byte* bytes_;
    std::uint64_t slots_;
};

}  // namespace membrane
