// membrane merge: the union of filter files, or with --intersect their intersection.
#include <cstddef>

#include <fmt/core.h>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct merge_options {
    std::string output;
    std::vector<std::string> inputs;
    bool is_intersection = false;
    bool is_forced = false;
    bool is_quiet = false;
};

void declare_merge(const tool_command& command, merge_options& options) {
    command
        .texts(filter_value, options.inputs, filter_value,
               "The filter files: two or more, of equal parameters and hash key; those that grow may be of "
               "any size")
        .required()
        .at_least_two();
    add_output(command, options.output, "The filter file to make");
    command.flag("--intersect", options.is_intersection, "Answer for the keys that are in all filters");
    add_force(command, options.is_forced);
    add_quiet(command, options.is_quiet);
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
    const auto lock = lock_existing(options.output, options.is_forced);
    const std::string& first = options.inputs.front();
    any_filter merged = value_or_fail(first, any_filter::copy_of(open_filter(first).view()));
    if (options.is_intersection)
        check_able(first, merged.spec(), can_intersect, "this filter cannot be intersected");
    else check_able(first, merged.spec(), can_merge, "this filter cannot be merged");
    for (std::size_t i = 1; i < options.inputs.size(); ++i) {
        const mapped_filter next = open_filter(options.inputs[i]);
        check_mergeable(first, merged, options.inputs[i], next.view());
        check_or_fail(options.inputs[i],
                      options.is_intersection ? merged.intersect(next.view()) : merged.merge(next.view()));
    }
    save_new(merged, options.output, options.is_forced);
    if (options.is_quiet) return exit_code::done;
    // Of kinds that grow the sum counts each number once, of the others a key for every filter that has it.
    say(fmt::format("{}: {} filters {}, {}{} keys", options.output, options.inputs.size(),
                    options.is_intersection ? "intersected" : "merged",
                    is_able(merged.spec(), can_grow) ? "" : "at most ", count_text(merged.keys())));
    warn_if_over_capacity(options.output, merged);
    return exit_code::done;
}

}  // namespace

void add_merge_command(const tool_command& tool) {
    add_command<merge_options>(tool, "merge",
                               "Join filter files of equal parameters, or of any sizes if they grow",
                               declare_merge, perform_merge);
}

}  // namespace membrane::cli
