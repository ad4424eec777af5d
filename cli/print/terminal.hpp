// The terminal that a stream goes to, if it does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace membrane::cli {

// Columns of the terminal behind the descriptor; otherwise those of the environment variable COLUMNS, or 80.
std::size_t terminal_width(int descriptor);

// The text in bold, if the descriptor is a terminal and NO_COLOR is not set.
std::string emphasised(std::string_view text, int descriptor);

}  // namespace membrane::cli
