// Measures all rows in turn in several rounds, so that a slow moment of the machine affects every row. Each row is compared with plain
// reads of one line in an array of its own size, measured in the same round; the medians of these ratios are robust to noise.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <membrane/base/result.hpp>

#include "line_floor.hpp"
#include "subject.hpp"

namespace membrane::timing {

struct sample {
    timings ns{};
    timings read_ns{};  // filling::read_ns
    floor_times floor;  // of an array of the row's size, measured beside it
};

struct row {
    std::string name;
    double size_bytes = 0;
    double predicted_fpr = 0;
    double fpr_stddev_between = 0;
    std::uint64_t asked = 0;  // strangers per round
    std::uint64_t false_positives = 0;
    std::uint64_t false_negatives = 0;
    std::vector<sample> samples;
};

using subject_list = std::vector<std::unique_ptr<subject>>;

struct round_plan {
    std::size_t rounds = 1;
    bool lookups_only = false;  // filters are filled once, untimed
};

// Called before each row of each round.
using round_report = std::function<void(std::size_t round, std::size_t row)>;

// Fails only if the array of lines cannot be allocated.
result<std::vector<row>> measure_in_turn(const subject_list& subjects, const key_supply& supply,
                                         const asked_keys& asked, const round_plan& plan,
                                         const round_report& report);

double measured_fpr(const row& line);
double quantile_of(std::vector<double> values, double quantile);  // 0 if there is none
// Over the samples that have this column; 0 if there are none.
double quantile_ns(const row& line, column which, double quantile);
double quantile_floor(const row& line, double floor_times::*which, double quantile);
// The median over the rounds of a column's time divided by the plain read of one line, measured next to its pieces if available, or
// else in the same round; 0 if there is none.
double median_floor_ratio(const row& line, column which);

}  // namespace membrane::timing
