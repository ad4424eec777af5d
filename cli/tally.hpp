// Counts keys into a filter that counts, one occurrence each, and keeps its list of the most counted keys right: every
// key is offered to the list after each of its updates.
#pragma once

#include <cstdint>

#include <membrane/runtime/any_filter.hpp>

#include "key_reader.hpp"
#include "progress.hpp"

namespace membrane::cli {

// Throws failure if a counter cannot hold another occurrence.
void tally(any_filter& filter, key_reader& reader, progress& bar, std::string_view file);

}  // namespace membrane::cli
