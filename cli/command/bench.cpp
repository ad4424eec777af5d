// membrane bench: time, space and rate of each kind on this machine, for a number of keys and a rate or for the user's own
// keys. Kinds are measured in turn, in several rounds, each next to plain reads of cache lines (timing/rounds.hpp).
#include <algorithm>

#include <fmt/core.h>

#include <membrane/runtime/planner.hpp>
#include <timing/filter_subject.hpp>

#include "cli/input/bench_keys.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/bench_report.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/progress.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

constexpr std::uint64_t default_keys = 1'000'000;
// Larger kinds are left out: a count_min sized for a rate has 65 times the bits of the smallest kind.
constexpr double most_times_the_smallest = 10;

struct bench_options {
    key_source source;
    std::vector<std::uint64_t> sizes;
    plan::requirement wanted;
    std::vector<std::string> kinds;
    hash_choice hash;
    std::uint64_t rounds = 3;
    bool is_json = false;
    bool is_quiet = false;
};

std::optional<std::uint64_t> parse_positive_count(std::string_view text) {
    const auto count = parse_count(text);
    return count && *count != 0 ? count : std::nullopt;
}

void declare_bench(const tool_command& command, bench_options& options) {
    command.texts(key_file_value, options.source.files, key_file_value,
                  "Files of keys to measure with; - is standard input; none: keys are generated");
    add_key_format(command, options.source);
    add_parsed_list(command, "--keys", options.sizes, parse_positive_count, "N", count_wanted,
                    "Number of keys (default 1M); of files: the first N different ones (default: all); "
                    "repeat for more tables");
    add_fpr_or_bits(command, options.wanted.fpr, options.wanted.bits_per_key, "Planned");
    command
        .texts("--kind", options.kinds, kind_value,
               "A kind with parameters, as `membrane kinds` lists them; repeat for more (default: all that "
               "`membrane plan` finds fit)")
        .one_value_each();
    add_hash(command, options.hash);
    add_parsed(command, "--rounds", options.rounds, parse_positive_count, "N", count_wanted,
               "Rounds, every kind in each (default 3)");
    add_json(command, options.is_json);
    add_quiet(command, options.is_quiet);
    command.set_examples(
        {"membrane bench --keys 100k --fpr 0.1%",
         "seq 1 100000 | membrane bench - --hash xxh3 --kind bloom --kind blocked_bloom:k=8"});
}

// A kind; the name of its row is the text that the user gave.
struct chosen_filter {
    std::string name;
    filter_spec spec;
};

std::vector<chosen_filter> choose_filters(const bench_options& options, bench_table& table) {
    std::vector<chosen_filter> chosen;
    for (const std::string& text : options.kinds) {
        const kind_choice choice = parse_kind(text);
        if (choice.kind == nullptr)
            fail(exit_code::usage, "--kind: name a kind; without --kind all are measured");
        chosen.push_back({text, choose_or_fail(choice, table.wanted).spec});
    }
    if (!options.kinds.empty()) return chosen;
    const auto ranked = rank_kinds(table.wanted);
    if (!ranked) fail_usage(ranked.error());
    double smallest = 0;
    for (const plan::candidate& each : ranked->candidates)
        if (each.fits && (smallest == 0 || each.filter->bits_per_key < smallest))
            smallest = each.filter->bits_per_key;
    for (const plan::candidate& each : ranked->candidates) {
        if (!each.fits) table.left_out.push_back(fmt::format("{}: {}", each.kind, each.why));
        else if (each.filter->bits_per_key > smallest * most_times_the_smallest)
            table.left_out.push_back(fmt::format("{0}: {1:.0f} bits/key; --kind {0} measures it all the same",
                                                 each.kind, each.filter->bits_per_key));
        else chosen.push_back({std::string(each.kind), each.filter->spec});
    }
    if (chosen.empty()) fail(exit_code::usage, fmt::format("no kind fits: {}", ranked->advice));
    return chosen;
}

// All filters are in memory at once, with the looked-up keys and the array for plain line reads.
void check_memory(const std::vector<chosen_filter>& chosen, const timing::key_supply& supply) {
    const size_limit limit = limit_of({});
    double needed = 0, largest = 0;
    for (const chosen_filter& each : chosen) {
        const auto bytes = static_cast<double>(checked_size(each.spec, limit));
        const auto working = working_bytes(each.spec, supply.members());
        needed += std::max(bytes, working ? static_cast<double>(*working) : bytes);
        largest = std::max(largest, bytes);
    }
    constexpr double bytes_beside_a_key = 48;  // string_view 16, hash 16, offsets 16
    needed += largest + 2 * static_cast<double>(timing::asked_keys::count_for(supply)) *
                            (supply.mean_key_bytes() + bytes_beside_a_key);
    if (needed > static_cast<double>(limit.bytes))
        fail(exit_code::io,
             fmt::format("measuring needs {} of memory, this machine has {}; name fewer kinds "
                         "with --kind, or ask for fewer keys",
                         bytes_text(static_cast<std::uint64_t>(needed)), bytes_text(limit.bytes)));
}

double hash_ns(const timing::key_set& keys, const hasher& hash) {
    const auto hash_each = [&](const auto& each_of) {
        return timing::ns_per(keys.size(), [&] {
            std::uint64_t sum = 0;
            for (const auto& key : each_of) sum += hash(key).low;
            timing::keep(sum);
        });
    };
    std::vector<double> times(3);
    for (double& time : times)
        time =
            keys.type() == timing::key_type::integer ? hash_each(keys.integers()) : hash_each(keys.texts());
    return timing::quantile_of(times, 0.5);
}

bench_table measure(const bench_options& options, const hasher& hash, const timing::key_supply& supply) {
    bench_table table;
    table.mean_key_bytes = supply.mean_key_bytes();
    table.wanted = options.wanted;
    table.wanted.keys = supply.members();
    if (!table.wanted.fpr && !table.wanted.bits_per_key) table.wanted.fpr = plan::default_fpr;
    const std::vector<chosen_filter> chosen = choose_filters(options, table);
    check_memory(chosen, supply);
    const bool has_files = !options.source.files.empty();
    timing::subject_list subjects;
    for (const chosen_filter& each : chosen) {
        table.specs.push_back(each.spec);
        subjects.push_back(std::make_unique<timing::filter_subject>(
            each.name, value_or_fail(each.name, any_filter::create(each.spec, hash)), supply.members(),
            has_files ? timing::asked_with::keys : timing::asked_with::hashes));
    }
    progress bar("making keys", options.rounds * subjects.size(), options.is_quiet, progress_unit::steps);
    const timing::asked_keys asked(supply, hash);
    table.hash_ns = hash_ns(asked.strangers, hash);
    table.rows = value_or_fail("lines of memory",
                               timing::measure_in_turn(subjects, supply, asked, {.rounds = options.rounds},
                                                       [&](std::size_t round, std::size_t row) {
                                                           bar.rename(chosen[row].name);
                                                           bar.update(round * subjects.size() + row, 0);
                                                       }));
    return table;
}

// Calls `use(supply)` for each requested number of keys.
template <class Use>
void for_each_supply(const bench_options& options, const hasher& hash, const Use& use) {
    std::vector<std::uint64_t> sizes = options.sizes;
    if (options.source.files.empty()) {
        if (sizes.empty()) sizes.push_back(default_keys);
        for (const std::uint64_t size : sizes) use(timing::made_keys(size));
        return;
    }
    std::optional<std::uint64_t> most;
    if (!sizes.empty()) most = *std::max_element(sizes.begin(), sizes.end());
    file_keys keys(options.source, hash, most, options.is_quiet);
    if (keys.held() == 0) fail(exit_code::bad_data, "no keys to measure with: the input is empty");
    if (most && *most > keys.held())
        fail(exit_code::usage, fmt::format("--keys: the input has {} different keys, not {}",
                                           count_text(keys.held()), count_text(*most)));
    if (sizes.empty()) sizes.push_back(keys.held());
    for (const std::uint64_t size : sizes) {
        keys.use_first(size);
        use(keys);
    }
}

exit_code perform_bench(const bench_options& options) {
    const bool has_files = !options.source.files.empty();
    if (!has_files && (options.source.format != key_format::lines || options.source.delimiter))
        fail(exit_code::usage,
             "--format and --delimiter say how keys are read; name a file of keys, or - for standard input");
    for (const std::string& text : options.kinds) parse_kind(text);  // fails before any key is read
    const bench_setting setting{has_files, make_hasher(options.hash), options.rounds};
    std::vector<bench_table> tables;
    for_each_supply(options, setting.hash, [&](const timing::key_supply& supply) {
        tables.push_back(measure(options, setting.hash, supply));
        if (options.is_json) return;
        if (tables.size() > 1) out().write("\n");
        print_bench_text(setting, tables.back());
        out().flush();
    });
    if (options.is_json) print_bench_json(setting, tables);
    for (const bench_table& table : tables)
        for (const timing::row& line : table.rows)
            if (line.false_negatives != 0) return exit_code::none;
    return exit_code::done;
}

}  // namespace

void add_bench_command(const tool_command& tool) {
    add_command<bench_options>(tool, "bench", "Measure on this machine: time, space and rate of each kind",
                               declare_bench, perform_bench);
}

}  // namespace membrane::cli
