// membrane merge: the union of filter files, or with --intersect their intersection.
#include <cstddef>

#include <fmt/core.h>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/count_report.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/key_count.hpp"
#include "cli/print/numbers.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct merge_options {
    std::string output;
    std::vector<std::string> inputs;
    given_labels labels;
    bool is_intersection = false;
    mode_choice mode;
    bool is_forced = false;
    bool is_json = false;
    bool is_quiet = false;
};

void declare_merge_options(const tool_command& command, merge_options& options, std::string_view inputs) {
    command.texts(filter_value, options.inputs, filter_value, inputs).required().at_least_two();
    add_output(command, options.output, "The file to make");
    add_labels(command, options.labels);
    add_json(command, options.is_json);
    add_force(command, options.is_forced);
    add_mode(command, options.mode);
    add_quiet(command, options.is_quiet);
}

void declare_merge(const tool_command& command, merge_options& options) {
    declare_merge_options(
        command, options,
        "The filter files: two or more, of equal parameters and hash key; those that grow may be of "
        "any size");
    command.flag("--intersect", options.is_intersection, "Answer for the keys that are in all filters");
    constexpr char build[] = "membrane build -q --key 000102030405060708090a0b0c0d0e0f -o";
    command.set_examples(
        {fmt::format("seq 1 500 | {0} a.mbr --grow-to 10k; seq 401 5000 | {0} b.mbr --grow-to 10k; "
                     "membrane merge -o both.mbr a.mbr b.mbr",
                     build),
         fmt::format(
             "seq 1 9 | {0} x.mbr --kind bloom --keys 1k; seq 5 15 | {0} y.mbr --kind bloom --keys 1k; "
             "membrane merge -o common.mbr --intersect x.mbr y.mbr",
             build)});
}

exit_code perform_merge(const merge_options& options) {
    check_output(options.output, options.is_forced);
    check_json_output(options.is_json, options.output);
    const auto lock = lock_existing(options.output, options.is_forced);
    const std::string& first = options.inputs.front();
    any_filter merged = value_or_fail(first, any_filter::copy_of(open_filter(first).view()));
    if (options.is_intersection)
        check_able(first, merged.spec(), can_intersect, "this filter cannot be intersected");
    else check_able(first, merged.spec(), can_merge, "this filter cannot be merged");
    std::size_t labels_left_out = 0;
    for (std::size_t i = 1; i < options.inputs.size(); ++i) {
        const mapped_filter next = open_filter(options.inputs[i]);
        check_mergeable(first, merged, options.inputs[i], next.view());
        file_labels labels = merged.labels();
        labels_left_out += labels.merge(next->labels());
        check_or_fail(options.inputs[i],
                      options.is_intersection ? merged.intersect(next.view()) : merged.merge(next.view()));
    }
    set_labels(merged, options.labels);
    save_new(merged, options.output, options.is_forced, permissions_like(options.mode, options.inputs));
    if (options.is_json)
        print_json(json{{"file", options.output},
                        {"filters", static_cast<std::uint64_t>(options.inputs.size())},
                        {"keys", merged.keys()},
                        {"different_keys", different_keys(merged)},
                        {"is_estimated", is_count_off(merged)},
                        {"size_bytes", merged.size_bytes()},
                        {"estimated_fpr_now", number_or_null(merged.estimated_fpr_now())}});
    if (options.is_quiet) return exit_code::done;
    // The file counts a key for every filter that has it.
    const std::string keys = is_count_file(merged)  ? count_text(merged.keys()) + " occurrences"
                             : is_count_off(merged) ? some_keys_text(merged)
                                                    : "at most " + some_keys_text(merged);
    say(fmt::format("{}: {} filters {}, {}", shown_output(options.output), options.inputs.size(),
                    options.is_intersection ? "intersected" : "merged", keys));
    if (labels_left_out != 0)
        say(fmt::format("{}: {} left out: all labels of a file take at most {} bytes",
                        shown_output(options.output), counted_text(labels_left_out, "label", "labels"),
                        most_label_bytes));
    warn_if_over_capacity(options.output, merged);
    return exit_code::done;
}

}  // namespace

namespace {

void declare_count_merge(const tool_command& command, merge_options& options) {
    declare_merge_options(command, options, "The count files: two or more, of equal parameters and hash key");
    constexpr char build[] = "membrane count build -q --key 000102030405060708090a0b0c0d0e0f -o";
    command.set_examples(
        {fmt::format(
             "printf 'a\\nb\\n' | {0} a.mbr; printf 'a\\nc\\n' | {0} b.mbr; membrane count merge -o both.mbr "
             "a.mbr b.mbr && membrane count top both.mbr",
             build),
         fmt::format(
             "seq 1 9 | {0} x.mbr; seq 5 15 | {0} y.mbr; membrane count merge -q -o xy.mbr x.mbr y.mbr",
             build)});
}

exit_code perform_count_merge(const merge_options& options) {
    for (const std::string& input : options.inputs) {
        if (input == "-") continue;
        if (const mapped_filter filter = open_filter(input); !is_count_file(filter.view()))
            fail(exit_code::usage, fmt::format("{}: holds no counts ({}); `membrane merge` merges filters",
                                               input, filter->kind().rules.name));
    }
    return perform_merge(options);
}

}  // namespace

void add_count_merge_command(const tool_command& count) {
    add_command<merge_options>(count, "merge", "Add the counts of several files up", declare_count_merge,
                               perform_count_merge);
}

void add_merge_command(const tool_command& tool) {
    add_command<merge_options>(tool, "merge",
                               "Join filter files of equal parameters, or of any sizes if they grow",
                               declare_merge, perform_merge);
}

}  // namespace membrane::cli
