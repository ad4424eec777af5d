// A lab item: one table or figure of a paper, or one of our own, as rows that compare the published number, the model, a simulation
// and a measurement of our own filter.
//
// "Simulated" is a plain simulation of the paper's process that shares no code with the filters. "Measured" uses a filter from the
// registry; the column is empty if this build does not have the kind. All random numbers derive from the seed of the context:
// two runs with the same number of trials print the same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/base/result.hpp>
#include <plot/chart.hpp>

#include "dice.hpp"

namespace membrane::lab {

// A mean over trials and its standard deviation (0: not random).
struct reading {
    double value = 0;
    double sigma = 0;
    std::optional<double>
        expected{};  // the expected value, if our filter is known to differ from the paper's
};

// A number as the paper prints it.
struct printed {
    double value = 0;
    double tolerance = 0;      // half of the last printed digit, or the standard error of the paper's trials
    bool is_misprint = false;  // known to be wrong; a note explains it
    bool is_limit = false;     // the model must not exceed it, instead of being equal to it
};

struct row {
    std::string label;
    std::string curve{};  // the curve of the chart it is a point of; empty: not drawn
    double x = 0;
    std::size_t panel = 0;
    std::optional<printed> published{};
    std::optional<double> model{};
    double margin = 0;      // the model's error at this size, because it is a limit or of first order
    bool is_bound = false;  // the model is an upper bound, not an expectation
    std::optional<reading> simulated{};
    std::optional<reading> measured{};
};

struct report {
    std::string quantity;  // what the numbers are, with their unit
    std::vector<row> rows{};
    std::vector<std::string> notes{};
    plot::chart picture{};    // axes and additional curves; draw() adds those of the rows
    bool is_crowded = false;  // curves nearly coincide: markers of different curves are drawn side by side
};

class context {
public:
    context(std::uint64_t trials, std::uint64_t seed, std::function<void(double)> told)
        : trials_(trials), seeds_(seed), filter_seeds_(~seed), told_(std::move(told)) {}

    std::uint64_t trials() const { return trials_; }
    // Simulations and filters have separate sequences, so that an additional kind changes no simulated number.
    std::uint64_t next_seed() { return seeds_.next(); }
    std::uint64_t next_filter_seed() { return filter_seeds_.next(); }
    void advance(std::size_t done, std::size_t all) {
        if (told_) told_(static_cast<double>(done) / static_cast<double>(all));
    }

private:
    std::uint64_t trials_;
    dice seeds_;
    dice filter_seeds_;
    std::function<void(double)> told_;
};

struct experiment {
    std::string_view name;
    std::string_view title;
    std::string_view source;
    std::uint64_t trials;        // filters or simulated processes per row, unless the user says otherwise
    std::uint64_t least_trials;  // fewer are not meaningful
    report (*run)(context&);
};

// Unwraps a result inside the lab, where an error is a bug of the lab itself.
template <class T>
T must(result<T> outcome) {
    if (!outcome) throw std::logic_error("lab: " + describe(outcome.error()));
    return std::move(*outcome);
}

}  // namespace membrane::lab
