// Catalogue rows: the blocked Bloom filter.
#include <cmath>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/lanes.hpp>

#include "model/domain.hpp"
#include "rows.hpp"

namespace membrane::model::rows {

namespace {

// Enough blocks that their loads are Poisson to nine digits.
constexpr double many_blocks = 1e10;

constexpr catalog_parameter filter_in[]{
    number("bits_per_key", "bits/key", "size of the filter", 0.25, 128), block_bits, probes.may_be_left_out(),
    whole("n", "keys", "number of keys; without it very many", 1, 1e12).may_be_left_out()};
constexpr catalog_output filter_out[]{
    {"fpr", "rate", "false positive rate, with the occupancy law of a block"},
    {"fpr_approximate", "rate", "with (1 - e^(-k load / block_bits))^k and Poisson loads"},
    {"fpr_stddev", "rate", "deviation of one filter's own rate from filter to filter; null without n"},
    whole_output("k", "bits", "bits that a key sets; the best if none was given"),
    whole_output("k_approximate", "bits", "the best k of the approximate rate")};

std::uint64_t best_approximate_k(double size, std::uint64_t of_block) {
    std::uint64_t best = 1;
    double least = 2;
    for (std::uint64_t k = 1; k <= 64; ++k) {
        const double found = blocked_bloom_fpr_approximate(size, of_block, k).value();
        if (!(found < least)) continue;
        least = found;
        best = k;
    }
    return best;
}

outcome filter_row(arguments in) {
    const double size = in.number("bits_per_key");
    const std::uint64_t of_block = in.whole("block_bits");
    const double per_block = static_cast<double>(of_block) / size;
    const std::uint64_t k = in.has("k") ? in.whole("k") : blocked_best_k(size, of_block);
    const auto approximate = blocked_bloom_fpr_approximate(size, of_block, k);
    if (!approximate) return approximate.error();
    const double n = in.has("n") ? in.number("n") : std::round(many_blocks * per_block);
    const auto whole_keys = static_cast<std::uint64_t>(n);
    const auto blocks = static_cast<std::uint64_t>(std::max(1.0, std::round(n / per_block)));
    return values{blocked_bloom_fpr(whole_keys, blocks, of_block, k), *approximate,
                  in.has("n")
                      ? catalog_value(blocked_bloom_fpr_stddev_between(whole_keys, blocks, of_block, k))
                      : catalog_value(),
                  of(k), of(best_approximate_k(size, of_block))};
}

constexpr catalog_parameter size_in[]{keys, rate, block_bits};
constexpr catalog_output size_out[]{
    whole_output("blocks", "blocks", "least number of blocks that has the rate"),
    whole_output("k", "bits", "bits that a key sets"),
    {"bits_per_key", "bits/key", "size of the filter"}};
outcome size_row(arguments in) {
    const auto size = blocks_for_fpr(in.whole("n"), in.number("fpr"), in.whole("block_bits"));
    if (!size) return size.error();
    return values{of(size->blocks), of(size->k),
                  static_cast<double>(size->blocks) * in.number("block_bits") / in.number("n")};
}

constexpr catalog_parameter lane_bits_of = whole("lane_bits", "bits", "bits of a lane", 2, 512);
constexpr catalog_parameter lane_count = whole("lanes", "lanes", "lanes of a block", 1, 64);
constexpr catalog_parameter lanes_in[]{number("bits_per_key", "bits/key", "size of the filter", 0.25, 128),
                                       lane_count, lane_bits_of, keys.may_be_left_out()};
constexpr catalog_output lanes_out[]{
    {"fpr", "rate", "false positive rate"},
    {"fpr_stddev", "rate", "deviation of one filter's own rate from filter to filter; null without n"}};
outcome lanes_row(arguments in) {
    const lanes_of_block shape{in.whole("lanes"), in.whole("lane_bits")};
    const double per_block = static_cast<double>(shape.block_bits()) / in.number("bits_per_key");
    const double n = in.has("n") ? in.number("n") : std::round(many_blocks * per_block);
    const auto whole_keys = static_cast<std::uint64_t>(n);
    const auto blocks = static_cast<std::uint64_t>(std::max(1.0, std::round(n / per_block)));
    return values{
        lanes_fpr(whole_keys, blocks, shape),
        in.has("n") ? catalog_value(lanes_fpr_stddev_between(whole_keys, blocks, shape)) : catalog_value()};
}

constexpr catalog_parameter lanes_size_in[]{keys, rate, lane_count, lane_bits_of};
constexpr catalog_output lanes_size_out[]{
    whole_output("blocks", "blocks", "least number of blocks that has the rate"),
    {"bits_per_key", "bits/key", "size of the filter"}};
outcome lanes_size_row(arguments in) {
    const lanes_of_block shape{in.whole("lanes"), in.whole("lane_bits")};
    const auto blocks = lanes_blocks_for_fpr(in.whole("n"), in.number("fpr"), shape);
    if (!blocks) return blocks.error();
    return values{of(*blocks),
                  static_cast<double>(*blocks) * static_cast<double>(shape.block_bits()) / in.number("n")};
}

constexpr char family[] = "blocked Bloom filter";
constexpr catalog_function functions[]{
    {"blocked_bloom", family, "The Bloom filter whose keys set all their bits in one block.",
     "balanced, section IX: the baseline", filter_in, filter_out, filter_row},
    {"blocked_bloom_size", family, "The least blocked Bloom filter for a rate.", "our own", size_in, size_out,
     size_row},
    {"lanes", family, "The blocked Bloom filter whose keys set one bit in each lane of their block.",
     "our own", lanes_in, lanes_out, lanes_row},
    {"lanes_size", family, "The least filter of lanes for a rate.", "our own", lanes_size_in, lanes_size_out,
     lanes_size_row},
};

}  // namespace

std::span<const catalog_function> block_functions() { return functions; }

}  // namespace membrane::model::rows
