// Fig. 1 of the less-hashing paper: the rate of five probe schemes in small filters.
#include <cmath>

#include <fmt/format.h>

#include <lab/catalog.hpp>
#include <lab/measure.hpp>
#include <lab/picture.hpp>

#include "probe_settings.hpp"

namespace membrane::lab {

namespace {

constexpr std::uint64_t strangers = 100'000;  // looked up in each filter

reading simulated_rate(context& lab, const probe_setting& at, const scheme_model& expected) {
    std::uint64_t taken = 0;
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        probe_simulation filter(at, lab.next_seed());
        taken += filter.strangers_taken(strangers);
    }
    const double filters = static_cast<double>(lab.trials());
    const double asked = filters * static_cast<double>(strangers);
    return {static_cast<double>(taken) / asked,
            std::sqrt(expected.stddev_between * expected.stddev_between / filters +
                      expected.rate * (1 - expected.rate) / asked)};
}

}  // namespace

report run_less_hashing_fig1(context& lab) {
    report made;
    made.quantity = "false positive rate";
    made.picture = {"Five ways to get k places out of few hashes",
                    "small filters, k = c ln 2; strides may be zero, as in the paper",
                    {}};
    made.picture.columns = 2;
    made.is_crowded = true;
    const std::uint64_t sizes[]{1'000, 3'000, 10'000};
    std::size_t panel = 0;
    for (const std::uint64_t bits_per_key : {4u, 8u, 12u, 16u}) {
        made.picture.panels.push_back(
            axes(fmt::format("c = {} bits per key", bits_per_key),
                 {"keys in the filter", plot::scale::log10, plot::range{600, 16'000}},
                 {"false positive rate", {}, {}}));
        for (std::size_t scheme = 0; scheme < probe_scheme_names.size(); ++scheme)
            for (const std::uint64_t keys : sizes) {
                const probe_setting at =
                    probe_setting_of(static_cast<probe_scheme>(scheme), keys, bits_per_key);
                const scheme_model expected = model_of(at);
                row each{fmt::format("c = {}, n = {}, {}", bits_per_key, keys, probe_scheme_names[scheme])};
                each.curve = probe_scheme_names[scheme];
                each.x = static_cast<double>(keys);
                each.panel = panel;
                each.model = expected.rate;
                each.margin = expected.margin;
                each.simulated = simulated_rate(lab, at, expected);
                each.measured = measured_rate(lab, {filter_text(at), keys, {}, {}}, strangers);
                made.rows.push_back(std::move(each));
            }
        lab.advance(++panel, 4);
    }
    made.notes = {
        "published: a figure without numbers; the limit for many keys is 0.1469, 0.02158, 0.003142, 4.587e-4",
        "model: exact for standard and partition (prime sub-arrays; a composite size is up to 6 % worse), "
        "to first order in 1/m for the others",
        "drawing the second hash from all of [m], zero included, is the largest error at small n; our "
        "filters leave "
        "zero and even strides out unless asked (strides=any, as here)"};
    return made;
}

}  // namespace membrane::lab
