// A sorted list of numbers with how often each is there: what the tables of a rank-indexed filter could not keep.
//
//   u64 slots in use, 56 zero bytes, then `slots` words, rounded up to whole lines; a word that is 0 is a gap
//   word = (number + 1) << count_bits | (times - 1)
//
// Words ascend. A word's home is the share of its number's group in the slots (a group is a line of the last table: the
// list is asked for whole groups, too), and it stands there or behind it without a gap in between: linear probing, kept
// sorted, so that the same numbers give the same bytes. A number that is there more often than a word can say has
// several words. An addition is refused if the next gap is more than `most_moved` slots away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include <membrane/base/bits.hpp>
#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/result.hpp>

namespace membrane {

class counted_list {
public:
    static constexpr std::uint64_t most_moved = 4096;

    // Numbers are group << group_bits | rest, with group < groups; number + 1 and the count fill a word.
    counted_list(std::byte* bytes, std::uint64_t slots, std::uint64_t groups, unsigned group_bits) noexcept
        : bytes_(bytes),
          slots_(slots),
          groups_(groups),
          group_bits_(group_bits),
          count_bits_(count_bits(groups, group_bits)) {}

    // Bits of a word that are left for counting.
    static constexpr unsigned count_bits(std::uint64_t groups, unsigned group_bits) noexcept {
        const unsigned number_bits = static_cast<unsigned>(std::bit_width(groups)) + group_bits;
        return number_bits >= 63 ? 1 : 64 - number_bits;
    }
    static std::optional<std::uint64_t> size_bytes(std::uint64_t slots) {
        const auto words = checked_multiply(slots, 8);
        const auto rounded = words ? round_up(*words, 64) : std::nullopt;
        return rounded ? checked_add(head_bytes, *rounded) : std::nullopt;
    }

    std::uint64_t slots() const noexcept { return slots_; }
    std::uint64_t slots_in_use() const noexcept { return load_le<std::uint64_t>(bytes_); }

    bool contains(std::uint64_t number) const noexcept { return holds(find(number), number); }
    std::uint64_t count_of(std::uint64_t number) const noexcept {
        std::uint64_t times = 0;
        for (std::uint64_t at = find(number); holds(at, number); ++at) times += times_at(at);
        return times;
    }
    // The smallest number of a group that is in the list.
    std::optional<std::uint64_t> first_of(std::uint64_t group) const noexcept {
        return first_within(group << group_bits_, ((group + 1) << group_bits_) - 1);
    }
    // The smallest one between two numbers of one group, both included.
    std::optional<std::uint64_t> first_within(std::uint64_t low, std::uint64_t high) const noexcept {
        const std::uint64_t at = find(low);
        if (at >= slots_ || slot(at) == 0 || number_at(at) > high) return std::nullopt;
        return number_at(at);
    }

    // True if add(number) would succeed.
    bool has_room_for(std::uint64_t number) const noexcept {
        const std::uint64_t at = find(number);
        return (holds(at, number) && times_at(at) < most_times()) || gap_from(at).has_value();
    }
    bool add(std::uint64_t number) noexcept {
        const std::uint64_t at = find(number);
        if (holds(at, number) && times_at(at) < most_times()) {
            store_le(place(at), slot(at) + 1);
            return true;
        }
        const auto gap = gap_from(at);
        if (!gap) return false;
        std::memmove(place(at + 1), place(at), static_cast<std::size_t>((*gap - at) * 8));
        store_le(place(at), (number + 1) << count_bits_);
        store_le(bytes_, slots_in_use() + 1);
        return true;
    }
    // Once; false, and nothing changed, if it is not there.
    bool remove(std::uint64_t number) noexcept {
        std::uint64_t at = find(number);
        if (!holds(at, number)) return false;
        if (times_at(at) > 1) {
            store_le(place(at), slot(at) - 1);
            return true;
        }
        for (; at + 1 < slots_ && slot(at + 1) != 0 && home_of(number_at(at + 1)) <= at; ++at)
            store_le(place(at), slot(at + 1));
        store_le(place(at), std::uint64_t{0});
        store_le(bytes_, slots_in_use() - 1);
        return true;
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::uint64_t at = 0; at < slots_; ++at)
            if (slot(at) != 0) visit(number_at(at), times_at(at));
    }

    void prefetch(std::uint64_t number) const noexcept {
        if (slots_ != 0) prefetch_for_read(place(home_of(number)));
    }

    result<void> check() const {
        std::uint64_t found = 0, last = 0, behind_gap = 0;
        for (std::uint64_t at = 0; at < slots_; ++at) {
            const std::uint64_t word = slot(at);
            if (word == 0) {
                behind_gap = at + 1;
                continue;
            }
            ++found;
            if (word < last || word >> count_bits_ == 0 || number_at(at) >> group_bits_ >= groups_)
                return make_error(errc::bad_payload, "word of the overflow list").with_found(at);
            const bool is_second = last >> count_bits_ == word >> count_bits_;
            if (is_second && times_at(at) != most_times())
                return make_error(errc::bad_payload, "count in the overflow list").with_found(at);
            const std::uint64_t home = home_of(number_at(at));
            if (home > at || home < behind_gap)
                return make_error(errc::bad_payload, "place of a word of the overflow list").with_found(at);
            last = word;
        }
        if (found != slots_in_use())
            return make_error(errc::bad_payload, "count of the overflow list")
                .with_found(slots_in_use())
                .with_expected(found);
        const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
        if (!std::all_of(bytes_ + 8, bytes_ + head_bytes, is_zero) ||
            !std::all_of(place(slots_), bytes_ + *size_bytes(slots_), is_zero))
            return make_error(errc::reserved_not_zero, "padding of the overflow list");
        return {};
    }

private:
    static constexpr std::uint64_t head_bytes = 64;
    static constexpr std::uint64_t most_spare = 64;  // slots behind the last home

    std::byte* place(std::uint64_t at) const noexcept { return bytes_ + head_bytes + at * 8; }
    std::uint64_t slot(std::uint64_t at) const noexcept { return load_le<std::uint64_t>(place(at)); }
    std::uint64_t number_at(std::uint64_t at) const noexcept { return (slot(at) >> count_bits_) - 1; }
    std::uint64_t times_at(std::uint64_t at) const noexcept { return (slot(at) & most_low()) + 1; }
    std::uint64_t most_low() const noexcept { return low_bits(count_bits_); }
    std::uint64_t most_times() const noexcept { return most_low() + 1; }
    bool holds(std::uint64_t at, std::uint64_t number) const noexcept {
        return at < slots_ && slot(at) >> count_bits_ == number + 1;
    }
    std::uint64_t home_of(std::uint64_t number) const noexcept {
        const std::uint64_t homes = slots_ - std::min(slots_ / 2, most_spare);
        const wide_product scaled = multiply_wide(number >> group_bits_, homes);
        // Groups and homes are below 2^48 and 2^40; the product of the largest is not, but then the list is not ours.
        return scaled.high == 0 ? scaled.low / groups_ : homes - 1;
    }

    // The first place from the number's home on that is a gap or holds this number or a larger one.
    std::uint64_t find(std::uint64_t number) const noexcept {
        if (slots_ == 0) return 0;
        const std::uint64_t least = (number + 1) << count_bits_;
        const auto is_below = [&](std::uint64_t at) {
            const std::uint64_t other = slot(at);
            return other != 0 && other < least;
        };
        std::uint64_t low = home_of(number), step = 1;
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
    std::optional<std::uint64_t> gap_from(std::uint64_t at) const noexcept {
        const std::uint64_t end = std::min(slots_, at + most_moved);
        while (at < end && slot(at) != 0) ++at;
        return at < end ? std::optional(at) : std::nullopt;
    }

    std::byte* bytes_;
    std::uint64_t slots_;
    std::uint64_t groups_;
    unsigned group_bits_;
    unsigned count_bits_;
};

}  // namespace membrane
