// Catalogue rows: structures that rank-indexed hashing is compared with, and the tail sums of its bounds.
#include <membrane/model/d_left.hpp>
#include <membrane/model/tails.hpp>

#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr catalog_parameter compared_in[]{rate};
constexpr catalog_output compared_out[]{
    {"standard", "bits/key", "flat Bloom filter"},
    {"standard_counting", "bits/key", "the same with 4-bit counters"},
    {"d_left", "bits/key", "d-left hashing: 4 sub-tables, 8 cells, 6 used"},
    {"d_left_counting", "bits/key", "the same with 2-bit counters"},
    {"d_left_trimmed", "bits/key", "d-left without its empty cells"},
    {"cuckoo", "bits/key", "cuckoo filter: 2 buckets of 4 cells, 95 % of them used"}};
outcome compared_row(arguments in) {
    const double fpr = in.number("fpr");
    const auto standard = standard_bloom_bits_per_key(fpr);
    if (!standard) return standard.error();
    return values{*standard,
                  or_nothing(standard_counting_bloom_bits_per_key(fpr)),
                  or_nothing(d_left_bits_per_key(fpr)),
                  or_nothing(d_left_counting_bits_per_key(fpr)),
                  or_nothing(d_left_trimmed_bits_per_key(fpr)),
                  or_nothing(cuckoo_bits_per_key(fpr))};
}

constexpr catalog_parameter compressed_in[]{
    number("bits_per_key", "bits/key", "size of the array", 0.25, 1e12), rate};
constexpr catalog_output compressed_out[]{
    {"k", "bits", "bits that a key sets (real-valued, the smaller of two)"},
    {"coded_bits_per_key", "bits/key", "size of the array coded to its entropy"}};
outcome compressed_row(arguments in) {
    const auto found = compressed_bloom_at(in.number("bits_per_key"), in.number("fpr"));
    if (!found) return found.error();
    return values{found->k, found->coded_bits_per_key};
}

constexpr catalog_parameter array_in[]{
    number("coded_bits_per_key", "bits/key", "size of the array coded to its entropy", 0.01, 1000), rate};
constexpr catalog_output array_out[]{{"bits_per_key", "bits/key", "size of the array"}};
outcome array_row(arguments in) {
    const auto found =
        compressed_bloom_uncompressed_bits_per_key(in.number("coded_bits_per_key"), in.number("fpr"));
    if (!found) return found.error();
    return values{*found};
}

constexpr catalog_parameter threshold = whole("threshold", "", "what is to be exceeded", 0, 1e15);
constexpr catalog_output tail_out[]{{"tail", "chance", "chance of more than the threshold"},
                                    {"log10_tail", "", "its logarithm to base 10; null if it is 0"}};
outcome tail_of(const result<double>& logarithm) {
    if (!logarithm) return logarithm.error();
    return values{chance_of_log(*logarithm), log10_of_log(*logarithm)};
}

constexpr catalog_parameter poisson_in[]{number("mean", "", "mean of the Poisson law", 0, max_tail_mean),
                                         threshold};
outcome poisson_row(arguments in) {
    return tail_of(log_poisson_tail(in.number("mean"), in.whole("threshold")));
}

constexpr catalog_parameter binomial_in[]{
    whole("trials", "", "trials of the binomial law", 0, static_cast<double>(max_tail_trials)),
    number("chance", "chance", "chance of a success", 0, 1), threshold};
outcome binomial_row(arguments in) {
    return tail_of(log_binomial_tail(in.whole("trials"), in.number("chance"), in.whole("threshold")));
}

constexpr char family[] = "rank-indexed";
constexpr catalog_function functions[]{
    {"rank_compared", family, "Bits per key of the filters that rank-indexed hashing is compared with.",
     "rank-indexed, section V, Tables III to V; Fan et al. (CoNEXT 2014) for cuckoo", compared_in,
     compared_out, compared_row},
    {"compressed_bloom", family, "The coded size of a sparse Bloom filter.", "rank-indexed, Table V",
     compressed_in, compressed_out, compressed_row},
    {"compressed_bloom_array", family, "The array of a compressed Bloom filter of a given coded size.",
     "rank-indexed, Table V", array_in, array_out, array_row},
    {"poisson_tail", family, "Strict upper tail of the Poisson law.", "rank-indexed, Table I", poisson_in,
     tail_out, poisson_row},
    {"binomial_tail", family, "Strict upper tail of the binomial law.", "rank-indexed, equation (1)",
     binomial_in, tail_out, binomial_row},
};

}  // namespace

std::span<const catalog_function> comparison_functions() { return functions; }

}  // namespace membrane::model::rows
