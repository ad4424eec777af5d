#include "catalog.hpp"

#include <algorithm>

namespace membrane::lab {

namespace {

constexpr std::string_view balanced =
    "Kanizo, Hay and Keslassy, Access-efficient balanced Bloom filters (technical report)";
constexpr std::string_view choices =
    "Lumetta and Mitzenmacher, Using the power of two choices to improve Bloom filters";
constexpr std::string_view less = "Kirsch and Mitzenmacher, Less hashing, same performance";
constexpr std::string_view rank = "Hua, Zhao, Lin and Xu, Rank-indexed hashing";

constexpr std::string_view own =
    "our own, out of balanced Bloom filters, rank-indexed hashing and the stop rule of the Prefix filter";

constexpr experiment items[]{
    {"balanced_fig2", "Best load law of a block (Fig. 2)", balanced, 40, 10, run_balanced_fig2},
    {"balanced_fig3a", "Least overflow over accesses (Fig. 3a)", balanced, 20, 10, run_balanced_fig3a},
    {"balanced_fig3b", "Least overflow over load (Fig. 3b)", balanced, 20, 10, run_balanced_fig3b},
    {"balanced_fig4", "False positive rate of four filters (Fig. 4)", balanced, 40, 10, run_balanced_fig4},
    {"balanced_fig5", "Loads while a table fills (Fig. 5)", balanced, 100, 10, run_balanced_fig5},
    {"choices_table1", "Rate of the online filter (Table 1)", choices, 100, 10, run_choices_table1},
    {"choices_table2", "Ones of the online filter (Table 2)", choices, 100, 10, run_choices_table2},
    {"choices_table3", "Rate of the offline filter (Table 3)", choices, 100, 10, run_choices_table3},
    {"less_hashing_fig1", "Rate of five probe schemes (Fig. 1)", less, 150, 10, run_less_hashing_fig1},
    {"less_hashing_fig2", "Law of the number of false positives (Fig. 2)", less, 10'000, 1'000,
     run_less_hashing_fig2},
    {"less_hashing_count_min", "Count-min with two hashes (section 9)", less, 20, 5,
     run_less_hashing_count_min},
    {"rank_table1", "Buckets above a threshold (Table I)", rank, 200, 10, run_rank_table1},
    {"rank_table2", "Sizes that do not overflow (Table II)", rank, 100, 10, run_rank_table2},
    {"rank_table3", "Bits per key of sets (Table III)", rank, 1, 1, run_rank_table3},
    {"rank_table4", "Bits per key of counting filters (Table IV)", rank, 1, 1, run_rank_table4},
    {"rank_table5", "Bits per key to transfer (Table V)", rank, 1, 1, run_rank_table5},
    {"rank_fig5", "Bits per key of sets over the rate (Fig. 5)", rank, 1, 1, run_rank_fig5},
    {"rank_fig6", "Bits per key of counting filters over the rate (Fig. 6)", rank, 1, 1, run_rank_fig6},
    {"balanced_rank", "Rank-indexed lines that keep the lowest entries", own, 20, 10, run_balanced_rank},
    {"growth", "Filters with more and more keys", own, 12, 10, run_growth},
};

// Arbitrary; each item has its own position in the sequence, so that running one item alone gives the same numbers.
constexpr std::uint64_t first_seed = 20'260'000;

}  // namespace

std::span<const experiment> catalog() { return items; }

const experiment* find_experiment(std::string_view name) {
    const auto* const found = std::find_if(std::begin(items), std::end(items),
                                           [&](const experiment& each) { return each.name == name; });
    return found == std::end(items) ? nullptr : found;
}

std::uint64_t trials_of(const experiment& item, std::uint64_t asked) {
    return asked == 0 ? item.trials : std::max(asked, item.least_trials);
}

report run_experiment(const experiment& item, std::uint64_t trials, const std::function<void(double)>& told) {
    const auto position = static_cast<std::uint64_t>(&item - items);
    context lab{trials_of(item, trials), (first_seed + position) << 32, told};
    return item.run(lab);
}

}  // namespace membrane::lab
