// The one list of lab items. A new item is a file with its function, a line here and a line in catalog.cpp.
#pragma once

#include <span>
#include <string_view>

#include "experiment.hpp"

namespace membrane::lab {

std::span<const experiment> catalog();
const experiment* find_experiment(std::string_view name);

// Runs with the given number of trials (0: the item's default), but at least the item's minimum.
report run_experiment(const experiment& item, std::uint64_t trials, const std::function<void(double)>& told);
std::uint64_t trials_of(const experiment& item, std::uint64_t asked);

report run_balanced_fig2(context& lab);
report run_balanced_fig3a(context& lab);
report run_balanced_fig3b(context& lab);
report run_balanced_fig4(context& lab);
report run_balanced_fig5(context& lab);
report run_choices_table1(context& lab);
report run_choices_table2(context& lab);
report run_choices_table3(context& lab);
report run_less_hashing_fig1(context& lab);
report run_less_hashing_fig2(context& lab);
report run_less_hashing_count_min(context& lab);
report run_rank_table1(context& lab);
report run_rank_table2(context& lab);
report run_rank_table3(context& lab);
report run_rank_table4(context& lab);
report run_rank_table5(context& lab);
report run_rank_fig5(context& lab);
report run_rank_fig6(context& lab);
report run_balanced_rank(context& lab);
report run_growth(context& lab);

}  // namespace membrane::lab
