// membrane count top: the most counted keys, whose names the file keeps.
#include "count_commands.hpp"
#include "json_output.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace membrane::cli {

namespace {

struct count_top_options {
    std::string filter;
    std::uint64_t count = 10;
    key_format shown_as = key_format::lines;
    bool is_json = false;
};

void declare_count_top(CLI::App& command, count_top_options& options) {
    add_filter(command, options.filter, "A file that `membrane count build` made");
    add_parsed(command, "-n", options.count, parse_count, "N", count_wanted, "How many keys (default 10)");
    add_choice(
        command, "--format", {"lines", "nul", "u64", "hex"},
        [&options](std::size_t i) { options.shown_as = static_cast<key_format>(i); },
        "How keys are shown: as they are (default), ended by NUL, as integers, as hex digits");
    add_json(command, options.is_json);
    set_examples(
        command,
        {"seq 1 100 | cut -c1 | membrane count build -q -o digits.mbr && membrane count top digits.mbr -n 3",
         "printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && membrane count top abc.mbr --json"});
}

exit_code perform_count_top(const count_top_options& options) {
    const mapped_filter filter = open_counting_filter(options.filter);
    std::vector<counted_key> top = filter->top();
    if (top.size() > options.count) top.resize(static_cast<std::size_t>(options.count));
    if (options.is_json) {
        json entries = json::array();
        for (const counted_key& entry : top)
            entries.push_back(json{{"count", entry.estimate},
                                   {"key", key_text(entry.key, options.shown_as)},
                                   {"key_hex", key_text(entry.key, key_format::hex)},
                                   {"key_bytes", entry.key_bytes}});
        print_json(json{{"file", options.filter}, {"total", filter->keys()}, {"top", entries}});
    } else {
        for (const counted_key& entry : top) {
            const bool is_cut = entry.key.size() < entry.key_bytes;
            out().print("{}\t{}{}", entry.estimate, key_text(entry.key, options.shown_as),
                        is_cut ? "..." : "");
            out().write(options.shown_as == key_format::nul ? '\0' : '\n');
        }
    }
    return top.empty() ? exit_code::none : exit_code::done;
}

}  // namespace

void add_count_top_command(CLI::App& app, action& run) {
    add_command<count_top_options>(app, run, "top", "Print the most counted keys", declare_count_top,
                                   perform_count_top);
}

}  // namespace membrane::cli
