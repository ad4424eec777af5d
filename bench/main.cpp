// ./dev bench: one row per kind. All rows of a size are measured in turn, several rounds, so that a slow minute of the
// machine hits every row; the table shows the least time of each cell, the CSV also the median.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "options.hpp"
#include "report.hpp"

#ifndef MEMBRANE_BENCH_FLAGS
#define MEMBRANE_BENCH_FLAGS "unknown flags"
#endif

namespace {

using namespace bench;

// Filling a large filter takes longer than everything else: once is enough.
constexpr std::uint64_t most_keys_filled_each_round = 20'000'000;

table measure(std::uint64_t keys, double fpr, const options& chosen, const membrane::hasher& hash) {
    const asked_keys asked(keys, hash);
    const auto subjects = make_subjects(keys, fpr, hash, chosen.only);
    table measured{keys, fpr, asked.strangers.size(), std::vector<row>(subjects.size())};
    double largest = static_cast<double>(keys) * 2;  // filters that are built from all keys have no size yet
    for (const auto& each : subjects) largest = std::max(largest, each->size_bytes());
    const line_floor floor(largest);
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    for (int round = 0; round < chosen.rounds; ++round)
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            if (is_terminal)
                std::fprintf(stderr, "\r%llu keys, %g %%: round %d of %d, row %zu of %zu ",
                             static_cast<unsigned long long>(keys), 100 * fpr, round + 1, chosen.rounds,
                             i + 1, subjects.size());
            subject& what = *subjects[i];
            sample taken;
            if (round == 0 || keys <= most_keys_filled_each_round) what.fill(keys, taken.ns);
            taken.floor = floor.measure(what.size_bytes(), asked.strangers);
            what.ask(asked, taken.ns);
            measured.rows[i].samples.push_back(taken);
        }
    if (is_terminal) std::fprintf(stderr, "\n");
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        row& line = measured.rows[i];
        line.name = subjects[i]->name();
        line.size_bytes = subjects[i]->size_bytes();
        line.predicted_fpr = subjects[i]->predicted_fpr();
        line.false_positives = subjects[i]->false_positives;
        line.false_negatives = subjects[i]->false_negatives;
    }
    return measured;
}

}  // namespace

int main(int count, char** words) {
    const parsed line = parse(count, words);
    if (line.exit_code) return *line.exit_code;
    const options& chosen = line.chosen;
    std::printf("%s\n", MEMBRANE_BENCH_FLAGS);
    const membrane::hasher hash{membrane::hash_id::xxh3, {1, 2}};
    std::vector<table> all;
    bool lost = false, written = true;
    for (const std::uint64_t keys : chosen.sizes)
        for (const double fpr : chosen.rates) {
            all.push_back(measure(keys, fpr, chosen, hash));
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
