// A ranking for people and for programs.
#pragma once

#include <string>

#include <membrane/plan/ranking.hpp>

namespace membrane::cli {

// What was asked for, as one phrase: "1,000,000 keys at a false positive rate of 1 %".
std::string question_text(const plan::requirement& wanted);

void print_plan_text(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command);
void print_plan_json(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command);

}  // namespace membrane::cli
