// Ascending numbers from functions that return the next one, or none at the end: coarser, and joined.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include <membrane/part/counted_number.hpp>

namespace membrane {

struct number_count {
    std::uint64_t distinct = 0;
    std::uint64_t all = 0;
    std::uint64_t cells = 0;  // that they take in lines at most, which is what a layout is chosen for

    // A number that comes again more often than the cells of two lines is counted in the list.
    static constexpr std::uint64_t most_cells_of_a_number = 128;

    void add(const counted_number& number) noexcept {
        ++distinct;
        all += std::min(number.times, UINT64_MAX - all);
        cells += std::min(number.times, most_cells_of_a_number);
    }
};
template <class Next>
number_count count_of(Next next) {
    number_count count;
    while (const auto number = next()) count.add(*number);
    return count;
}

// Numbers of the larger universe are numbers of the smaller one, too, without their lowest bits.
constexpr bool are_joinable_universes(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t larger = std::max(a, b), smaller = std::min(a, b);
    return smaller != 0 && larger % smaller == 0 && std::has_single_bit(larger / smaller);
}

// Without the lowest bits; numbers that become equal are joined.
template <class Next>
auto coarser(Next next, unsigned bits) {
    return [next = std::move(next), bits, held = std::optional<counted_number>()]() mutable {
        for (;;) {
            auto number = next();
            if (number) number->number >>= bits;
            if (number && held && number->number == held->number) {
                held->times += std::min(number->times, UINT64_MAX - held->times);
                continue;
            }
            const bool is_last = !number;
            std::swap(number, held);
            if (number || is_last) return number;
        }
    };
}

// times(in the first, in the second): how often a number is in the result.
template <class First, class Second, class Times>
auto joined(First first, Second second, Times times) {
    auto x = first(), y = second();
    return [first = std::move(first), second = std::move(second), times, x,
            y]() mutable -> std::optional<counted_number> {
        while (x || y) {
            const bool has_x = x && (!y || x->number <= y->number),
                       has_y = y && (!x || y->number <= x->number);
            counted_number found{has_x ? x->number : y->number, 0};
            found.times = times(has_x ? x->times : 0, has_y ? y->times : 0);
            if (has_x) x = first();
            if (has_y) y = second();
            if (found.times != 0) return found;
        }
        return std::nullopt;
    };
}
// Numbers of either. Equal ones are added up, or stay one in a set.
template <class First, class Second>
auto joined_numbers(First first, Second second, bool keeps_times) {
    return joined(std::move(first), std::move(second), [keeps_times](std::uint64_t a, std::uint64_t b) {
        return keeps_times ? a + std::min(b, UINT64_MAX - a) : std::uint64_t{1};
    });
}
// What the first has more often than the second.
template <class First, class Second>
auto only_in_first(First first, Second second) {
    return joined(std::move(first), std::move(second),
                  [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : std::uint64_t{0}; });
}

}  // namespace membrane
