// The planner's ranking as a table, as JSON and as a picture.
#pragma once

#include <string>

#include <membrane/plan/ranking.hpp>

namespace membrane::cli {

// The requirement as one phrase: "1,000,000 keys at a false positive rate of 1 %".
std::string question_text(const plan::requirement& wanted);

void print_plan_text(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command);
void print_plan_json(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command);

// An SVG file: rate against size and against reads for every kind, with the chosen filter marked.
std::string plan_picture(const plan::requirement& wanted, const plan::ranking& ranked);

}  // namespace membrane::cli
