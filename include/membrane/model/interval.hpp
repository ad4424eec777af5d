// Confidence intervals for measured rates: what a test accepts and what a report prints.
//
// A rate measured on F filters with P strangers each varies for two reasons: each filter has a rate of its own (standard deviation
// stddev_between, from the model of the kind), and P strangers are a sample. Variance = stddev_between^2 / F
// + p (1-p) / (F P). A test that ignores the first part fails without a defect.
#pragma once

#include <cstdint>
#include <span>

namespace membrane::model {

struct interval {
    double low = 0;
    double high = 0;

    bool contains(double value) const { return low <= value && value <= high; }
};

// Wilson's score interval for the rate behind `successes` out of `trials`; [0, 1] without trials. Its lower end is 0 without
// successes, its upper end 1 without failures.
interval binomial_interval(std::uint64_t successes, std::uint64_t trials, double sigmas);

interval around(double expected, double stddev, double sigmas);

// The interval for the mean rate over `filters` filters, measured with `probes` strangers each; cut to [0, 1].
interval rate_interval(double expected_rate, std::uint64_t probes, std::uint64_t filters,
                       double stddev_between, double sigmas);
interval five_sigma(double expected_rate, std::uint64_t probes, std::uint64_t filters, double stddev_between);

// Mean and scatter of a sample, one value at a time and without cancellation (Welford).
class running_summary {
public:
    void add(double value);

    std::uint64_t count() const { return count_; }
    double mean() const { return mean_; }
    double variance() const;        // of one value, unbiased; 0 for fewer than two values
    double standard_error() const;  // of the mean; 0 for fewer than two values

private:
    std::uint64_t count_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

struct summary {
    double mean = 0;
    double standard_error = 0;
};

summary summarize(std::span<const double> sample);

}  // namespace membrane::model
