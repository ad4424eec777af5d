#include "model/rank/line_loads.hpp"

#include <algorithm>
#include <cmath>

#include "model/tail_sums.hpp"

namespace membrane::model {

namespace {

// Beyond this the Poisson tail is below 1e-18.
double poisson_reach(double mean) { return std::ceil(mean + 10 * std::sqrt(mean) + 20); }

// Recursion from 0. Means above 745, where e^-mean underflows, exceed every line's cells; the result is then 0.
std::vector<double> poisson_up_to(double mean, std::size_t most) {
    std::vector<double> law(most + 1);
    law[0] = std::exp(-mean);
    for (std::size_t i = 1; i <= most; ++i) law[i] = law[i - 1] * mean / static_cast<double>(i);
    return law;
}

void cut_tail(std::vector<double>& law) {
    while (law.size() > 2 && law.back() < 1e-22) law.pop_back();
}

// law[j] = probability that j entries of a chain are forwarded, with `chain` chains below it.
std::vector<double> clump_of(double chain, double per_chain, double cells) {
    const auto reach = static_cast<std::size_t>(poisson_reach(per_chain));
    const auto most = static_cast<std::size_t>(cells);
    const std::vector<double> in_chain = poisson_up_to(per_chain, reach);
    const double lower = per_chain * chain;
    const double all_forwarded = most == 0 ? 1 : poisson_above(lower, cells - 1);
    const std::vector<double> below = poisson_up_to(lower, most);
    std::vector<double> law(reach + 1);
    double some = 0;
    for (std::size_t j = 1; j <= reach; ++j) {
        law[j] = all_forwarded * in_chain[j];
        // `kept` cells are left for this chain.
        for (std::size_t kept = 1; kept <= std::min(most, reach - j); ++kept)
            law[j] += below[most - kept] * in_chain[kept + j];
        some += law[j];
    }
    law[0] = std::max(0.0, 1 - some);
    cut_tail(law);
    return law;
}

}  // namespace

std::vector<double> continue_chances(double arrivals, double chains, double cells) {
    std::vector<double> chances;
    for (double chain = 1; chain <= chains; ++chain) {
        const double up_to = arrivals * chain / chains;
        const double beyond = arrivals * (1 - chain / chains);
        chances.push_back(poisson_above(up_to, cells) - poisson_at(up_to, cells) * std::expm1(-beyond));
    }
    return chances;
}

double continue_chance(double arrivals, double chains, double cells) {
    double sum = 0;
    for (const double chance : continue_chances(arrivals, chains, cells)) sum += chance;
    return std::min(1.0, sum / chains);
}

std::vector<std::vector<double>> forwarded_clumps(double arrivals, double chains, double cells) {
    std::vector<std::vector<double>> clumps;
    for (double chain = 0; chain < chains; ++chain)
        clumps.push_back(clump_of(chain, arrivals / chains, cells));
    return clumps;
}

std::vector<double> sum_over_chains(const std::vector<std::vector<double>>& clumps) {
    std::vector<double> law{1.0};
    for (const std::vector<double>& clump : clumps) {
        law = convolved(law, clump, law.size() + clump.size());
        cut_tail(law);
    }
    return law;
}

std::vector<double> poisson_law(double mean, double cells) {
    const auto most = static_cast<std::size_t>(poisson_reach(std::max(mean, cells)));
    std::vector<double> law(most + 1);
    for (std::size_t i = 0; i <= most; ++i) law[i] = poisson_at(mean, static_cast<double>(i));
    return law;
}

std::size_t clump_reach(const std::vector<double>& clump, double count, double cells) {
    const double mean = count * mean_of(clump);
    const double deviation = std::sqrt(count * variance_of(clump));
    return static_cast<std::size_t>(std::ceil(std::max(mean, cells) + 12 * deviation + 30));
}

std::vector<double> convolved(const std::vector<double>& law, const std::vector<double>& clump,
                              std::size_t most) {
    std::vector<double> sum(std::min(most + 1, law.size() + clump.size() - 1));
    for (std::size_t i = 0; i < law.size(); ++i) {
        const std::size_t end = i < sum.size() ? std::min(clump.size(), sum.size() - i) : 0;
        for (std::size_t j = 0; j < end; ++j) sum[i + j] += law[i] * clump[j];
    }
    return sum;
}

std::vector<double> sum_of_clumps(const std::vector<double>& clump, double count, std::size_t most) {
    const double log_none = clump[0] > 0 ? count * std::log(clump[0]) : -1e9;
    if (count > static_cast<double>(most) && log_none > -600) {
        // Power of a power series. With more clumps than `most` every factor below is positive.
        std::vector<double> law(most + 1);
        law[0] = std::exp(log_none);
        for (std::size_t i = 1; i <= most; ++i) {
            double sum = 0;
            for (std::size_t k = 1; k <= std::min(i, clump.size() - 1); ++k) {
                const double factor = (count + 1) * static_cast<double>(k) - static_cast<double>(i);
                sum += factor * clump[k] * law[i - k];
            }
            law[i] = sum / (static_cast<double>(i) * clump[0]);
        }
        return law;
    }
    std::vector<double> law{1.0};
    std::vector<double> power = clump;  // sum of 1, 2, 4, ... clumps
    const double whole = std::floor(count);
    for (auto left = static_cast<std::uint64_t>(whole); left > 0; left /= 2) {
        if (left % 2 == 1) law = convolved(law, power, most);
        if (left > 1) power = convolved(power, power, most);
    }
    law.resize(most + 1);
    if (whole == count) return law;
    std::vector<double> next = convolved(law, clump, most);
    next.resize(most + 1);
    for (std::size_t i = 0; i <= most; ++i) law[i] += (count - whole) * (next[i] - law[i]);
    return law;
}

double mean_of(const std::vector<double>& law) {
    double mean = 0;
    for (std::size_t i = 1; i < law.size(); ++i) mean += static_cast<double>(i) * law[i];
    return mean;
}

double variance_of(const std::vector<double>& law) {
    const double mean = mean_of(law);
    double variance = 0;
    for (std::size_t i = 0; i < law.size(); ++i) {
        const double distance = static_cast<double>(i) - mean;
        variance += distance * distance * law[i];
    }
    return variance;
}

excess_moments excess_over(const std::vector<double>& law, double cells) {
    excess_moments moments;
    for (auto i = static_cast<std::size_t>(cells) + 1; i < law.size(); ++i) {
        const double over = static_cast<double>(i) - cells;
        moments.mean += over * law[i];
        moments.square += over * over * law[i];
    }
    return moments;
}

std::vector<double> excess_law(const std::vector<double>& law, double cells) {
    std::vector<double> excess{1};
    for (auto i = static_cast<std::size_t>(cells) + 1; i < law.size(); ++i) {
        excess.push_back(law[i]);
        excess[0] -= law[i];
    }
    return excess;
}

}  // namespace membrane::model
