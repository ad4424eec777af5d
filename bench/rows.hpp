// The rows of a table and what was measured of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timing/rounds.hpp"

namespace bench {

using namespace membrane::timing;

// One size, rate and length of keys.
struct table {
    std::uint64_t keys = 0;
    double planned_fpr = 0;
    std::size_t key_bytes = 0;
    std::vector<row> rows;
};

// Every registered kind as the planner sizes it, what deserves a row of its own, and what others would pick instead.
subject_list make_subjects(std::uint64_t keys, double fpr, const membrane::hasher& hash,
                           const std::string& only);

double bits_per_key(const table& of, const row& line);

}  // namespace bench
