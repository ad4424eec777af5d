// Rows measured in turn, several rounds: a slow minute of the machine hits every row, and each row stands beside the plain
// read of one line of an array of its own size, taken in the same round. Medians of such ratios bear a noisy machine.
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
    timings read_ns{};  // of filling::read_ns
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
    bool lookups_only = false;  // filters are filled once, without a clock
};

// Told before each row of each round.
using round_report = std::function<void(std::size_t round, std::size_t row)>;

// Fails only if there is no memory for the array of lines.
result<std::vector<row>> measure_in_turn(const subject_list& subjects, const key_supply& supply,
                                         const asked_keys& asked, const round_plan& plan,
                                         const round_report& report);

double measured_fpr(const row& line);
double quantile_of(std::vector<double> values, double quantile);  // 0 if there is none
// Of the samples that have this column; 0 if none has.
double quantile_ns(const row& line, column which, double quantile);
double quantile_floor(const row& line, double floor_times::*which, double quantile);
// The median over the rounds of a column's time over the plain read of one line, beside its pieces where there was one, or else in
// the same round; 0 if there is none.
double median_floor_ratio(const row& line, column which);

}  // namespace membrane::timing
