// membrane verify: checks a filter against its plan. Opening the file checks the checksums; all members must be found; the
// rate of false positives must agree with the plan. Strangers are random hashes, which skip the time to make and hash
// keys: a good hash maps keys that were never inserted to random hashes.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include <membrane/model/interval.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/options.hpp"
#include "cli/print/count_report.hpp"
#include "cli/print/json.hpp"
#include "cli/print/key_count.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/progress.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

constexpr double sigmas = 5;

struct verify_options {
    std::string filter;
    key_source members;
    std::uint64_t probes = 1'000'000;
    std::uint64_t seed = 1;
    bool is_json = false;
    bool is_quiet = false;
};

void declare_verify(const tool_command& command, verify_options& options) {
    add_filter(command, options.filter, "The filter file");
    command
        .texts("--members", options.members.files, key_file_value,
               "Keys that must all be found; - is standard input")
        .exactly_one();
    add_count(command, "--probes", options.probes, "Number of random strangers (default 1M)");
    add_count(command, "--seed", options.seed, "Seed of the random strangers (default 1)");
    add_json(command, options.is_json);
    add_quiet(command, options.is_quiet);
    add_key_format(command, options.members);
    command.set_examples(
        {"seq 1 1000 >keys.txt && membrane build -q -o seen.mbr keys.txt && membrane "
         "verify seen.mbr --members keys.txt",
         "seq 1 1000 | membrane build -q -o small.mbr --fpr 1e-4 && membrane verify "
         "small.mbr --probes 10M --json"});
}

class stopwatch {
public:
    void start() { from_ = clock::now(); }
    void stop() { seconds_ += std::chrono::duration<double>(clock::now() - from_).count(); }
    double ns_per(std::uint64_t count) const {
        return count == 0 ? 0 : seconds_ * 1e9 / static_cast<double>(count);
    }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point from_;
    double seconds_ = 0;
};

struct findings {
    std::uint64_t members = 0, false_negatives = 0;
    std::uint64_t false_positives = 0;
    double fpr = 0;
    model::interval interval;
    double planned_fpr = 0, predicted_fpr = 0;
    double ns_per_lookup = 0;
    bool is_ok = false;
};

using answer_bits = std::array<std::uint64_t, key_reader::batch_keys / 64>;

void ask_members(const verify_options& options, const any_view& filter, findings& found) {
    check_keys_fit(options.filter, filter, options.members.format);
    key_reader reader(options.members);
    progress bar("members", reader.total_bytes(), options.is_quiet);
    stopwatch time;
    answer_bits answers{};
    for (auto keys = reader.next_batch(); !keys.empty(); keys = reader.next_batch()) {
        time.start();
        const auto batch = reader.hash_batch(filter.hash());
        const std::size_t present = filter.may_contain_many(batch, answers);
        time.stop();
        found.false_negatives += keys.size() - present;
        bar.update(reader);
    }
    found.members = reader.keys_read();
    if (!options.is_quiet) say_notes(reader.notes());
    found.ns_per_lookup = time.ns_per(found.members);
}

std::uint64_t split_mix(std::uint64_t& state) {
    std::uint64_t word = state += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

void ask_strangers(const verify_options& options, const any_view& filter, findings& found) {
    progress bar("strangers", options.probes, options.is_quiet);
    stopwatch time;
    answer_bits answers{};
    std::array<key_hash, key_reader::batch_keys> hashes{};
    std::uint64_t state = options.seed;
    for (std::uint64_t done = 0; done < options.probes;) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(hashes.size(), options.probes - done));
        for (std::size_t i = 0; i < count; ++i) hashes[i] = {split_mix(state), split_mix(state)};
        time.start();
        found.false_positives += filter.may_contain_many(std::span(hashes).first(count), answers);
        time.stop();
        done += count;
        bar.update(done, done);
    }
    if (found.members == 0) found.ns_per_lookup = time.ns_per(options.probes);
    found.fpr = options.probes == 0
                    ? 0
                    : static_cast<double>(found.false_positives) / static_cast<double>(options.probes);
    found.interval = model::binomial_interval(found.false_positives, options.probes, sigmas);
}

// The rate of one filter varies around the planned rate with its hash key, so the limit includes that variation.
double highest_rate_as_planned(const any_view& filter, const findings& found) {
    const filter_spec& spec = filter.spec();
    const std::uint64_t keys = filter.promised_keys() != 0 ? filter.promised_keys() : different_keys(filter);
    const double planned = spec.planned_fpr != 0 ? spec.planned_fpr : found.predicted_fpr;
    return planned + sigmas * filter.kind().plan.fpr_stddev_between(spec, keys);
}

void print_findings_json(const verify_options& options, const any_view& filter, const findings& found) {
    print_json(json{
        {"file", options.filter},
        {"kind", filter.kind().rules.name},
        {"keys", filter.keys()},
        {"members", found.members},
        {"false_negatives", found.false_negatives},
        {"probes", options.probes},
        {"false_positives", found.false_positives},
        {"fpr", found.fpr},
        {"fpr_low", found.interval.low},
        {"fpr_high", found.interval.high},
        {"planned_fpr", filter.spec().planned_fpr == 0 ? json(nullptr) : json(filter.spec().planned_fpr)},
        {"predicted_fpr", found.predicted_fpr},
        {"ns_per_lookup", found.ns_per_lookup},
        {"ok", found.is_ok},
    });
}

std::string planned_text(const any_view& filter) {
    if (filter.spec().planned_fpr == 0) return "no rate";
    const std::string rate = rate_text(filter.spec().planned_fpr);
    return filter.universe() == 0 ? rate : fmt::format("{}; {}", rate, growth_text(filter));
}

void print_findings_text(const verify_options& options, const any_view& filter, const findings& found) {
    print_row("file", fmt::format("{} ({}, {} keys{}), checksums good", shown_name(options.filter),
                                  filter.kind().rules.name, count_text(different_keys(filter)),
                                  is_count_off(filter) ? " by estimate" : ""));
    if (!options.members.files.empty())
        print_row("members", fmt::format("{} asked, {} missed", count_text(found.members),
                                         count_text(found.false_negatives)));
    print_row("strangers", fmt::format("{} random hashes, {} taken for members", count_text(options.probes),
                                       count_text(found.false_positives)));
    print_row("false positives", fmt::format("{} (5 sigma: {} to {})", rate_text(found.fpr),
                                             rate_text(found.interval.low), rate_text(found.interval.high)));
    print_row("planned", planned_text(filter));
    print_row("predicted", rate_text(found.predicted_fpr) + " for the keys in the filter");
    print_row("lookup", fmt::format("{:.0f} ns per key{}", found.ns_per_lookup,
                                    found.members != 0 ? ", hashing included" : ""));
    print_row("verdict", found.is_ok                  ? "as planned"
                         : found.false_negatives != 0 ? "NOT as planned: members are missing"
                                                      : "NOT as planned: too many false positives");
}

// A count file keeps its promise if the estimates of absent keys are above the promised excess no more often than promised.
struct count_findings {
    std::uint64_t members = 0, missed = 0;
    std::uint64_t above_zero = 0, too_high = 0;
    model::interval interval;
    bool is_ok = false;
};

count_findings check_counts(const verify_options& options, const any_view& filter,
                            const count_promise& promise) {
    count_findings found;
    if (!options.members.files.empty()) {
        findings members;
        ask_members(options, filter, members);
        found.members = members.members;
        found.missed = members.false_negatives;
    }
    progress bar("strangers", options.probes, options.is_quiet);
    std::uint64_t state = options.seed;
    for (std::uint64_t done = 0; done < options.probes; ++done) {
        const key_hash stranger{split_mix(state), split_mix(state)};
        const std::uint64_t estimate = value_or_fail(options.filter, filter.estimate(stranger));
        found.above_zero += estimate != 0 ? 1 : 0;
        found.too_high += estimate > promise.excess ? 1 : 0;
        if (done % 4096 == 0) bar.update(done, done);
    }
    found.interval = model::binomial_interval(found.too_high, options.probes, sigmas);
    found.is_ok = found.missed == 0 && found.interval.low <= promise.delta;
    return found;
}

exit_code verify_counts(const verify_options& options, const any_view& filter) {
    const count_promise promise = count_promise_of(filter);
    const count_findings found = check_counts(options, filter, promise);
    const double part =
        options.probes == 0 ? 0 : static_cast<double>(found.too_high) / static_cast<double>(options.probes);
    if (options.is_json) {
        print_json(json{{"file", options.filter},
                        {"kind", filter.kind().rules.name},
                        {"occurrences", filter.keys()},
                        {"members", found.members},
                        {"missed", found.missed},
                        {"probes", options.probes},
                        {"above_zero", found.above_zero},
                        {"excess", promise.excess},
                        {"too_high", found.too_high},
                        {"too_high_part", part},
                        {"promised_part", promise.delta},
                        {"ok", found.is_ok}});
    } else if (!options.is_quiet || !found.is_ok) {
        print_row("file", fmt::format("{} (count_min, {} occurrences), checksums good",
                                      shown_name(options.filter), count_text(filter.keys())));
        print_row("estimates", count_promise_text(promise));
        if (!options.members.files.empty())
            print_row("members", fmt::format("{} asked, {} with a count of 0", count_text(found.members),
                                             count_text(found.missed)));
        print_row("absent keys",
                  fmt::format("{} random hashes, {} with a count above 0, {} with one above {} ({})",
                              count_text(options.probes), count_text(found.above_zero),
                              count_text(found.too_high), count_text(promise.excess), rate_text(part)));
        print_row("verdict", found.is_ok         ? "as promised"
                             : found.missed != 0 ? "NOT as promised: counted keys have a count of 0"
                                                 : "NOT as promised: too many estimates are too high");
    }
    return found.is_ok ? exit_code::done : exit_code::none;
}

exit_code perform_verify(const verify_options& options) {
    if (!options.members.files.empty()) check_one_reads_input({options.filter}, options.members.files);
    const mapped_filter mapped = open_filter(options.filter);
    const any_view& filter = mapped.view();
    if (is_count_file(filter)) return verify_counts(options, filter);
    findings found;
    found.predicted_fpr = filter.kind().plan.predicted_fpr(filter.spec(), different_keys(filter));
    if (!options.members.files.empty()) ask_members(options, filter, found);
    ask_strangers(options, filter, found);
    found.is_ok = found.false_negatives == 0 && found.interval.low <= highest_rate_as_planned(filter, found);
    if (options.is_json) print_findings_json(options, filter, found);
    else if (!options.is_quiet || !found.is_ok) print_findings_text(options, filter, found);
    return found.is_ok ? exit_code::done : exit_code::none;
}

}  // namespace

void add_verify_command(const tool_command& tool) {
    add_command<verify_options>(tool, "verify",
                                "Check a filter file: intact, no member missed, rate as planned",
                                declare_verify, perform_verify);
}

}  // namespace membrane::cli
