// membrane lab: recomputes the tables and figures of the papers. Items run in parallel on all cores; each has its own seed,
// so the numbers do not depend on the schedule.
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/core.h>

#include <lab/catalog.hpp>
#include <lab/verdict.hpp>

#include "cli/help/suggestion.hpp"
#include "cli/input/options.hpp"
#include "cli/print/json.hpp"
#include "cli/print/lab_report.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/progress.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

constexpr std::uint64_t steps_per_item = 1000;

struct lab_options {
    std::vector<std::string> names;
    std::optional<std::uint64_t> trials;
    std::string svg_folder;
    bool is_json = false;
    bool is_quiet = false;
};

void declare_lab(const tool_command& command, lab_options& options) {
    command.texts("NAME", options.names, lab_item_value,
                  "Tables and figures to compute, or `all`; without any: list them");
    add_parsed(
        command, "--trials", options.trials, parse_count, "N", count_wanted,
        "Filters or simulated processes per row, instead of each item's own number (never below its least)");
    command.text("--svg", options.svg_folder, "DIR", "Also draw each into DIR/NAME.svg");
    add_json(command, options.is_json);
    add_quiet(command, options.is_quiet);
    command.set_examples(
        {"membrane lab balanced_fig5 --trials 10", "membrane lab rank_table3 rank_fig5 --svg plots"});
}

std::vector<const lab::experiment*> chosen_items(const std::vector<std::string>& names) {
    std::vector<const lab::experiment*> items;
    for (const std::string& name : names) {
        if (name == all_lab_items) {
            items.clear();
            for (const lab::experiment& each : lab::catalog()) items.push_back(&each);
            return items;
        }
        const lab::experiment* const found = lab::find_experiment(name);
        if (found == nullptr) {
            std::vector<std::string_view> known{all_lab_items};
            for (const lab::experiment& each : lab::catalog()) known.push_back(each.name);
            fail(exit_code::usage,
                 fmt::format("lab: no table or figure '{}'{}", name, meant_or_expected(name, known)));
        }
        items.push_back(found);
    }
    return items;
}

// Threads take items in order. Longest first would need the run time of each item in advance.
class lab_run {
public:
    lab_run(std::vector<const lab::experiment*> items, std::uint64_t trials)
        : items_(std::move(items)), trials_(trials), reports_(items_.size()), steps_(items_.size()) {}

    std::vector<lab::report> run(progress& bar) {
        const std::size_t count =
            std::min<std::size_t>(items_.size(), std::max(1U, std::thread::hardware_concurrency()));
        std::vector<std::thread> workers;
        for (std::size_t i = 0; i < count; ++i) workers.emplace_back([this] { work(); });
        while (finished_ < items_.size()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            std::uint64_t done = 0;
            for (const auto& each : steps_) done += each;
            bar.update(done, 0);
        }
        for (std::thread& each : workers) each.join();
        if (problem_) std::rethrow_exception(problem_);
        return std::move(reports_);
    }

private:
    void work() {
        for (std::size_t i = next_++; i < items_.size(); i = next_++) {
            try {
                reports_[i] = lab::run_experiment(*items_[i], trials_, [this, i](double part) {
                    steps_[i] = static_cast<std::uint64_t>(part * steps_per_item);
                });
            } catch (...) {
                const std::lock_guard hold(problem_lock_);
                problem_ = std::current_exception();
            }
            ++finished_;
        }
    }

    std::vector<const lab::experiment*> items_;
    std::uint64_t trials_;
    std::vector<lab::report> reports_;
    std::vector<std::atomic<std::uint64_t>> steps_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> finished_{0};
    std::mutex problem_lock_;
    std::exception_ptr problem_;
};

exit_code perform_lab(const lab_options& options) {
    if (options.names.empty()) {
        if (options.is_json) print_json(lab_list_json());
        else print_lab_list();
        return exit_code::done;
    }
    const auto items = chosen_items(options.names);
    if (!options.svg_folder.empty()) make_folder(options.svg_folder);
    const std::uint64_t trials = options.trials.value_or(0);
    std::vector<lab::report> reports;
    {
        progress bar("lab", steps_per_item * items.size(), options.is_quiet, progress_unit::steps);
        reports = lab_run(items, trials).run(bar);
    }
    json all = json::array();
    bool is_ok = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
        is_ok = is_ok && lab::is_ok(reports[i]);
        if (!options.svg_folder.empty()) save_picture(options.svg_folder, *items[i], reports[i]);
        const std::uint64_t used = lab::trials_of(*items[i], trials);
        if (options.is_json) all.push_back(lab_json(*items[i], used, reports[i]));
        else print_lab_report(*items[i], used, reports[i]);
    }
    if (options.is_json) print_json(all);
    return is_ok ? exit_code::done : exit_code::none;
}

}  // namespace

void add_lab_command(const tool_command& tool) {
    add_command<lab_options>(tool, "lab", "Compute the papers' tables and figures again, four ways",
                             declare_lab, perform_lab);
}

}  // namespace membrane::cli
