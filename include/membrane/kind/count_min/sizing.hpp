// Sizing of count_min in programs that do not link the planner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <membrane/kind/count_min/spec.hpp>

namespace membrane {

// With at least the probability `confidence` an estimate exceeds the true count by at most `error` times the sum of all counts. Rows of
// two hashes with 64-bit counters, dimensions as in model/count_min.hpp. A large error with a confidence of nearly 1 would need more
// copies than there may be: it gets wider rows.
inline result<filter_spec> count_min_spec_for(double error, double confidence) {
    if (!(error > 0 && error < 1))
        return make_error(errc::bad_field, "error")
            .with_note("a fraction of the sum of all counts, between 0 and 1, both excluded");
    // 0.01 would be meant as the chance of failure.
    if (!(confidence >= 0.5 && confidence < 1))
        return make_error(errc::bad_field, "confidence")
            .with_note(
                "the probability that an estimate is within the error: 0.5 to below 1, for example 0.99");
    constexpr double e = 2.718281828459045;
    // Beyond ln(1 / error) rows: two keys may agree in both hashes of a copy.
    const double coincidence_rows = -std::log1p(-std::exp(-2.0) / 2);
    // A quotient that is whole but for rounding is not rounded up.
    const auto whole = [](double value) {
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(value * (1 - 1e-14))));
    };
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    for (;; error /= 2) {
        const double width = 2 * e / error;
        if (!(width < static_cast<double>(count_min_fields[count_min_field::width].most) - 1000))
            return make_error(errc::size_overflow, "width").with_note("ask for a larger error");
        spec[count_min_field::depth] = whole(-std::log(error) + coincidence_rows);
        spec[count_min_field::copies] = whole(std::log1p(-confidence) / std::log(error));
        if (spec[count_min_field::copies] > count_min_fields[count_min_field::copies].most) continue;
        spec[count_min_field::width] = *next_prime(whole(width));
        if (check_count_min_spec(spec)) return spec;
    }
}

}  // namespace membrane
