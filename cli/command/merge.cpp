// membrane merge: the union of filter files, or with --intersect their intersection.
#include <cstddef>

#include <fmt/core.h>

#include "cli/input/filter_files.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/spec_text.hpp"
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
               "The filter files: two or more, of equal parameters and hash key")
        .required()
        .at_least_two();
    add_output(command, options.output, "The filter file to make");
    command.flag("--intersect", options.is_intersection, "Answer for the keys that are in all filters");
    add_force(command, options.is_forced);
    add_quiet(command, options.is_quiet);
    constexpr char build[] = "membrane build -q --keys 1000 --key 000102030405060708090a0b0c0d0e0f -o";
    command.set_examples(
        {fmt::format("seq 1 500 | {0} a.mbr; seq 401 900 | {0} b.mbr; membrane merge -o both.mbr a.mbr b.mbr",
                     build),
         fmt::format("seq 1 9 | {0} x.mbr; seq 5 15 | {0} y.mbr; membrane merge -o common.mbr --intersect "
                     "x.mbr y.mbr",
                     build)});
}

// The value of a field that differs, for the message.
std::string value_of(const any_view& filter, std::string_view field) {
    if (field == "kind") return std::string(filter.kind().rules.name);
    if (field == "hash") return std::string(name_of(filter.hash().id));
    if (field == "hash key") return "another";
    const auto rules = filter.kind().rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (rules[i].name == field) return field_text(rules[i], filter.spec()[i]);
    return "?";
}

void check_alike_or_fail(const std::string& first, const any_view& a, const std::string& second,
                         const any_view& b) {
    const auto alike = check_alike(a, b);
    if (alike) return;
    const std::string_view field = alike.error().what;
    const std::string values =
        field == "hash key"
            ? "the keys are secret: `membrane info --show-key` shows them"
            : fmt::format("found {}, expected {} as in {}", value_of(b, field), value_of(a, field), first);
    fail(exit_code::bad_data, fmt::format("{}: is unlike {}: {} differs ({}); {}", second, first, field,
                                          values, alike.error().note));
}

exit_code perform_merge(const merge_options& options) {
    check_output(options.output, options.is_forced);
    const auto lock = lock_existing(options.output, options.is_forced);
    const std::string& first = options.inputs.front();
    any_filter merged = value_or_fail(first, any_filter::copy_of(open_filter(first).view()));
    for (std::size_t i = 1; i < options.inputs.size(); ++i) {
        const mapped_filter next = open_filter(options.inputs[i]);
        check_alike_or_fail(first, merged, options.inputs[i], next.view());
        check_or_fail(options.inputs[i],
                      options.is_intersection ? merged.intersect(next.view()) : merged.merge(next.view()));
    }
    save_new(merged, options.output, options.is_forced);
    if (options.is_quiet) return exit_code::done;
    say(fmt::format("{}: {} filters {}, at most {} keys", options.output, options.inputs.size(),
                    options.is_intersection ? "intersected" : "merged", count_text(merged.keys())));
    warn_if_over_capacity(options.output, merged);
    return exit_code::done;
}

}  // namespace

void add_merge_command(const tool_command& tool) {
    add_command<merge_options>(tool, "merge", "Join filter files of equal parameters", declare_merge,
                               perform_merge);
}

}  // namespace membrane::cli
