// Numbers formatted for the planner's sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <membrane/plan/ranking.hpp>

namespace membrane::plan {

std::string number_words(double value);        // 2.04, 1, 14.4: three digits, no trailing zeros
std::string percent_words(double rate);        // 0.1 %
std::string bytes_words(std::uint64_t bytes);  // 1.8 MB
std::string lines_words(double lines);         // 1 line, 2.04 lines

// Why `one` does not meet the requirement; empty if it does.
std::string shortcoming(const sized_filter& one, const requirement& wanted);

// How `one` differs from `other`: "reads 1 line instead of 2.04 for 3.1 % more bits".
std::string comparison(const sized_filter& one, const sized_filter& other, std::string_view other_name,
                       bool is_sized_by_rate);

// "erase and count"; empty if nothing was asked for.
std::string needs_words(const capabilities& needs);

}  // namespace membrane::plan
