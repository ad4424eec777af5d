// Numbers with how often each is there (part/sorted_slots.hpp): what the tables of a rank-indexed filter could not keep.
//
//   word = (number + 1) << count_bits | (times - 1)
//
// A number is group << group_bits | rest, with group below `groups`: a group is a line of the last table, and the list is
// asked for whole groups, too. A word's home is the share of its group. A number that is there more often than a word can
// say has several words, of which all but the first are at their most. So many words at their most are saturated: they stand for
// any larger count and stay for ever. Otherwise a key that comes again and again, or a count that a file states, would need
// a list of any length.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <membrane/base/bits.hpp>
#include <membrane/base/checked_math.hpp>
#include <membrane/base/divisor.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/target.hpp>
#include <membrane/part/sorted_slots.hpp>

MEMBRANE_TARGET_BEGIN

template <class Words = plain_words>
class basic_counted_list {
    struct home_of {
        std::uint64_t homes;
        divisor groups;
        unsigned group_bits, count_bits;
        // A group or a product out of range is no word of ours: the last home, and the check says where it is.
        std::uint64_t operator()(std::uint64_t word) const noexcept {
            const std::uint64_t group = ((word >> count_bits) - 1) >> group_bits;
            const wide_product scaled = multiply_wide(group, homes);
            return scaled.high == 0 && group < groups.value() ? groups.divide(scaled.low).quotient
                                                              : homes - 1;
        }
    };

public:
    static constexpr std::uint64_t most_moved = sorted_slots<home_of, Words>::most_moved;

    // Of the slots, the first `homes` may be homes.
    basic_counted_list(std::byte* bytes, std::uint64_t slots, std::uint64_t homes, std::uint64_t groups,
                       unsigned group_bits) noexcept
        : group_bits_(group_bits),
          count_bits_(count_bits(groups, group_bits)),
          groups_(groups),
          words_(bytes, slots,
                 {homes, divisor(std::max<std::uint64_t>(groups, 1)), group_bits_, count_bits_}) {}

    // Bits of a word that are left for counting.
    static constexpr unsigned count_bits(std::uint64_t groups, unsigned group_bits) noexcept {
        const unsigned number_bits = static_cast<unsigned>(std::bit_width(groups)) + group_bits;
        return number_bits >= 63 ? 1 : 64 - number_bits;
    }
    static std::optional<std::uint64_t> size_bytes(std::uint64_t slots) {
        return sorted_slots<home_of, Words>::size_bytes(slots);
    }

    std::uint64_t slots() const noexcept { return words_.slots(); }

    bool contains(std::uint64_t number) const noexcept { return holds(find(number), number); }
    // A word counts at least 2^9 times in every layout (most_list_number_bits of balanced_rank).
    static constexpr std::uint64_t most_words_of_a_number = 512;
    // Of a saturated number.
    static constexpr std::uint64_t most_counted = UINT64_MAX;
    std::uint64_t count_of(std::uint64_t number) const noexcept {
        std::uint64_t at = find(number), times = 0;
        if (is_saturated(at, number)) return most_counted;
        for (; holds(at, number); ++at) times = saturating_sum(times, times_of(words_.word(at)));
        return times;
    }
    // Where a group's numbers begin, or would: at its home or a few words behind it.
    void prefetch(std::uint64_t group) const noexcept {
        if (words_.slots() == 0) return;
        const std::byte* const home = words_.home(least_word(group << group_bits_));
        prefetch_for_write(home);
        prefetch_for_write(home + 64);
    }
    // The smallest number of a group that is in the list.
    std::optional<std::uint64_t> first_of(std::uint64_t group) const noexcept {
        return first_within(group << group_bits_, ((group + 1) << group_bits_) - 1);
    }
    // The smallest one between two numbers of one group, both included.
    std::optional<std::uint64_t> first_within(std::uint64_t low, std::uint64_t high) const noexcept {
        const std::uint64_t word = words_.word(find(low));
        if (word == 0 || number_of(word) > high) return std::nullopt;
        return number_of(word);
    }

    // visit(number, times) of the numbers of one group between two, both included, in ascending order; of each word, so that the
    // times of a number are the sum.
    template <class Visit>
    void for_each_within(std::uint64_t low, std::uint64_t high, Visit&& visit) const {
        for (std::uint64_t at = find(low);; ++at) {
            const std::uint64_t word = words_.word(at);
            if (word == 0 || number_of(word) > high) return;
            visit(number_of(word), is_saturated(at, number_of(word)) ? most_counted : times_of(word));
        }
    }
    // Words of the list that are in use.
    std::uint64_t words() const noexcept { return words_.in_use(); }

    // So many times more, one if left out; false if there is no room, and then nothing has changed if it was once.
    bool add(std::uint64_t number, std::uint64_t times = 1) noexcept {
        while (times != 0) {
            const std::uint64_t at = find(number);
            if (!holds(at, number) || times_of(words_.word(at)) == most_times()) {
                if (is_saturated(at, number)) return true;
                if (!words_.insert(at, least_word(number))) return false;
                --times;
            }
            const std::uint64_t room = most_times() - times_of(words_.word(at));
            const std::uint64_t more = std::min(times, room);
            words_.put(at, words_.word(at) + more);
            times -= more;
        }
        return true;
    }
    // Once less, unless it is saturated; false, and nothing changed, if it is not there or stands in a run that no chance made
    // (sorted_slots::erase). What stays costs a false positive and no key.
    bool remove(std::uint64_t number) noexcept {
        const std::uint64_t at = find(number);
        if (!holds(at, number)) return false;
        if (is_saturated(at, number)) return true;
        if (times_of(words_.word(at)) == 1) return words_.erase(at);
        words_.put(at, words_.word(at) - 1);
        return true;
    }

    // The smallest number of a group, once less, and whether the group has any left. If it could not be removed (see there), it
    // is there once more than it should.
    struct taken {
        std::optional<std::uint64_t> number;
        bool has_more;
    };
    taken take_first_of(std::uint64_t group) noexcept {
        const std::uint64_t at = find(group << group_bits_);
        const std::uint64_t word = words_.word(at);
        const auto is_of_group = [&](std::uint64_t other) {
            return other != 0 && number_of(other) >> group_bits_ == group;
        };
        if (!is_of_group(word)) return {std::nullopt, false};
        if (is_saturated(at, number_of(word))) return {number_of(word), true};
        if (times_of(word) == 1) words_.erase(at);
        else words_.put(at, word - 1);
        return {number_of(word), is_of_group(words_.word(at))};
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::uint64_t at = 0; at < words_.slots(); ++at)
            if (const std::uint64_t word = words_.word(at); word != 0) visit(number_of(word), times_of(word));
    }

    result<void> check() const {
        return words_.check([&](std::uint64_t last, std::uint64_t word) {
            if (word < least_word(0) || number_of(word) >> group_bits_ >= groups_) return false;
            return last < least_word(number_of(word)) ||
                   (last <= word && number_of(last) == number_of(word) && times_of(word) == most_times());
        });
    }

private:
    std::uint64_t least_word(std::uint64_t number) const noexcept { return (number + 1) << count_bits_; }
    std::uint64_t number_of(std::uint64_t word) const noexcept { return (word >> count_bits_) - 1; }
    std::uint64_t times_of(std::uint64_t word) const noexcept { return (word & low_bits(count_bits_)) + 1; }
    std::uint64_t most_times() const noexcept { return low_bits(count_bits_) + 1; }
    std::uint64_t find(std::uint64_t number) const noexcept {
        return words_.first_not_below(least_word(number));
    }
    bool holds(std::uint64_t at, std::uint64_t number) const noexcept {
        return words_.word(at) >> count_bits_ == number + 1;
    }

    // `at`: the first word of the number.
    bool is_saturated(std::uint64_t at, std::uint64_t number) const noexcept {
        return holds(at + most_words_of_a_number - 1, number) && times_of(words_.word(at)) == most_times();
    }

    unsigned group_bits_;
    unsigned count_bits_;
    std::uint64_t groups_;
    sorted_slots<home_of, Words> words_;
};

using counted_list = basic_counted_list<>;

MEMBRANE_TARGET_END
