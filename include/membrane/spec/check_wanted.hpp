// Which rates and sizes a filter can be made for; the same for the planner and for header-only sizing.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane {

inline constexpr double least_fpr = 1e-18;  // 60 probes; 64 are the most that a kind has

inline result<void> check_wanted_fpr(double fpr) {
    if (!(fpr > 0 && fpr < 1))
        return make_error(errc::bad_field, "fpr")
            .with_note("a false positive rate lies between 0 and 1, both excluded");
    if (fpr < least_fpr)
        return make_error(errc::bad_field, "fpr")
            .with_note("a false positive rate below 1e-18 cannot be planned");
    return {};
}

inline result<void> check_wanted_bits(double bits_per_key) {
    if (!(bits_per_key > 0 && bits_per_key <= 1e6))
        return make_error(errc::bad_field, "bits_per_key")
            .with_note("bits per key lie between 0 and 1000000");
    return {};
}

// Up to how many keys the rate is to be kept; 0: not asked for.
inline result<void> check_wanted_growth(std::uint64_t keys, std::uint64_t grow_to) {
    if (grow_to != 0 && grow_to < keys)
        return make_error(errc::bad_field, "grow_to")
            .with_found(grow_to)
            .with_range(keys, UINT64_MAX)
            .with_note("grow_to is not less than keys: a filter cannot grow to fewer than it begins with");
    return {};
}

}  // namespace membrane
