// membrane count build, query and top: a count-min sketch that counts every occurrence of every key and remembers the most
// frequent keys.
#include <fmt/core.h>

#include <membrane/base/endian.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/plan/kind_plans.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/options.hpp"
#include "cli/print/count_report.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/progress.hpp"
#include "commands.hpp"
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
    mode_choice mode;
    bool is_forced = false;
    given_labels labels;
    bool is_empty_allowed = false;
    bool is_quiet = false;
};

void declare_count_build(const tool_command& command, count_build_options& options) {
    add_output(command, options.output, "The file to make");
    add_parsed(
        command, "--eps", options.eps, parse_rate, "E", rate_wanted,
        "An estimate is too high by at most E times the number of all occurrences (default 0.001) ...");
    add_parsed(command, "--delta", options.delta, parse_rate, "D", rate_wanted,
               "... except with a chance of D (default 0.001)");
    const std::vector<std::string> row_choices(rows_names.begin(), rows_names.end());
    command.choice(
        "--rows", row_choices, [&options](std::size_t i) { options.rows = i; },
        "One hash per row, or two hashes for all rows (default two_hash)");
    command.flag("--conservative", options.is_conservative,
                 "Raise only the smallest counters of a key (conservative update): smaller errors");
    command.choice(
        "--cell-bits", {"32", "64"}, [&options](std::size_t i) { options.cell_bits = i == 0 ? 32 : 64; },
        "Bits of a counter (default 64)");
    add_count(command, "--top", options.top_slots,
              "How many of the most frequent keys to remember (default 1000)");
    add_count(command, "--top-key-bytes", options.top_key_bytes,
              "Bytes kept of each of them; longer keys are cut (default 64)");
    add_hash(command, options.hash);
    add_max_bytes(command, options.max_bytes);
    add_labels(command, options.labels);
    add_allow_empty(command, options.is_empty_allowed);
    add_force(command, options.is_forced);
    add_mode(command, options.mode);
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples({"printf 'a\\nb\\na\\n' | membrane count build -o letters.mbr",
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
    const hasher hash = make_hasher(options.hash);
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
    key_notes notes;
    any_filter sketch = value_or_fail(options.output, any_filter::create(spec, hash));
    {
        key_reader reader(options.source);
        progress bar("counting", reader.total_bytes(), options.is_quiet);
        tally_all(sketch, reader, bar, options.output);
        check_not_empty(options.source, reader.keys_read(), options.is_empty_allowed);
        notes = reader.notes();
    }
    if (!options.is_quiet) say_notes(notes);
    set_labels(sketch, options.labels);
    const auto lock = lock_existing(options.output, options.is_forced);
    save_new(sketch, options.output, options.is_forced,
             permissions_with_key(options.mode, !options.hash.key));
    return exit_code::done;
}

// Fails unless the file holds counts.
mapped_filter open_counting_filter(const std::string& path) {
    mapped_filter filter = open_filter(path);
    if (!capabilities_of(filter->spec()).count)
        fail(exit_code::usage, fmt::format("{}: does not count ({}); make it with `membrane count build`",
                                           shown_name(path), filter->kind().rules.name));
    return filter;
}

// Prints "count<TAB>key" for every key, the count first as `uniq -c` does.
struct count_query_options {
    std::string filter;
    key_source source;
    bool is_quiet = false;
};

void declare_count_query(const tool_command& command, count_query_options& options) {
    add_filter(command, options.filter, "A file that `membrane count build` made");
    command.flag("-q,--quiet", options.is_quiet,
                 "Do not say how many lines were left out, and show no progress");
    add_key_files(command, options.source, malformed_lines::are_left_out);
    command.set_examples(
        {"printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && printf 'a\\nz\\n' "
         "| membrane count query abc.mbr",
         "seq 1 100 | cut -c1 | membrane count build -q -o digits.mbr && seq 1 9 | "
         "membrane count query digits.mbr"});
}

exit_code perform_count_query(const count_query_options& options) {
    const mapped_filter filter = open_counting_filter(options.filter);
    check_keys_fit(options.filter, filter.view(), options.source.format);
    out().expect_results();
    key_reader reader(options.source);
    progress bar("looking up", reader.total_bytes(), options.is_quiet);
    const std::string_view end = options.source.format == key_format::u64 ? "\n" : reader.record_end();
    bool is_any_counted = false;
    for (auto batch = reader.next_batch(filter->hash()); !batch.keys.empty();
         batch = reader.next_batch(filter->hash())) {
        for (std::size_t i = 0; i < batch.keys.size(); ++i) {
            const std::uint64_t count = value_or_fail(options.filter, filter->estimate(batch.hashes[i]));
            is_any_counted = is_any_counted || count != 0;
            out().print("{}\t", count);
            if (options.source.format == key_format::u64)
                out().write(key_text(batch.keys[i].bytes, shown_key::u64));
            else
                out().write(options.source.may_have_many_keys() ? batch.keys[i].bytes : batch.keys[i].record);
            out().write(end);
        }
        bar.update(reader);
    }
    if (!options.is_quiet) say_notes(reader.notes());
    return is_any_counted ? exit_code::done : exit_code::none;
}

struct count_top_options {
    std::string filter;
    std::uint64_t count = 10;
    shown_key shown_as = shown_key::lines;
    bool is_json = false;
};

void declare_count_top(const tool_command& command, count_top_options& options) {
    add_filter(command, options.filter, "A file that `membrane count build` made");
    add_count(command, "-n", options.count, "How many keys (default 10)");
    command.choice(
        "--format", {"lines", "nul", "u64", "hex"},
        [&options](std::size_t i) { options.shown_as = static_cast<shown_key>(i); },
        "How keys are shown: as they are (default), ended by NUL, as integers, as hex digits");
    add_json(command, options.is_json);
    command.set_examples(
        {"seq 1 100 | cut -c1 | membrane count build -q -o digits.mbr && membrane count top digits.mbr -n 3",
         "printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && membrane count top abc.mbr --json"});
}

exit_code perform_count_top(const count_top_options& options) {
    const mapped_filter filter = open_counting_filter(options.filter);
    std::vector<counted_key> top = filter->top();
    if (top.size() > options.count) top.resize(static_cast<std::size_t>(options.count));
    if (options.is_json) print_json(top_json(options.filter, filter->keys(), top, options.shown_as));
    else print_top(top, options.shown_as);
    return top.empty() ? exit_code::none : exit_code::done;
}

}  // namespace

void add_count_command(const tool_command& tool) {
    const tool_command count = tool.add_parent("count", "Count keys: how often was each seen (count-min)?");
    add_command<count_build_options>(count, "build", "Count keys into a new file", declare_count_build,
                                     perform_count_build);
    add_count_add_command(count);
    add_command<count_query_options>(count, "query", "Print the estimated count of each key",
                                     declare_count_query, perform_count_query);
    add_command<count_top_options>(count, "top", "Print the most frequent keys", declare_count_top,
                                   perform_count_top);
    add_count_merge_command(count);
    add_count_info_command(count);
    count.set_examples(
        {"printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && printf 'a\\nz\\n' | "
         "membrane count query abc.mbr",
         "seq 1 100 | cut -c1 | membrane count build -q -o digits.mbr && membrane count top digits.mbr -n "
         "3"});
}

}  // namespace membrane::cli
