// Fig. 5 and 6 of the rank-indexed paper: bits per key over the rate, 0.1 to 1e-7, for sets and for counting filters.
#include <cmath>

#include <fmt/format.h>

#include <membrane/model/d_left.hpp>
#include <membrane/model/rank_optimum.hpp>

#include <lab/catalog.hpp>
#include <lab/measure.hpp>
#include <lab/picture.hpp>

#include "rank_settings.hpp"

namespace membrane::lab {

namespace {

constexpr int steps = 13;  // two a decade
constexpr double rounding_of_filters = 0.03;

double rate_at(int step) { return std::pow(10.0, -1 - 0.5 * step); }

double rank_bits(double rate, std::uint64_t value_bits) {
    return must(model::best_rank_shape({rank_keys, rate, 1e-10, value_bits, model::overflow_rule::bound}))
        .bits_per_key;
}

void add(report& made, std::string curve, double rate, double bits, std::optional<reading> measured = {},
         std::optional<printed> published = {}) {
    row each{fmt::format("{:.3g}, {}", rate, curve), std::move(curve), rate};
    each.published = published;
    each.model = bits;
    each.margin = rounding_of_filters * bits;
    each.measured = measured;
    made.rows.push_back(std::move(each));
}

// The bits that the paper's tables print for its own shapes: an upper limit for ours.
std::optional<printed> limit_at(double rate, std::initializer_list<double> printed_bits) {
    for (std::size_t i = 0; i < std::size(rank_settings); ++i)
        if (std::abs(rate / rank_settings[i].target - 1) < 1e-9)
            return printed{printed_bits.begin()[i], 0.05, false, true};
    return std::nullopt;
}

report start(const char* title) {
    report made;
    made.quantity = "bits per key";
    made.picture = {title,
                    "100,000 keys; rank-indexed: our shape for each rate, chance of overflow at most 1e-10",
                    {axes("", {"false positive rate", plot::scale::log10, {}}, {"bits per key", {}, {}})}};
    made.notes = {
        "published: Tables III and IV at 1, 0.1 and 0.01 %, as limits for our shapes; the figures have no "
        "numbers",
        "measured: bits of the whole filter as the planner sizes it"};
    return made;
}

}  // namespace

report run_rank_fig5(context& lab) {
    report made = start("Bits per key of a set over its rate");
    for (int step = 0; step < steps; ++step) {
        const double rate = rate_at(step);
        add(made, "standard Bloom", rate, must(model::standard_bloom_bits_per_key(rate)),
            measured_bits_per_key({"bloom:probes=independent", rank_keys, {}, rate}));
        add(made, "d-left", rate, must(model::d_left_bits_per_key(rate)));
        add(made, "rank-indexed", rate, rank_bits(rate, 0),
            measured_bits_per_key({"rank", rank_keys, {}, rate}), limit_at(rate, {10.6, 14.4, 18.2}));
        lab.advance(static_cast<std::size_t>(step) + 1, steps);
    }
    return made;
}

report run_rank_fig6(context& lab) {
    report made = start("Bits per key of a counting filter over its rate");
    for (int step = 0; step < steps; ++step) {
        const double rate = rate_at(step);
        add(made, "counting Bloom", rate, must(model::standard_counting_bloom_bits_per_key(rate)),
            measured_bits_per_key({"counting_bloom:probes=independent", rank_keys, {}, rate}));
        add(made, "d-left", rate, must(model::d_left_counting_bits_per_key(rate)));
        add(made, "rank-indexed", rate, rank_bits(rate, 2),
            measured_bits_per_key({"rank:mode=counting", rank_keys, {}, rate}),
            limit_at(rate, {13.0, 16.8, 20.6}));
        lab.advance(static_cast<std::size_t>(step) + 1, steps);
    }
    return made;
}

}  // namespace membrane::lab
