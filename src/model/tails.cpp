#include <membrane/model/tails.hpp>

#include <cmath>

#include "model/tail_sums.hpp"

namespace membrane::model {

result<double> log_poisson_tail(double mean, std::uint64_t threshold) {
    if (!(mean >= 0 && mean <= max_tail_mean))
        return make_error(errc::bad_field, "mean").with_note("a mean is 0 to 1e13");
    return log_poisson_above(mean, static_cast<double>(threshold));
}

result<double> poisson_tail(double mean, std::uint64_t threshold) {
    const auto logarithm = log_poisson_tail(mean, threshold);
    if (!logarithm) return logarithm.error();
    return std::exp(*logarithm);
}

result<double> log_binomial_tail(std::uint64_t trials, double chance, std::uint64_t threshold) {
    if (trials > max_tail_trials)
        return make_error(errc::bad_field, "trials").with_found(trials).with_range(0, max_tail_trials);
    if (!(chance >= 0 && chance <= 1))
        return make_error(errc::bad_field, "chance").with_note("a chance is 0 to 1");
    return log_binomial_above(static_cast<double>(trials), chance, static_cast<double>(threshold));
}

result<double> binomial_tail(std::uint64_t trials, double chance, std::uint64_t threshold) {
    const auto logarithm = log_binomial_tail(trials, chance, threshold);
    if (!logarithm) return logarithm.error();
    return std::exp(*logarithm);
}

}  // namespace membrane::model
