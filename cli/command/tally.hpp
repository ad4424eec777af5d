// Counts keys into a count-min sketch, one occurrence each, and updates its list of the most frequent keys: every key is
// offered to the list after each of its updates.
#pragma once

#include <cstdint>

#include <membrane/runtime/any_filter.hpp>

#include "cli/input/key_reader.hpp"
#include "cli/print/progress.hpp"

namespace membrane::cli {

// Throws failure if a counter cannot hold another occurrence.
void tally(any_filter& filter, key_reader& reader, progress& bar, std::string_view file);

}  // namespace membrane::cli
