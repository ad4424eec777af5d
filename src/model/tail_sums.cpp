#include "model/tail_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace membrane::model {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr double least_term = 1e-17;
constexpr double log_two_pi = 1.8378770664093454836;

// ln(x!) minus Stirling's main term; the series is used where its first neglected term is below 1e-16.
double stirling_rest(double x) {
    if (x < 16) {
        double factorial = 1;
        for (double i = 2; i <= x; ++i) factorial *= i;
        return std::log(factorial) - (x + 0.5) * std::log(x) + x - 0.5 * log_two_pi;
    }
    const double y = 1 / (x * x);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - y / 1188) * y) * y) * y) / x;
}

// x ln(x / mean) + mean - x. Near the mean the three terms cancel; there the series of 2 artanh is used.
double deviance(double x, double mean) {
    const double difference = x - mean;
    if (std::abs(difference) > 0.1 * (x + mean)) return x * std::log(x / mean) - difference;
    const double v = difference / (x + mean);
    double sum = difference * v;
    double power = 2 * x * v;
    for (int i = 1; i < 100; ++i) {
        power *= v * v;
        const double before = sum;
        sum += power / (2 * i + 1);
        if (sum == before) break;
    }
    return sum;
}

// Continued fraction of the incomplete beta function by Lentz's method: the tail beyond `threshold` divided by the probability at
// threshold + 1. Fast beyond the mean, O(sqrt(trials)) steps at it.
double binomial_tail_over_next(double trials, double chance, double threshold) {
    const double a = threshold + 1;
    const double b = trials - threshold;
    constexpr double tiny = 1e-300;
    const auto kept_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
    double upper = 1;
    double lower = 1 / kept_from_zero(1 - (a + b) * chance / (a + 1));
    double fraction = lower;
    for (double i = 1; i < 1e8; ++i) {
        const double even = i * (b - i) * chance / ((a + 2 * i - 1) * (a + 2 * i));
        lower = 1 / kept_from_zero(1 + even * lower);
        upper = kept_from_zero(1 + even / upper);
        fraction *= lower * upper;
        const double odd = -(a + i) * (a + b + i) * chance / ((a + 2 * i) * (a + 2 * i + 1));
        lower = 1 / kept_from_zero(1 + odd * lower);
        upper = kept_from_zero(1 + odd / upper);
        const double step = lower * upper;
        fraction *= step;
        if (std::abs(step - 1) < 2e-16) break;
    }
    return fraction * (1 - chance);
}

}  // namespace

double log_poisson_at(double mean, double count) {
    if (mean == 0) return count == 0 ? 0 : never;
    if (count == 0) return -mean;
    return -stirling_rest(count) - deviance(count, mean) - 0.5 * (log_two_pi + std::log(count));
}

double log_binomial_at(double trials, double chance, double count) {
    if (count > trials) return never;
    if (chance == 0) return count == 0 ? 0 : never;
    if (chance == 1) return count == trials ? 0 : never;
    if (count == 0) return trials * std::log1p(-chance);
    if (count == trials) return trials * std::log(chance);
    const double rest = trials - count;
    return stirling_rest(trials) - stirling_rest(count) - stirling_rest(rest) -
           deviance(count, trials * chance) - deviance(rest, trials * (1 - chance)) -
           0.5 * (log_two_pi + std::log(count) + std::log1p(-count / trials));
}

double log_poisson_above(double mean, double threshold) {
    if (mean == 0) return never;
    double sum = 1;
    double term = 1;
    if (threshold + 1 > mean) {
        for (double i = threshold + 2; term > least_term * sum; ++i) sum += term *= mean / i;
        return log_poisson_at(mean, threshold + 1) + std::log(sum);
    }
    for (double i = threshold; i > 0 && term > least_term * sum; --i) sum += term *= i / mean;
    return std::log1p(-std::min(1.0, std::exp(log_poisson_at(mean, threshold)) * sum));
}

double log_binomial_above(double trials, double chance, double threshold) {
    if (threshold >= trials || chance == 0) return never;
    if (chance == 1) return 0;
    if (threshold + 1 > trials * chance) {
        return std::min(0.0, log_binomial_at(trials, chance, threshold + 1) +
                                 std::log(binomial_tail_over_next(trials, chance, threshold)));
    }
    // More than trials - threshold - 1 failures are the same event as at most `threshold` successes.
    const double failures = trials - threshold - 1;
    const double below = std::exp(log_binomial_at(trials, chance, threshold)) *
                         binomial_tail_over_next(trials, 1 - chance, failures);
    return std::log1p(-std::min(1.0, below));
}

double poisson_at(double mean, double count) { return std::exp(log_poisson_at(mean, count)); }
double poisson_above(double mean, double threshold) { return std::exp(log_poisson_above(mean, threshold)); }

double poisson_excess(double mean, double threshold) {
    if (mean == 0) return 0;
    // Below the mean E[X] - threshold is the main term: add the shortfall of the loads under the threshold.
    if (threshold + 1 <= mean) {
        double lack = 0;
        double term = std::exp(log_poisson_at(mean, threshold));
        for (double i = threshold; i > 0 && term > 0; --i) {
            term *= i / mean;
            const double more = (threshold - i + 1) * term;
            lack += more;
            if (more < least_term * lack) break;
        }
        return mean - threshold + lack;
    }
    double sum = 1;
    double term = 1;
    double above = 1;
    for (double i = threshold + 2; above * term > least_term * sum; ++i) {
        term *= mean / i;
        sum += ++above * term;
    }
    return std::exp(log_poisson_at(mean, threshold + 1)) * sum;
}

}  // namespace membrane::model
