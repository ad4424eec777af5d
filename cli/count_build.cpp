// membrane count build: counts every occurrence of every key into a count-min sketch, and remembers the most counted.
#include <fmt/format.h>

#include <membrane/plan/kind_plans.hpp>
#include <membrane/kind/count_min/spec.hpp>

#include "count_commands.hpp"
#include "filter_io.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "tally.hpp"

namespace membrane::cli {

namespace {

struct count_build_options {
    key_source source;
    std::string output;
    double eps = 0.001;
    double delta = 0.001;
    std::uint64_t rows = rows::two_hash;
    std::uint64_t cell_bits = 64;
    bool is_conservative = false;
    std::uint64_t top_slots = 1000;
    std::uint64_t top_key_bytes = 64;
    hash_choice hash;
    std::optional<std::uint64_t> max_bytes;
    bool is_forced = false;
    bool is_quiet = false;
};

void declare_count_build(CLI::App& command, count_build_options& options) {
    add_key_files(command, options.source);
    add_output(command, options.output, "The file to make");
    add_parsed(
        command, "--eps", options.eps, parse_rate, "E", rate_wanted,
        "An estimate is too high by at most E times the number of all occurrences (default 0.001) ...");
    add_parsed(command, "--delta", options.delta, parse_rate, "D", rate_wanted,
               "... except with a chance of D (default 0.001)");
    const std::vector<std::string> row_choices(rows_names.begin(), rows_names.end());
    add_choice(
        command, "--rows", row_choices, [&options](std::size_t i) { options.rows = i; },
        "One hash per row, or two hashes for all rows (default two_hash)");
    command.add_flag("--conservative", options.is_conservative,
                     "Raise only the counters that must rise: smaller errors");
    add_choice(
        command, "--cell-bits", {"32", "64"},
        [&options](std::size_t i) { options.cell_bits = i == 0 ? 32 : 64; },
        "Bits of a counter (default 64)");
    add_parsed(command, "--top", options.top_slots, parse_count, "N", count_wanted,
               "How many of the most counted keys to remember (default 1000)");
    add_parsed(command, "--top-key-bytes", options.top_key_bytes, parse_count, "N", count_wanted,
               "Bytes kept of each of them; longer keys are cut (default 64)");
    add_hash(command, options.hash);
    add_max_bytes(command, options.max_bytes);
    add_force(command, options.is_forced);
    add_quiet(command, options.is_quiet);
    set_examples(command, {"printf 'a\\nb\\na\\n' | membrane count build -o letters.mbr",
                           "seq 1 1000 | rev | membrane count build -o numbers.mbr --eps 1e-4 --delta 1% "
                           "--conservative --top 10"});
}

filter_spec size_sketch(const count_build_options& options) {
    plan::given_fields given;
    given.spec.kind = kind_id::count_min;
    const auto set = [&given](std::size_t field, std::uint64_t value) {
        given.spec[field] = value;
        given.is_given.set(field);
    };
    set(count_min_field::rows, options.rows);
    set(count_min_field::cell_bits, options.cell_bits);
    set(count_min_field::conservative, options.is_conservative ? 1 : 0);
    set(count_min_field::top_slots, options.top_slots);
    set(count_min_field::top_key_bytes, options.top_slots == 0 ? 0 : options.top_key_bytes);
    const auto spec = plan::size_count_min(options.eps, options.delta, given);
    if (!spec) fail_usage(spec.error());
    return *spec;
}

exit_code perform_count_build(const count_build_options& options) {
    const hasher hash = make_hasher(options.hash, options.source.format);
    check_output(options.output, options.is_forced);
    check_not_an_input(options.output, options.source.files);
    const filter_spec spec = size_sketch(options);
    const std::uint64_t size_bytes = checked_size(spec, limit_of(options.max_bytes));
    if (!options.is_quiet)
        say(fmt::format(
            "count_min, {} rows of {} counters, {}; estimates too high by at most {} of all occurrences, "
            "except with a chance of {}",
            count_min_rows(spec), count_text(spec[count_min_field::width]), bytes_text(size_bytes),
            rate_text(options.eps), rate_text(options.delta)));
    any_filter sketch = value_or_fail(options.output, any_filter::create(spec, hash));
    {
        key_reader reader(options.source);
        progress bar("counting", reader.total_bytes(), options.is_quiet);
        tally(sketch, reader, bar, options.output);
    }
    const auto lock = lock_existing(options.output, options.is_forced);
    save_new(sketch, options.output, options.is_forced);
    return exit_code::done;
}

}  // namespace

void add_count_build_command(CLI::App& app, action& run) {
    add_command<count_build_options>(app, run, "build", "Count keys into a new file", declare_count_build,
                                     perform_count_build);
}

}  // namespace membrane::cli
