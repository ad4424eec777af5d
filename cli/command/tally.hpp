// Counts keys into a count-min sketch, one occurrence each, and updates its list of the most frequent keys: every key is
// offered to the list after each of its updates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <membrane/kind/count_min/heavy_hitters.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "cli/input/key_reader.hpp"
#include "cli/print/progress.hpp"

namespace membrane::cli {

class tally {
public:
    tally(any_filter& filter, std::string file);

    // Throws failure if a counter cannot hold another occurrence.
    void add(const key_reader::hashed_batch& batch);
    // Puts the list into the filter, which does not have it before.
    void settle();
    std::vector<counted_key> most_counted() const { return most_counted_.sorted(); }

private:
    any_filter* filter_;
    std::string file_;
    heavy_hitters most_counted_;
};

// All keys of the reader.
void tally_all(any_filter& filter, key_reader& reader, progress& bar, const std::string& file);

}  // namespace membrane::cli
