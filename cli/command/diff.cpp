// membrane diff: what came to a filter and what went since an older state of it, as a patch.
#include <fmt/core.h>

#include <membrane/runtime/number_files.hpp>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct diff_options {
    std::string older;
    std::string newer;
    std::string output;
    mode_choice mode;
    bool is_forced = false;
    bool is_quiet = false;
};

void declare_diff(const tool_command& command, diff_options& options) {
    command.text("OLD.mbr", options.older, filter_value, "The filter file that others have").required();
    command.text("NEW.mbr", options.newer, filter_value, "What it is to become").required();
    add_file_output(command, options.output, patch_value, "The patch to make");
    add_force(command, options.is_forced);
    add_mode(command, options.mode);
    add_quiet(command, options.is_quiet);
    command.set_examples(
        {"seq 1 9000 | membrane build -q --grow-to 1M -o old.mbr && cp old.mbr new.mbr && seq 9001 9100 | "
         "membrane add -q "
         "new.mbr && membrane diff old.mbr new.mbr -o day.mbp",
         "seq 1 9 | membrane build -q --delete --grow-to 1k -o a.mbr && cp a.mbr b.mbr && seq 1 3 | membrane "
         "remove -q "
         "b.mbr "
         "&& membrane diff a.mbr b.mbr -o p.mbp && membrane patch a.mbr p.mbp && cmp a.mbr b.mbr"});
}

exit_code perform_diff(const diff_options& options) {
    check_output(options.output, options.is_forced);
    check_not_an_input(options.output, {options.older, options.newer});
    const auto lock = lock_existing(options.output, options.is_forced);
    const mapped_filter older = open_filter(options.older), newer = open_filter(options.newer);
    check_comparable(options.older, older.view(), options.newer, newer.view(), "patched");
    const auto patch = diff(older.view(), newer.view());
    if (!patch) fail_unlike(options.newer, newer.view(), patch.error());
    save_new_bytes(*patch, options.output, options.is_forced,
                   permissions_like(options.mode, {options.older, options.newer}));
    if (!options.is_quiet)
        say(fmt::format("{}: {}, {} has {}", shown_output(options.output), bytes_text(patch->size()),
                        shown_name(options.newer), bytes_text(newer->file_bytes())));
    return exit_code::done;
}

}  // namespace

void add_diff_command(const tool_command& tool) {
    add_command<diff_options>(tool, "diff", "Make a patch of what changed between two states of a filter",
                              declare_diff, perform_diff);
}

}  // namespace membrane::cli
