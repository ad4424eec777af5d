// membrane query: prints the keys that may be present, as grep prints lines. Of a live stream (`tail -f log | membrane query`) each
// hit appears at once: results are flushed whenever the input has to be waited for.
#include <array>
#include <span>

#include <unistd.h>

#include <fmt/core.h>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_pipeline.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/mapped_pages.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/output.hpp"
#include "cli/print/progress.hpp"
#include "cli/remote/remote_filter.hpp"
#include "cli/stream/hit_printer.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct query_options {
    std::string filter;                // the positional argument: a file of keys if there are `filters`
    std::vector<std::string> filters;  // -f
    key_source source;
    bool is_inverted = false;
    bool is_counting = false;
    bool shows_keys = false;
    bool hides_names = false;
    bool is_json = false;
    bool is_trusted = false;
    bool is_line_buffered = false;
    bool is_silent = false;
    unsigned threads = 0;
    redis_target target;
};

void declare_query(const tool_command& command, query_options& options) {
    command.text(
        filter_value, options.filter, filter_value,
        "The filter file, - for standard input, or with --redis the name of a filter on the server; not "
        "with -f");
    command
        .texts("-f,--filter", options.filters, filter_value,
               "A filter file; given repeatedly, every key is looked up in all of them, and the names of "
               "those that "
               "may hold it are printed before the line")
        .one_value_each();
    command.flag("-v,--invert", options.is_inverted, "Print the lines that are certainly absent instead");
    command.flag("-c,--count", options.is_counting,
                 "Print only the number of lines (with --only-matching: of keys)");
    command.flag("--only-matching", options.shows_keys, "Print the keys instead of their lines");
    command.flag("--no-names", options.hides_names, "Do not print the names of filters before the lines");
    command.flag("--json", options.is_json,
                 "Print a JSON object for each hit, with its place; with --count one for all (doc/json.md)");
    command.flag("--trust", options.is_trusted,
                 "Skip the check of the payload's checksum, which reads the whole file");
    command.flag(
        "--line-buffered", options.is_line_buffered,
        "Write every line by itself. Without it, lines are written at the latest when the input pauses");
    command.flag("-q,--quiet,-s,--no-messages", options.is_silent,
                 "Do not say how many lines were left out, and show no progress");
    add_threads(command, options.threads);
    add_redis(command, options.target);
    add_key_files(command, options.source, malformed_lines::are_left_out);
    command.set_examples({"seq 1 100 | membrane build -q -o seen.mbr && seq 90 200 | membrane query seen.mbr",
                          "seq 1 5 | membrane build -q -o five.mbr && echo 'to=5 from=9' | membrane query "
                          "five.mbr --each-token "
                          "--json"});
}

// The positional F.mbr is a file of keys if the filters are given by -f.
query_options with_filters(query_options options) {
    if (options.filters.empty()) {
        if (options.filter.empty()) fail(exit_code::usage, "F.mbr is required; see `membrane query --help`");
        options.filters.assign(1, options.filter);
    } else if (!options.filter.empty()) {
        options.source.files.insert(options.source.files.begin(), options.filter);
    }
    if (options.filters.size() > most_filters)
        fail(exit_code::usage, fmt::format("--filter: {} filters, expected at most {}; merge some of them",
                                           options.filters.size(), most_filters));
    check_one_reads_input(options.filters, options.source.files);
    return options;
}

void print_records(const query_options& options, std::string_view text) {
    if (options.is_counting) return;
    if (options.is_line_buffered)
        out().write_lines(text, options.is_json ? "\n" : record_end_of(options.source.format));
    else out().write(text);
}

// A bar would stand between the results if both go to the terminal.
bool is_bar_hidden(const query_options& options) {
    return options.is_silent || (!options.is_counting && ::isatty(STDOUT_FILENO) == 1);
}

using answer_bits = std::array<std::uint64_t, key_parser::batch_keys / 64>;

hit_style style_of(const query_options& options) {
    return {.is_inverted = options.is_inverted,
            .shows_keys = options.shows_keys,
            .is_json = options.is_json && !options.is_counting,
            .shows_names = options.filters.size() > 1 && !options.hides_names,
            .format = options.source.format,
            .names = options.filters};
}

struct key_counts {
    std::uint64_t keys = 0;
    std::uint64_t present = 0;
    std::uint64_t printed = 0;
    key_notes notes{};
};

// Appends the lines to print; returns their number. One filter and one key for each line: the usual case, without the bookkeeping of
// hit_printer.
std::uint64_t append_wanted(const query_options& options, std::span<const input_key> keys,
                            const answer_bits& answers, std::string& text) {
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool is_present = (answers[i / 64] >> (i % 64) & 1) != 0;
        if (is_present == options.is_inverted) continue;
        ++wanted;
        if (!options.is_counting) text.append(keys[i].record).append(record_end_of(options.source.format));
    }
    return wanted;
}

bool is_plain(const query_options& options) {
    return options.filters.size() == 1 && !options.source.may_have_many_keys() && !options.shows_keys &&
           (!options.is_json || options.is_counting);
}

std::uint64_t add_answers(const answer_bits& answers, std::size_t filter, std::span<filter_mask> masks) {
    std::uint64_t present = 0;
    for (std::size_t i = 0; i < masks.size(); ++i) {
        const filter_mask is_present = answers[i / 64] >> (i % 64) & 1;
        if (masks[i] == 0) present += is_present;
        masks[i] |= is_present << filter;
    }
    return present;
}

key_counts query_server(const query_options& options) {
    if (options.filters.size() != 1)
        fail(exit_code::usage, "--redis: one filter at a time; give one name, not several by -f");
    key_reader reader(options.source);
    remote_filter filter(options.target, options.filters.front());
    progress bar("looking up", reader.total_bytes(), is_bar_hidden(options));
    answer_bits answers{};
    std::vector<filter_mask> masks;
    hit_printer printer(style_of(options));
    std::uint64_t present = 0, printed = 0;
    const auto print = [&] {
        print_records(options, printer.text());
        printed += printer.printed();
        printer.clear();
    };
    for (auto keys = reader.next_batch(); !keys.empty(); keys = reader.next_batch()) {
        if (reader.is_first_batch_of_block()) printer.finish();
        filter.may_contain_many(keys, answers);
        masks.assign(keys.size(), 0);
        present += add_answers(answers, 0, masks);
        printer.add(reader.parser(), keys, masks);
        if (!options.source.may_have_many_keys()) printer.finish();
        print();
        bar.update(reader);
    }
    printer.finish();
    print();
    return {reader.keys_read(), present, printed, reader.notes()};
}

// Looks the keys of a block up in every filter.
struct query_worker {
    const query_options& options;
    const std::vector<mapped_filter>& filters;
    const std::vector<file_watch>& watches;
    key_pipeline& pipeline;
    progress& bar;
    key_counts& counts;
    bool is_plain_query;
    hit_printer printer;
    answer_bits answers{};
    std::string text{};
    std::vector<filter_mask> masks{};
    std::uint64_t present_in_block = 0, printed_in_block = 0;

    void process(key_parser& parser) {
        text.clear();
        printer.clear();
        present_in_block = 0;
        printed_in_block = 0;
        for (auto keys = parser.next_batch(); !keys.empty(); keys = parser.next_batch()) {
            if (is_plain_query) {
                const any_view& filter = filters.front().view();
                present_in_block += filter.may_contain_many(parser.hash_batch(filter.hash()), answers);
                printed_in_block += append_wanted(options, keys, answers, text);
            } else {
                ask_all(parser, keys);
                printer.add(parser, keys, masks);
            }
        }
        printer.finish();
        printed_in_block += printer.printed();
    }
    void ask_all(key_parser& parser, std::span<const input_key> keys) {
        masks.assign(keys.size(), 0);
        std::span<const key_hash> hashes;
        for (std::size_t i = 0; i < filters.size(); ++i) {
            const any_view& filter = filters[i].view();
            if (i == 0 || !(filter.hash() == filters[i - 1].hash()))
                hashes = parser.hash_batch(filter.hash());
            filter.may_contain_many(hashes, answers);
            present_in_block += add_answers(answers, i, masks);
        }
    }
    void commit() {
        for (const file_watch& watch : watches) watch.check();
        counts.present += present_in_block;
        counts.printed += printed_in_block;
        print_records(options, is_plain_query ? text : printer.text());
        bar.update(pipeline.bytes_read(), pipeline.keys_read());
    }
};

key_counts query_files(const query_options& options) {
    key_pipeline pipeline(options.source, options.threads);
    std::vector<mapped_filter> filters;
    std::vector<file_watch> watches;
    for (const std::string& path : options.filters) {
        watches.emplace_back(path);
        filters.push_back(open_filter(path, options.is_trusted ? checksum::trust : checksum::verify));
        check_keys_fit(path, filters.back().view(), options.source.format);
    }
    progress bar("looking up", pipeline.total_bytes(), is_bar_hidden(options));
    key_counts counts;
    pipeline.run([&] {
        return query_worker{options, filters, watches,           pipeline,
                            bar,     counts,  is_plain(options), hit_printer(style_of(options))};
    });
    counts.keys = pipeline.keys_read();
    counts.notes = pipeline.notes();
    return counts;
}

exit_code perform_query(const query_options& given) {
    const query_options options = with_filters(given);
    out().expect_results();
    const key_counts found = !options.target.server ? query_files(options) : query_server(options);
    if (!options.is_silent) say_notes(found.notes);
    if (options.is_counting && options.is_json) {
        print_json(json{{"keys", found.keys},
                        {"present", found.present},
                        {"absent", found.keys - found.present},
                        {"malformed", found.notes.malformed}});
    } else if (options.is_counting) {
        out().print("{}\n", found.printed);
    }
    return found.printed != 0 ? exit_code::done : exit_code::none;
}

}  // namespace

void add_query_command(const tool_command& tool) {
    add_command<query_options>(tool, "query", "Print the lines whose keys may be in a filter", declare_query,
                               perform_query);
}

}  // namespace membrane::cli
