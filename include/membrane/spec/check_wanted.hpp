// Which rates and sizes a filter can be made for; the same for the planner and for header-only sizing.
#pragma once

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

}  // namespace membrane
