// Functions shared by the sizing of several kinds.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include <membrane/plan/requirement.hpp>
#include <membrane/spec/check_wanted.hpp>

namespace membrane::plan {

// The kind's initial values, overridden by the user's, with the planned keys and rate filled in.
inline filter_spec start_spec(kind_id kind, std::span<const field_rule> rules, const requirement& wanted,
                              const given_fields& given) {
    filter_spec spec = initial_spec(kind, rules);
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (given.is_given[i]) spec[i] = given.spec[i];
    spec.planned_keys = wanted.keys;
    return spec;
}

inline result<void> check_requirement(const requirement& wanted) {
    if (wanted.fpr)
        if (auto checked = check_wanted_fpr(*wanted.fpr); !checked) return checked;
    if (wanted.bits_per_key)
        if (auto checked = check_wanted_bits(*wanted.bits_per_key); !checked) return checked;
    if (auto checked = check_wanted_growth(wanted.keys, wanted.grow_to); !checked) return checked;
    if (wanted.is_fixed && (wanted.grow_to != 0 || wanted.needs.grow))
        return make_error(errc::bad_field, wanted.grow_to != 0 ? "fixed and grow_to" : "fixed and grow")
            .with_note(
                "a filter either holds no more keys than planned (fixed), or grows: leave out one of them");
    if ((wanted.average_reads && !(*wanted.average_reads >= 1)) ||
        (wanted.worst_reads && !(*wanted.worst_reads >= 1)))
        return make_error(errc::bad_field, "reads").with_note("a lookup reads at least one cache line");
    return {};
}

// The least `size` >= first for which `is_enough(size)` holds, to a relative precision of 1e-5; is_enough must be monotone.
// Returns `limit` if none is enough.
template <class IsEnough>
std::uint64_t grow_until(std::uint64_t first, std::uint64_t limit, const IsEnough& is_enough) {
    std::uint64_t low = first, step = 1 + first / 1024;
    if (is_enough(low)) return low;
    std::uint64_t high = low;
    while (high < limit && !is_enough(high)) {
        low = high;
        high = limit - high < step ? limit : high + step;
        step = step > limit / 2 ? limit : step * 2;
    }
    const std::uint64_t close_enough = first / 100'000;
    while (high - low > 1 + close_enough) {
        const std::uint64_t middle = low + (high - low) / 2;
        (is_enough(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace membrane::plan
