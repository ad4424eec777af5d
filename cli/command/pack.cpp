// membrane pack: compresses a filter file for sending. Only some kinds have a packed form.
#include <fmt/core.h>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct pack_options {
    std::string filter;
    std::string output;
    mode_choice mode;
    bool is_forced = false;
    bool is_quiet = false;
};

void declare_pack(const tool_command& command, pack_options& options) {
    add_filter(command, options.filter, "The filter file");
    add_output(command, options.output, "The packed file to make");
    add_force(command, options.is_forced);
    add_mode(command, options.mode);
    add_quiet(command, options.is_quiet);
    command.set_examples(
        {"seq 1 5000 | membrane build -q --grow-to 1M -o set.mbr && membrane pack set.mbr -o set.pack",
         "seq 1 100 | membrane build -q -o few.mbr --kind rank:mode=counting --fpr 0.1% && membrane "
         "pack few.mbr -o few.pack -q"});
}

exit_code perform_pack(const pack_options& options) {
    check_output(options.output, options.is_forced);
    check_not_an_input(options.output, {options.filter});
    const auto lock = lock_existing(options.output, options.is_forced);
    const mapped_filter filter = open_filter(options.filter);
    check_able(options.filter, filter->spec(), can_pack, "this filter has no packed form");
    const std::vector<std::byte> bytes = value_or_fail(options.filter, filter->pack());
    save_new_bytes(bytes, options.output, options.is_forced,
                   permissions_like(options.mode, {options.filter}));
    if (!options.is_quiet)
        say(fmt::format("{}: {}, the filter file has {}", shown_output(options.output),
                        bytes_text(bytes.size()), bytes_text(filter->file_bytes())));
    return exit_code::done;
}

}  // namespace

void add_pack_command(const tool_command& tool) {
    add_command<pack_options>(tool, "pack", "Compress a filter file for sending", declare_pack, perform_pack);
}

}  // namespace membrane::cli
