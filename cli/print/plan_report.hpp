// The planner's ranking as a table and as a picture.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <membrane/plan/ranking.hpp>
#include <plot/chart.hpp>

namespace membrane::cli {

// The requirement as one phrase: "1,000,000 keys at a false positive rate of 1 %".
std::string question_text(const plan::requirement& wanted);

// The titles, and a row for each kind that fits. A column that is empty in all rows is not shown.
using plan_table_row = std::array<std::string, 13>;
std::vector<plan_table_row> plan_table(const plan::requirement& wanted, const plan::ranking& ranked);

void print_plan_text(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command);

// For every kind: rate against bits per key, with the least that any filter needs; rate against lines that a lookup reads; rate and bits
// per key against the number of keys, also past the plan. The chosen filter is marked.
plot::chart plan_chart(const plan::requirement& wanted, const plan::ranking& ranked);

// The chart as SVG.
std::string plan_picture(const plan::requirement& wanted, const plan::ranking& ranked);

}  // namespace membrane::cli
