// The rows of a table and their measurements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timing/rounds.hpp"

namespace bench {

using namespace membrane::timing;

// One number of keys, one rate and one key length.
struct table {
    std::uint64_t keys = 0;
    double planned_fpr = 0;
    std::size_t key_bytes = 0;
    std::vector<row> rows;
};

// Every registered kind as the planner sizes it, variants that deserve a row of their own, and other libraries.
subject_list make_subjects(std::uint64_t keys, double fpr, const membrane::hasher& hash,
                           const std::string& only);

// Whether this machine supports the instructions that bench/inlined is compiled for.
bool has_inlined_rows() noexcept;

double bits_per_key(const table& of, const row& line);

}  // namespace bench
