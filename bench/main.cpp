// ./dev bench: one row per kind. All rows of a size are measured in turn in several rounds, so that a slow moment of the machine
// affects every row; the table shows the least time of each cell, the CSV also the median.
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "growth.hpp"
#include "instructions.hpp"
#include "integers.hpp"
#include "options.hpp"
#include "report.hpp"
#include "threads.hpp"

#ifndef MEMBRANE_BENCH_FLAGS
#define MEMBRANE_BENCH_FLAGS "unknown flags"
#endif

namespace {

using namespace bench;

membrane::result<table> measure(table what, const options& chosen, const membrane::hasher& hash) {
    const made_keys supply(what.keys, what.key_bytes);
    const asked_keys asked(supply, hash);
    const subject_list subjects = make_subjects(what.keys, what.planned_fpr, hash, chosen.only);
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    const round_plan plan{static_cast<std::size_t>(chosen.rounds), chosen.lookups_only};
    auto rows = measure_in_turn(subjects, supply, asked, plan, [&](std::size_t round, std::size_t row) {
        if (is_terminal)
            std::fprintf(stderr, "\r%llu keys, %g %%: round %zu of %zu, row %zu of %zu ",
                         static_cast<unsigned long long>(what.keys), 100 * what.planned_fpr, round + 1,
                         plan.rounds, row + 1, subjects.size());
    });
    if (is_terminal) std::fprintf(stderr, "\n");
    if (!rows) return rows.error();
    what.rows = std::move(*rows);
    // Row names identify rows across tables; tables with several key lengths need the length in the name.
    if (chosen.key_bytes.size() > 1)
        for (row& line : what.rows) line.name += ", " + std::to_string(what.key_bytes) + " bytes";
    return what;
}

std::vector<table> wanted_tables(const options& chosen) {
    std::vector<table> wanted;
    for (const std::uint64_t keys : chosen.sizes)
        for (const double fpr : chosen.rates)
            for (const std::size_t key_bytes : chosen.key_bytes) wanted.push_back({keys, fpr, key_bytes, {}});
    return wanted;
}

}  // namespace

int main(int count, char** words) {
    const parsed line = parse(count, words);
    if (line.exit_code) return *line.exit_code;
    const options& chosen = line.chosen;
    std::printf("%s\n", MEMBRANE_BENCH_FLAGS);
    const membrane::hasher hash{membrane::hash_id::xxh3, {1, 2}};
    if (chosen.counts_instructions) return mark_instructions(chosen, hash);
    if (chosen.measures_integers) return measure_integers(chosen);
    if (chosen.measures_threads) return measure_threads(chosen);
    if (chosen.measures_growth) return measure_growth(chosen, hash);
    std::vector<table> all;
    bool lost = false, written = true;
    for (const table& wanted : wanted_tables(chosen)) {
        auto outcome = measure(wanted, chosen, hash);
        if (!outcome) {
            std::fprintf(stderr, "bench: %s\n", membrane::describe(outcome.error()).c_str());
            return 4;
        }
        all.push_back(std::move(*outcome));
        const table& measured = all.back();
        if (measured.rows.empty()) {
            std::fprintf(stderr, "bench: no row's name contains '%s'\n", chosen.only.c_str());
            return 2;
        }
        print_table(measured);
        print_ratios(measured);
        std::fflush(stdout);
        if (!chosen.csv.empty()) written = append_csv(chosen.csv, measured) && written;
        for (const row& each : measured.rows) lost = lost || each.false_negatives != 0;
    }
    if (!chosen.svg.empty()) written = write_charts(chosen.svg, all) && written;
    if (!written) return 4;
    return lost ? 1 : 0;
}
