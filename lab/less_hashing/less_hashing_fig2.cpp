// Fig. 2 of the less-hashing paper: the number of false positives among 464 strangers (n = 5000, c = 8), compared with the normal
// distribution.
//
// The model is the binomial distribution, averaged over the rates of filters.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <lab/catalog.hpp>
#include <lab/measure.hpp>
#include <lab/picture.hpp>
#include <lab/sample.hpp>

#include "probe_settings.hpp"

namespace membrane::lab {

namespace {

constexpr std::uint64_t keys = 5'000;
constexpr std::uint64_t bits_per_key = 8;
constexpr std::uint64_t strangers = 464;  // ceil(10 / rate)
constexpr std::uint64_t first_bin = 4;    // this many or fewer
constexpr std::uint64_t last_bin = 16;    // this many or more
constexpr double normal_error =
    0.012;  // largest difference of the normal density and the binomial distribution

using histogram = std::vector<double>;  // share of the filters with i false positives

double binomial(double rate, std::uint64_t hits) {
    const double n = static_cast<double>(strangers);
    const double i = static_cast<double>(hits);
    return std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) + i * std::log(rate) +
                    (n - i) * std::log1p(-rate));
}

// Average over the normal distribution of the rates by three-point Gauss-Hermite quadrature.
histogram mixed_law(const scheme_model& expected) {
    histogram law(strangers + 1);
    for (const auto& [place, weight] :
         {std::pair{-std::sqrt(3.0), 1.0 / 6}, std::pair{0.0, 2.0 / 3}, std::pair{std::sqrt(3.0), 1.0 / 6}})
        for (std::uint64_t i = 0; i <= strangers; ++i)
            law[i] += weight * binomial(expected.rate + place * expected.stddev_between, i);
    return law;
}

double normal_density(double x, double rate) {
    const double mean = static_cast<double>(strangers) * rate;
    const double variance = mean * (1 - rate);
    return std::exp(-(x - mean) * (x - mean) / (2 * variance)) /
           std::sqrt(2 * 3.14159265358979323846 * variance);
}

histogram simulated_law(context& lab, const probe_setting& at) {
    histogram law(strangers + 1);
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        probe_simulation filter(at, lab.next_seed());
        law[filter.strangers_taken(strangers)] += 1 / static_cast<double>(lab.trials());
    }
    return law;
}

std::optional<histogram> measured_law(context& lab, const probe_setting& at) {
    const auto spec = spec_of({filter_text(at), keys, {}, {}});
    if (!spec) return std::nullopt;
    histogram law(strangers + 1);
    for_each_filter(lab, *spec, keys, [&](const filled_filter& each) {
        const double taken = each.strangers_taken(strangers) * static_cast<double>(strangers);
        law[static_cast<std::size_t>(std::lround(taken))] += 1 / static_cast<double>(lab.trials());
    });
    return law;
}

double bin(const histogram& law, std::uint64_t number) {
    if (number == first_bin) return std::accumulate(law.begin(), law.begin() + first_bin + 1, 0.0);
    if (number == last_bin) return std::accumulate(law.begin() + last_bin, law.end(), 0.0);
    return law[number];
}

double mean_of_law(const histogram& law) {
    double sum = 0;
    for (std::size_t i = 0; i < law.size(); ++i) sum += static_cast<double>(i) * law[i];
    return sum;
}

double central_moment(const histogram& law, int order) {
    const double mean = mean_of_law(law);
    double sum = 0;
    for (std::size_t i = 0; i < law.size(); ++i)
        sum += std::pow(static_cast<double>(i) - mean, order) * law[i];
    return sum;
}

void add_scheme(context& lab, report& made, probe_scheme scheme) {
    const probe_setting at = probe_setting_of(scheme, keys, bits_per_key);
    const std::string name{probe_scheme_names[static_cast<std::size_t>(scheme)]};
    const scheme_model expected = model_of(at);
    const double filters = static_cast<double>(lab.trials());
    const histogram law = mixed_law(expected);
    const histogram simulated = simulated_law(lab, at);
    const std::optional<histogram> measured = measured_law(lab, at);
    const auto fill = [&](row each, auto value, double sigma) {
        each.model = value(law);
        each.simulated = reading{value(simulated), sigma};
        if (measured) each.measured = reading{value(*measured), sigma};
        made.rows.push_back(std::move(each));
    };
    for (std::uint64_t number = first_bin; number <= last_bin; ++number) {
        const char* const words = number == first_bin ? " or fewer" : number == last_bin ? " or more" : "";
        row each{fmt::format("{}: {}{} taken", name, number, words)};
        if (*words == '\0') {
            each.curve = name;
            each.x = static_cast<double>(number);
            each.published = printed{normal_density(each.x, 0.021577), normal_error};
        }
        const double share = bin(law, number);
        each.margin = 0.01 * share;
        fill(
            std::move(each), [&](const histogram& from) { return bin(from, number); },
            std::sqrt(share * (1 - share) / filters));
    }
    const double variance = central_moment(law, 2);
    row mean{fmt::format("{}: mean", name)};
    mean.margin = expected.margin * static_cast<double>(strangers);
    fill(std::move(mean), mean_of_law, std::sqrt(variance / filters));
    row scatter{fmt::format("{}: variance", name)};
    scatter.margin = 0.01 * variance;
    fill(
        std::move(scatter), [](const histogram& from) { return central_moment(from, 2); },
        std::sqrt((central_moment(law, 4) - variance * variance) / filters));
}

}  // namespace

report run_less_hashing_fig2(context& lab) {
    report made;
    made.quantity = "share of the filters; mean and variance in strangers";
    made.picture = {"How many of 464 strangers a filter takes",
                    "5,000 keys, 8 bits per key; published: the paper's normal curve",
                    {axes("", {"strangers taken for members", {}, {}}, {"share of the filters", {}, {}})}};
    const probe_scheme schemes[]{probe_scheme::partition, probe_scheme::two_hash, probe_scheme::square,
                                 probe_scheme::cube};
    for (std::size_t i = 0; i < std::size(schemes); ++i) {
        add_scheme(lab, made, schemes[i]);
        lab.advance(i + 1, std::size(schemes));
    }
    made.notes = {
        "published: 10,000 f of the paper, the normal density with p = 0.021577, as a share; it is an "
        "approximation of the binomial law",
        "a trial is one filter; the paper has 10,000"};
    return made;
}

}  // namespace membrane::lab
