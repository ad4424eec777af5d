// The rows of a table and what was measured of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "line_floor.hpp"
#include "subject.hpp"

namespace bench {

struct sample {
    timings ns{};
    floor_times floor;  // of an array of the row's size, measured beside it
};

struct row {
    std::string name;
    double size_bytes = 0;
    double predicted_fpr = 0;
    std::uint64_t false_positives = 0;
    std::uint64_t false_negatives = 0;
    std::vector<sample> samples;
};

// One size and rate.
struct table {
    std::uint64_t keys = 0;
    double planned_fpr = 0;
    std::uint64_t asked = 0;  // strangers per round
    std::vector<row> rows;
};

// Every registered kind as the planner sizes it, what deserves a row of its own, and what others would pick instead.
std::vector<std::unique_ptr<subject>> make_subjects(std::uint64_t keys, double fpr,
                                                    const membrane::hasher& hash, const std::string& only);

double bits_per_key(const table& of, const row& line);
double measured_fpr(const table& of, const row& line);
// Of the samples that have this column; 0 if none has.
double quantile_ns(const row& line, column which, double quantile);
// The median over the rounds of a column's time over the plain read of one line in the same round; 0 if there is none.
double median_floor_ratio(const row& line, column which);

}  // namespace bench
