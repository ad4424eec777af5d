// Catalogue rows: confidence intervals of a measured rate.
#include <cmath>

#include <membrane/model/interval.hpp>

#include "model/domain.hpp"
#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr catalog_parameter sigmas =
    number("sigmas", "deviations", "half width of the interval", 0, 100).otherwise(5);
constexpr catalog_output interval_out[]{{"low", "rate", "lower end"}, {"high", "rate", "upper end"}};

constexpr catalog_parameter mean_in[]{
    rate, whole("queries", "queries", "strangers asked for in each filter", 1, 1e15),
    whole("filters", "filters", "filters that are measured", 1, 1e12).otherwise(1),
    number("stddev", "rate", "deviation of one filter's own rate from filter to filter", 0, 1).otherwise(0),
    sigmas};
outcome mean_row(arguments in) {
    const interval found = rate_interval(in.number("fpr"), in.whole("queries"), in.whole("filters"),
                                         in.number("stddev"), in.number("sigmas"));
    return values{found.low, found.high};
}

constexpr catalog_parameter wilson_in[]{whole("hits", "queries", "false positives seen", 0, 1e15),
                                        whole("queries", "queries", "strangers asked for", 1, 1e15), sigmas};
outcome wilson_row(arguments in) {
    if (in.whole("hits") > in.whole("queries")) return outside_domain("hits", "at most as many as queries");
    const interval found = binomial_interval(in.whole("hits"), in.whole("queries"), in.number("sigmas"));
    return values{found.low, found.high};
}

constexpr catalog_parameter queries_in[]{
    rate, number("hits", "queries", "false positives that are to be expected", 1e-6, 1e12).otherwise(10)};
constexpr catalog_output queries_out[]{
    whole_output("queries", "queries", "least number of strangers to ask for"),
    {"expected", "queries", "false positives expected of them"}};
outcome queries_row(arguments in) {
    const double queries = std::ceil(in.number("hits") / in.number("fpr"));
    return values{queries, queries * in.number("fpr")};
}

constexpr char family[] = "measuring";
constexpr catalog_function functions[]{
    {"rate_interval", family, "Where a measured rate must lie if the model is right.", "our own", mean_in,
     interval_out, mean_row},
    {"hits_interval", family, "Where the rate behind so many false positives lies (Wilson).",
     "Wilson's score interval", wilson_in, interval_out, wilson_row},
    {"rate_queries", family, "How many strangers give so many false positives.",
     "less hashing, section 8, Fig. 2", queries_in, queries_out, queries_row},
};

}  // namespace

std::span<const catalog_function> measuring_functions() { return functions; }

}  // namespace membrane::model::rows
