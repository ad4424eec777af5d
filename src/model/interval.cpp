#include <membrane/model/interval.hpp>

#include <algorithm>
#include <cmath>

namespace membrane::model {

interval binomial_interval(std::uint64_t successes, std::uint64_t trials, double sigmas) {
    if (trials == 0) return {0, 1};
    successes = std::min(successes, trials);
    const auto count = static_cast<double>(trials);
    const double rate = static_cast<double>(successes) / count;
    const double weight = sigmas * sigmas / count;
    const double middle = (rate + weight / 2) / (1 + weight);
    const double half = std::sqrt(weight * (rate * (1 - rate) + weight / 4)) / (1 + weight);
    // Ends that are 0 or 1 in theory are set exactly.
    return {successes == 0 ? 0.0 : std::max(0.0, middle - half),
            successes == trials ? 1.0 : std::min(1.0, middle + half)};
}

interval around(double expected, double stddev, double sigmas) {
    return {expected - sigmas * stddev, expected + sigmas * stddev};
}

interval rate_interval(double expected_rate, std::uint64_t probes, std::uint64_t filters,
                       double stddev_between, double sigmas) {
    if (probes == 0 || filters == 0) return {0, 1};
    const auto filter_count = static_cast<double>(filters);
    const double sampling =
        expected_rate * (1 - expected_rate) / (filter_count * static_cast<double>(probes));
    const double between = stddev_between * stddev_between / filter_count;
    const interval open = around(expected_rate, std::sqrt(std::max(0.0, sampling) + between), sigmas);
    return {std::max(0.0, open.low), std::min(1.0, open.high)};
}

interval five_sigma(double expected_rate, std::uint64_t probes, std::uint64_t filters,
                    double stddev_between) {
    return rate_interval(expected_rate, probes, filters, stddev_between, 5);
}

void running_summary::add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
}

double running_summary::variance() const {
    return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1);
}

double running_summary::standard_error() const {
    return count_ < 2 ? 0 : std::sqrt(variance() / static_cast<double>(count_));
}

summary summarize(std::span<const double> sample) {
    running_summary running;
    for (const double value : sample) running.add(value);
    return {running.mean(), running.standard_error()};
}

}  // namespace membrane::model
