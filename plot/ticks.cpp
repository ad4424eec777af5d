#include "ticks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace membrane::plot {

namespace {

// Tolerance for values on the edge of the axis that a rounding error puts outside.
constexpr double edge = 1e-9;

int decade_of(double value) { return static_cast<int>(std::floor(std::log10(value) + edge)); }

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

// Plain digits if they are short, otherwise a mantissa and a power of ten.
tick labelled(double value, int digits_decade, bool is_plain) {
    if (value == 0) return {0.0, "0", std::nullopt};
    if (is_plain) return {value, fmt::format("{:.{}f}", value, std::max(0, -digits_decade)), std::nullopt};
    const int power = decade_of(std::abs(value));
    const std::string mantissa =
        fmt::format("{:.{}f}", value / power_of_ten(power), std::max(0, power - digits_decade));
    return {value, mantissa == "1" ? std::string("10") : mantissa + "\u00b710", power};
}

tick_set linear_ticks(range limits, int wanted) {
    const double step = nice_step((limits.high - limits.low) / wanted);
    const double largest = std::max(std::abs(limits.low), std::abs(limits.high));
    const bool is_plain = largest < 1e6 && step > 0.9e-4;
    const int decade = decade_of(step);
    tick_set made;
    const auto first = std::ceil(limits.low / step - edge);
    const auto last = std::floor(limits.high / step + edge);
    for (double i = first; i <= last; ++i) made.labelled.push_back(labelled(i * step, decade, is_plain));
    return made;
}

bool inside(double value, range limits) {
    return value >= limits.low * (1 - edge) && value <= limits.high * (1 + edge);
}

// Multiples of each decade: {1} for whole decades, {1, 2, 5} when those would be too few.
void add_decades(tick_set& made, range limits, std::initializer_list<int> multiples, int stride) {
    const int first = decade_of(limits.low);
    const int last = decade_of(limits.high);
    const bool is_plain = first >= -3 && last <= 4;
    for (int decade = first; decade <= last; ++decade)
        for (int digit = 1; digit < 10; ++digit) {
            const double value = digit * power_of_ten(decade);
            if (!inside(value, limits)) continue;
            const bool is_labelled = decade % stride == 0 &&
                                     std::find(multiples.begin(), multiples.end(), digit) != multiples.end();
            if (is_labelled) made.labelled.push_back(labelled(value, decade, is_plain));
            else if (stride == 1 || digit == 1) made.between.push_back(value);
        }
}

tick_set log_ticks(range limits, int wanted) {
    const double decades = std::log10(limits.high / limits.low);
    tick_set made;
    if (decades >= 2) {
        add_decades(made, limits, {1}, std::max(1, static_cast<int>(std::ceil(decades / (1.5 * wanted)))));
        return made;
    }
    add_decades(made, limits, {1, 2, 5}, 1);
    if (made.labelled.size() < 3) return linear_ticks(limits, wanted);
    return made;
}

}  // namespace

double nice_step(double least_step) {
    const double base = power_of_ten(decade_of(least_step));
    for (const double multiple : {1.0, 2.0, 5.0})
        if (multiple * base >= least_step * (1 - edge)) return multiple * base;
    return 10 * base;
}

tick_set make_ticks(scale shape, range limits, int wanted) {
    return shape == scale::linear ? linear_ticks(limits, wanted) : log_ticks(limits, wanted);
}

}  // namespace membrane::plot
