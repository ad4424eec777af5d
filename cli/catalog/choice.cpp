// Catalogue rows: the Bloom filter with choices.
#include <membrane/model/blocked.hpp>
#include <membrane/model/blocked_choice.hpp>
#include <membrane/model/two_choice.hpp>

#include "model/domain.hpp"
#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr catalog_parameter choices = whole("choices", "groups", "groups of k bits to choose from", 1, 64);

constexpr catalog_parameter filter_in[]{
    bits_per_key, choices, probes.may_be_left_out(),
    whole("n", "keys", "number of keys, for the deviation between filters", 1, 1e12).may_be_left_out()};
constexpr catalog_output filter_out[]{
    {"ones", "share", "share of ones in the array"},
    {"fpr", "rate", "false positive rate, from the ones"},
    whole_output("k", "bits", "bits that a key sets; the best if none was given"),
    {"ones_stddev", "share", "deviation of the share of ones from filter to filter; null without n"},
    {"fpr_stddev", "rate", "deviation of one filter's own rate from filter to filter; null without n"}};
outcome filter_row(arguments in) {
    const double size = in.number("bits_per_key");
    const std::uint64_t groups = in.whole("choices");
    const auto k = in.has("k") ? result<std::uint64_t>(in.whole("k")) : choice_bloom_best_k(size, groups);
    if (!k) return k.error();
    const auto ones = choice_bloom_ones(size, groups, *k);
    if (!ones) return ones.error();
    values found{*ones, choice_bloom_fpr_from_ones(*ones, groups, *k).value(), of(*k), {}, {}};
    if (in.has("n")) {
        found[3] = or_nothing(choice_bloom_ones_stddev(size, groups, *k, in.whole("n")));
        found[4] = or_nothing(choice_bloom_fpr_stddev_between(size, groups, *k, in.whole("n")));
    }
    return found;
}

constexpr catalog_parameter ones_in[]{number("ones", "share", "share of ones in the array", 0, 1), choices,
                                      probes};
constexpr catalog_output ones_out[]{{"fpr", "rate", "false positive rate"}};
outcome ones_row(arguments in) {
    const auto fpr = choice_bloom_fpr_from_ones(in.number("ones"), in.whole("choices"), in.whole("k"));
    if (!fpr) return fpr.error();
    return values{*fpr};
}

constexpr catalog_parameter deviation_in[]{
    keys, probes,
    number("distance", "bits", "distance of the number of ones from its mean", 0, 1e15).may_be_left_out(),
    number("chance", "chance", "chance that the bound is to have", 1e-300, 1).may_be_left_out()};
constexpr catalog_output deviation_out[]{{"distance", "bits", "distance of the number of ones from its mean"},
                                         {"bound", "chance", "bound of the chance of so large a distance"}};
outcome deviation_row(arguments in) {
    if (in.has("distance") == in.has("chance"))
        return outside_domain("distance", "either a distance or a chance");
    const std::uint64_t n = in.whole("n"), k = in.whole("k");
    const auto distance = in.has("distance") ? result<double>(in.number("distance"))
                                             : choice_bloom_deviation(n, k, in.number("chance"));
    if (!distance) return distance.error();
    const auto bound = choice_bloom_deviation_bound(n, k, *distance);
    if (!bound) return bound.error();
    return values{*distance, *bound};
}

constexpr std::string_view search_names[]{"greedy", "annealed"};
constexpr catalog_parameter blocked_in[]{
    bits_per_key, whole("choices", "groups", "groups of k bits of one block to choose from", 1, 4),
    probes.may_be_left_out(),
    whole("rounds", "rounds", "1: keys choose as they come; more: all together, this often", 1, 100'000)
        .otherwise(1),
    choice("search", "how the rounds choose", search_names, 1)};
constexpr catalog_output blocked_out[]{
    {"fpr", "rate", "false positive rate of very many blocks"},
    whole_output("k", "bits", "bits that a key sets; the best if none was given")};
outcome blocked_row(arguments in) {
    const double size = in.number("bits_per_key");
    choosing_in_blocks way{in.whole("choices"), 0, in.whole("rounds"), in.choice<round_search>("search")};
    way.k = in.has("k") ? in.whole("k") : blocked_best_k(size, blocked_choice::block_bits);
    double best = blocked_choice(way).rate(size);
    // More choices fill the block less, and more places then pay.
    for (choosing_in_blocks next = way; !in.has("k") && ++next.k <= 64; way = next) {
        const double rate = blocked_choice(next).rate(size);
        if (!(rate < best)) break;
        best = rate;
    }
    return values{best, of(way.k)};
}

constexpr char family[] = "choices";
constexpr catalog_function functions[]{
    {"choice_bloom", family, "The Bloom filter whose keys set the group that needs the fewest new ones.",
     "two choices, equation (3.2)", filter_in, filter_out, filter_row},
    {"blocked_choice_bloom", family, "The same with all groups of a key in one block of 512 bits.",
     "two choices, section 5; our own", blocked_in, blocked_out, blocked_row},
    {"choice_bloom_from_ones", family, "Its rate when the share of ones is known, online or offline.",
     "two choices, section 3", ones_in, ones_out, ones_row},
    {"choice_bloom_deviation", family, "How far the number of ones may lie from its mean.",
     "two choices, theorem 3.2", deviation_in, deviation_out, deviation_row},
};

}  // namespace

std::span<const catalog_function> choice_functions() { return functions; }

}  // namespace membrane::model::rows
