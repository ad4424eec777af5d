#include "rounds.hpp"

#include <algorithm>

namespace membrane::timing {

namespace {

// Filling a large filter dominates the time of a round, so it is filled only once.
constexpr std::uint64_t most_keys_filled_each_round = 20'000'000;

}  // namespace

result<std::vector<row>> measure_in_turn(const subject_list& subjects, const key_supply& supply,
                                         const asked_keys& asked, const round_plan& plan,
                                         const round_report& report) {
    // Filters that are built from all keys at once have no size yet.
    double largest = static_cast<double>(supply.members()) * 2;
    for (const auto& each : subjects) largest = std::max(largest, each->size_bytes());
    const auto floor = line_floor::create(largest);
    if (!floor) return floor.error();
    std::vector<row> rows(subjects.size());
    for (std::size_t round = 0; round < plan.rounds; ++round)
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            report(round, i);
            subject& what = *subjects[i];
            sample taken;
            if (!plan.lookups_only && (round == 0 || supply.members() <= most_keys_filled_each_round)) {
                filling times;
                std::uint64_t turn = 0;
                const auto read = [&](const key_set& keys) { floor->read(what.size_bytes(), keys, ++turn); };
                what.fill(supply, read, times);
                taken.ns = times.ns;
                taken.read_ns = times.read_ns;
            }
            if (plan.lookups_only && round == 0) what.load(supply);
            taken.floor = floor->measure(what.size_bytes(), asked.strangers);
            what.ask(asked, taken.ns);
            rows[i].samples.push_back(taken);
        }
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        row& line = rows[i];
        line.name = subjects[i]->name();
        line.size_bytes = subjects[i]->size_bytes();
        line.predicted_fpr = subjects[i]->predicted_fpr();
        line.fpr_stddev_between = subjects[i]->fpr_stddev_between();
        line.asked = asked.strangers.size();
        line.false_positives = subjects[i]->false_positives;
        line.false_negatives = subjects[i]->false_negatives;
    }
    return rows;
}

double measured_fpr(const row& line) {
    return static_cast<double>(line.false_positives) / static_cast<double>(line.asked);
}

double quantile_of(std::vector<double> values, double quantile) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(quantile * static_cast<double>(values.size() - 1))];
}

double quantile_ns(const row& line, column which, double quantile) {
    std::vector<double> values;
    for (const sample& each : line.samples)
        if (each.ns[which] != 0) values.push_back(each.ns[which]);
    return quantile_of(std::move(values), quantile);
}

double quantile_floor(const row& line, double floor_times::*which, double quantile) {
    std::vector<double> values;
    for (const sample& each : line.samples) values.push_back(each.floor.*which);
    return quantile_of(std::move(values), quantile);
}

double median_floor_ratio(const row& line, column which) {
    std::vector<double> ratios;
    for (const sample& each : line.samples)
        if (each.ns[which] != 0)
            ratios.push_back(each.ns[which] /
                             (each.read_ns[which] != 0 ? each.read_ns[which] : each.floor.plain_ns));
    return quantile_of(std::move(ratios), 0.5);
}

}  // namespace membrane::timing
