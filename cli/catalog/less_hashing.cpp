// Catalogue rows: the flat Bloom filter and of its probe schemes with two hashes.
#include <cmath>

#include <membrane/model/less_hashing.hpp>
#include <membrane/model/rate_bound.hpp>

#include "model/domain.hpp"
#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr catalog_parameter array_bits = whole("m", "bits", "bits of the array", 1, 1e17);
constexpr catalog_parameter best_probes = probes.may_be_left_out();

constexpr catalog_parameter flat_in[]{keys, array_bits, best_probes};
constexpr catalog_output flat_out[]{
    {"fpr_asymptotic", "rate", "(1 - e^(-kn/m))^k"},
    {"fpr_exact", "rate", "exact rate at finite size"},
    {"fpr_stddev", "rate", "deviation of one filter's own rate from filter to filter"},
    {"ones", "share", "mean share of ones"},
    {"ones_stddev", "share", "its deviation from filter to filter"},
    whole_output("k", "bits", "bits that a key sets; the best if none was given")};
outcome flat_row(arguments in) {
    const std::uint64_t n = in.whole("n"), m = in.whole("m");
    const std::uint64_t k =
        in.has("k") ? in.whole("k") : best_k(static_cast<double>(m) / static_cast<double>(n));
    return values{bloom_fpr_asymptotic(n, m, k),     bloom_fpr_exact(n, m, k),
                  bloom_fpr_stddev_between(n, m, k), bloom_ones_exact(n, m, k),
                  bloom_ones_stddev(n, m, k),        of(k)};
}

constexpr catalog_parameter size_in[]{keys, rate, best_probes};
constexpr catalog_output size_out[]{whole_output("m", "bits", "least array that has the rate"),
                                    whole_output("k", "bits", "bits that a key sets"),
                                    {"bits_per_key", "bits/key", "m / n"}};
outcome size_row(arguments in) {
    const std::uint64_t n = in.whole("n");
    const auto size =
        in.has("k") ? bits_for_fpr(n, in.number("fpr"), in.whole("k")) : bits_for_fpr(n, in.number("fpr"));
    if (!size) return size.error();
    return values{of(size->size_bits), of(size->k),
                  static_cast<double>(size->size_bits) / static_cast<double>(n)};
}

constexpr std::string_view growths[]{"none", "quadratic", "cubic", "tetrahedral"};
constexpr std::string_view stride_rules[]{"any", "coprime"};
constexpr catalog_parameter growth = choice("growth", "what is added to h1 + i h2", growths, 0);
constexpr catalog_parameter strides =
    choice("strides", "any of 0 .. m - 1, or odd ones (m a multiple of 64)", stride_rules, 0);

constexpr catalog_parameter double_in[]{keys, array_bits, probes, growth, strides};
constexpr catalog_output double_out[]{{"fpr", "rate", "rate, complete to first order in 1/m"},
                                      {"fpr_first_order", "rate", "the shorter first-order form"},
                                      {"fpr_standard", "rate", "exact rate with k independent probes"}};
outcome double_row(arguments in) {
    const std::uint64_t n = in.whole("n"), m = in.whole("m"), k = in.whole("k");
    const auto order = in.choice<growth_order>("growth");
    const auto allowed = in.choice<stride_rule>("strides");
    return values{progression_fpr(n, m, k, order, allowed),
                  order == growth_order::none ? double_hash_fpr_first_order(n, m, k, allowed)
                                              : enhanced_fpr_first_order(n, m, k, order, allowed),
                  bloom_fpr_exact(n, m, k)};
}

constexpr catalog_parameter partition_in[]{
    keys, number("sub_array_bits", "bits", "bits of each of the k sub-arrays; prime for two hashes", 1, 1e17),
    probes};
constexpr catalog_output partition_out[]{
    {"fpr_independent", "rate", "exact rate with an independent probe in each sub-array"},
    {"fpr_two_hash", "rate", "exact rate with probes (h1 + i h2) modulo the prime size"}};
outcome partition_row(arguments in) {
    const std::uint64_t n = in.whole("n"), k = in.whole("k");
    const double bits = in.number("sub_array_bits");
    return values{partitioned_independent_fpr_exact(n, bits, k), partitioned_two_hash_fpr_exact(n, bits, k)};
}

constexpr std::string_view schemes[]{"independent", "double", "quadratic", "cubic", "tetrahedral"};
constexpr catalog_parameter scheme =
    choice("probes", "independent hashes, or two with this growth", schemes, 0);

double mean_rate(arguments in) {
    const std::uint64_t n = in.whole("n"), m = in.whole("m"), k = in.whole("k");
    const std::uint64_t chosen = in.whole("probes");
    if (chosen == 0) return bloom_fpr_exact(n, m, k);
    return progression_fpr(n, m, k, static_cast<growth_order>(chosen - 1), in.choice<stride_rule>("strides"));
}

constexpr catalog_parameter bound_in[]{
    keys,
    array_bits,
    probes,
    scheme,
    strides,
    number("distance", "rate", "distance of a filter's own rate from the asymptotic one", 0, 1)
        .may_be_left_out(),
    number("chance", "chance", "chance that the bound is to have", 1e-300, 1).may_be_left_out(),
    whole("queries", "queries", "queries that the rate is measured with; none: all there are", 1, 1e15)
        .may_be_left_out()};
constexpr catalog_output bound_out[]{{"fpr_asymptotic", "rate", "(1 - e^(-kn/m))^k: the centre"},
                                     {"bias", "rate", "distance of the mean rate from the centre"},
                                     {"distance", "rate", "distance from the centre"},
                                     {"bound", "chance", "bound of the chance of so large a distance"}};
outcome bound_row(arguments in) {
    if (in.has("distance") == in.has("chance"))
        return outside_domain("distance", "either a distance or a chance");
    const rate_scheme filters{in.whole("n"), in.whole("m"), in.whole("k"), mean_rate(in)};
    const std::uint64_t queries = in.has("queries") ? in.whole("queries") : all_queries;
    const auto distance = in.has("distance") ? result<double>(in.number("distance"))
                                             : rate_deviation(filters, in.number("chance"), queries);
    if (!distance) return distance.error();
    const auto bound = rate_deviation_bound(filters, *distance, queries);
    if (!bound) return bound.error();
    return values{bloom_fpr_asymptotic(filters.n, filters.m, filters.k), rate_bias(filters), *distance,
                  *bound};
}

constexpr char family[] = "less hashing";
constexpr catalog_function functions[]{
    {"bloom", family, "The flat Bloom filter with k independent probes.",
     "less hashing, section 2; exact: our own form", flat_in, flat_out, flat_row},
    {"bloom_size", family, "The least flat Bloom filter for a rate.", "less hashing, section 2", size_in,
     size_out, size_row},
    {"double_hash", family, "The flat Bloom filter whose probes come from two hashes.",
     "less hashing, sections 5 and 6; our own first-order terms", double_in, double_out, double_row},
    {"partitioned", family, "k sub-arrays with one probe each.", "less hashing, section 5.1", partition_in,
     partition_out, partition_row},
    {"rate_bound", family, "How far the rate of one filter may lie from the asymptotic one.",
     "less hashing, theorems 7.1 and 7.2", bound_in, bound_out, bound_row},
};

}  // namespace

std::span<const catalog_function> less_hashing_functions() { return functions; }

}  // namespace membrane::model::rows
