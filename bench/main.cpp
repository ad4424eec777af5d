// ./dev bench: one row per kind. All rows of a size are measured in turn, several rounds, so that a slow minute of the
// machine hits every row; the table shows the least time of each cell, the CSV also the median.
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "instructions.hpp"
#include "options.hpp"
#include "report.hpp"

#ifndef MEMBRANE_BENCH_FLAGS
#define MEMBRANE_BENCH_FLAGS "unknown flags"
#endif

namespace {

using namespace bench;

membrane::result<table> measure(std::uint64_t keys, double fpr, const options& chosen,
                                const membrane::hasher& hash) {
    const made_keys supply(keys);
    const asked_keys asked(supply, hash);
    const subject_list subjects = make_subjects(keys, fpr, hash, chosen.only);
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    const auto rounds = static_cast<std::size_t>(chosen.rounds);
    auto rows = measure_in_turn(subjects, supply, asked, rounds, [&](std::size_t round, std::size_t row) {
        if (is_terminal)
            std::fprintf(stderr, "\r%llu keys, %g %%: round %zu of %zu, row %zu of %zu ",
                         static_cast<unsigned long long>(keys), 100 * fpr, round + 1, rounds, row + 1,
                         subjects.size());
    });
    if (is_terminal) std::fprintf(stderr, "\n");
    if (!rows) return rows.error();
    return table{keys, fpr, std::move(*rows)};
}

}  // namespace

int main(int count, char** words) {
    const parsed line = parse(count, words);
    if (line.exit_code) return *line.exit_code;
    const options& chosen = line.chosen;
    std::printf("%s\n", MEMBRANE_BENCH_FLAGS);
    const membrane::hasher hash{membrane::hash_id::xxh3, {1, 2}};
    if (chosen.counts_instructions) return mark_instructions(chosen, hash);
    std::vector<table> all;
    bool lost = false, written = true;
    for (const std::uint64_t keys : chosen.sizes)
        for (const double fpr : chosen.rates) {
            auto outcome = measure(keys, fpr, chosen, hash);
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
