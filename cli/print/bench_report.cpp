#include "bench_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include <membrane/model/interval.hpp>
#include <membrane/runtime/registry.hpp>
#include <timing/machine.hpp>

#include "json.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "plan_report.hpp"
#include "spec_text.hpp"

namespace membrane::cli {

namespace {

using timing::column;
using timing::row;

constexpr double sigmas = 5;

model::interval interval_of(const row& line) {
    return model::binomial_interval(line.false_positives, line.asked, sigmas);
}

double bits_per_key(const bench_table& table, const row& line) {
    return line.size_bytes * 8 / static_cast<double>(table.wanted.keys);
}

double line_read_ns(const row& line) {
    return timing::quantile_floor(line, &timing::floor_times::plain_ns, 0.5);
}

double median_ns(const row& line, column which) { return timing::quantile_ns(line, which, 0.5); }

std::string time_text(double value) {
    if (value == 0) return "-";
    return value < 99.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string rate_and_interval(const row& line) {
    const model::interval between = interval_of(line);
    return fmt::format("{} ({:.3g} to {:.3g})", rate_text(timing::measured_fpr(line)), between.low * 100,
                       between.high * 100);
}

constexpr std::array one_by_one{timing::insert_one, timing::hit_one, timing::miss_one};
constexpr std::array batched{timing::insert_batch, timing::hit_batch, timing::miss_batch};

// The first row with the smallest value.
template <class Value>
const row& least(const std::vector<row>& rows, const Value& value) {
    return *std::min_element(rows.begin(), rows.end(),
                             [&](const row& a, const row& b) { return value(a) < value(b); });
}

void print_head(const bench_setting& setting, const bench_table& table) {
    out().print("{}; {} keys of {:.3g} bytes; {} rounds\n", question_text(table.wanted),
                setting.has_files ? "your" : "generated", table.mean_key_bytes, setting.rounds);
    out().print("{}; median ns per key, {} hashing ({}: {:.1f} ns a key)\n\n", timing::processor_name(),
                setting.has_files ? "with" : "without", name_of(setting.hash.id), table.hash_ns);
}

void print_rows(const bench_table& table) {
    std::size_t names = 4, rates = 0;
    for (const row& line : table.rows) {
        names = std::max(names, line.name.size());
        rates = std::max(rates, rate_and_interval(line).size());
    }
    out().print("{:{}}  {:8}  {:{}}  {:>8}   {:^20}   {:^20}   {:^21}\n", "", names, "", "", rates, "",
                "---- one by one ----", "---- in batches ----", "---- line reads -----");
    out().print("{:<{}}  {:>8}  {:<{}}  {:>8}   {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}   {:>6} {:>6} {:>7}\n",
                "kind", names, "bits/key", "rate (5 sigma)", rates, "planned", "insert", "hit", "miss",
                "insert", "hit", "miss", "ns", "miss", "batched");
    for (const row& line : table.rows) {
        out().print("{:<{}}  {:>8.2f}  {:<{}}  {:>8}  ", line.name, names, bits_per_key(table, line),
                    rate_and_interval(line), rates, rate_text(line.predicted_fpr));
        for (const column which : one_by_one) out().print(" {:>6}", time_text(median_ns(line, which)));
        out().write("  ");
        for (const column which : batched) out().print(" {:>6}", time_text(median_ns(line, which)));
        out().print("   {:>6}", time_text(line_read_ns(line)));
        out().print(" {:>6}", time_text(timing::median_floor_ratio(line, timing::miss_one)));
        out().print(" {:>7}", time_text(timing::median_floor_ratio(line, timing::miss_batch)));
        out().print("{}\n", line.false_negatives == 0
                                ? ""
                                : fmt::format("   MISSED {} MEMBERS", count_text(line.false_negatives)));
    }
}

constexpr char legend[] =
    "\nline reads: ns to read one random 64-byte line of an array of the filter's size in the same round, "
    "and "
    "how many\n"
    "such reads a miss takes one by one and batched. Every tenth key is inserted one by one, at every "
    "load.\n";

json times_json(const row& line, double (*value)(const row&, column)) {
    struct entry {
        const char* name;
        column which;
    };
    json times = json::object();
    for (const entry& each :
         {entry{"insert", timing::insert_one}, entry{"erase", timing::erase_one},
          entry{"insert_again", timing::insert_again}, entry{"erase_batch", timing::erase_batch},
          entry{"insert_again_batch", timing::insert_again_batch}, entry{"hit", timing::hit_one},
          entry{"miss", timing::miss_one}, entry{"insert_batch", timing::insert_batch},
          entry{"hit_batch", timing::hit_batch}, entry{"miss_batch", timing::miss_batch},
          entry{"miss_batch_two_threads", timing::miss_batch_two_threads}}) {
        const double found = value(line, each.which);
        times[each.name] = found == 0 ? json(nullptr) : json(found);
    }
    return times;
}

json row_json(const bench_table& table, const filter_spec& spec, const row& line) {
    const model::interval between = interval_of(line);
    return json{{"kind", find_entry(spec.kind)->rules.name},
                {"name", line.name},
                {"parameters", parameters_json(spec)},
                {"size_bytes", static_cast<std::uint64_t>(line.size_bytes)},
                {"bits_per_key", bits_per_key(table, line)},
                {"asked", line.asked},
                {"false_negatives", line.false_negatives},
                {"false_positives", line.false_positives},
                {"fpr", timing::measured_fpr(line)},
                {"fpr_low", between.low},
                {"fpr_high", between.high},
                {"predicted_fpr", line.predicted_fpr},
                {"fpr_stddev_between", line.fpr_stddev_between},
                {"line_read_ns", line_read_ns(line)},
                {"ns", times_json(line, median_ns)},
                {"line_reads", times_json(line, timing::median_floor_ratio)}};
}

}  // namespace

void print_bench_text(const bench_setting& setting, const bench_table& table) {
    print_head(setting, table);
    print_rows(table);
    out().write(legend);
    for (const std::string& each : table.left_out) out().print("left out: {}\n", each);
    if (table.rows.size() < 2) return;
    const auto fastest = [&](column one, column batch) {
        const auto name = [&](column which) {
            return least(table.rows, [&](const row& line) { return median_ns(line, which); }).name;
        };
        return name(one) == name(batch) ? name(one)
                                        : fmt::format("{} one by one, {} in batches", name(one), name(batch));
    };
    out().print("\nFewest bits: {}. Fastest misses: {}. Fastest insertions: {}.\n",
                least(table.rows, [](const row& line) { return line.size_bytes; }).name,
                fastest(timing::miss_one, timing::miss_batch),
                fastest(timing::insert_one, timing::insert_batch));
}

void print_bench_json(const bench_setting& setting, const std::vector<bench_table>& tables) {
    json all = json::array();
    for (const bench_table& table : tables) {
        json rows = json::array();
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            rows.push_back(row_json(table, table.specs[i], table.rows[i]));
        all.push_back(json{
            {"keys", table.wanted.keys},
            {"fpr", table.wanted.fpr ? json(*table.wanted.fpr) : json(nullptr)},
            {"bits_per_key", table.wanted.bits_per_key ? json(*table.wanted.bits_per_key) : json(nullptr)},
            {"mean_key_bytes", table.mean_key_bytes},
            {"hash_ns", table.hash_ns},
            {"left_out", table.left_out},
            {"rows", rows}});
    }
    print_json(json{{"processor", timing::processor_name()},
                    {"has_files", setting.has_files},
                    {"hash", name_of(setting.hash.id)},
                    {"rounds", setting.rounds},
                    {"tables", all}});
}

}  // namespace membrane::cli
