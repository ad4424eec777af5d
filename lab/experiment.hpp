// What a lab item is: one table or figure of a paper, or one of our own, as rows that put the published number, the model, a
// simulation and a measurement of our own filter side by side.
//
// "Simulated" is a plain simulation of the paper's process that shares no code with the filters; "measured" comes out
// of the registry, so a kind that this build does not have leaves its column empty. Everything random is drawn from the
// seed of the context: two runs with the same number of trials print the same.
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
        expected{};  // where our filter is known to differ from the paper's: what it should show
};

// A number as the paper prints it.
struct printed {
    double value = 0;
    double tolerance = 0;      // half of its last digit, or what its own trials scatter by
    bool is_misprint = false;  // known to be wrong; a note says why
    bool is_limit = false;     // what the model must not exceed, rather than what it must equal
};

struct row {
    std::string label;
    std::string curve{};  // which line of the picture it is a point of; none: not drawn
    double x = 0;
    std::size_t panel = 0;
    std::optional<printed> published{};
    std::optional<double> model{};
    double margin = 0;      // by how much the model may be off at this size: it is a limit, or of first order
    bool is_bound = false;  // the model is an upper bound, not an expectation
    std::optional<reading> simulated{};
    std::optional<reading> measured{};
};

struct report {
    std::string quantity;  // what the numbers are, with the unit
    std::vector<row> rows{};
    std::vector<std::string> notes{};
    plot::chart picture{};  // axes and extra curves; those of the rows are added by draw()
    bool is_crowded =
        false;  // its curves nearly coincide: markers of different curves stand beside each other
};

class context {
public:
    context(std::uint64_t trials, std::uint64_t seed, std::function<void(double)> told)
        : trials_(trials), seeds_(seed), filter_seeds_(~seed), told_(std::move(told)) {}

    std::uint64_t trials() const { return trials_; }
    // Simulations and filters draw apart: a kind that is added changes no simulated number.
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
    std::uint64_t least_trials;  // fewer say nothing
    report (*run)(context&);
};

// Arguments inside the lab are known to be good; one that is not is a mistake of the lab itself.
template <class T>
T must(result<T> outcome) {
    if (!outcome) throw std::logic_error("lab: " + describe(outcome.error()));
    return std::move(*outcome);
}

}  // namespace membrane::lab
