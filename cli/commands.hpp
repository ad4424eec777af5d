// The commands, one file each. Each function declares its command and its options; when the command was chosen, `run` is
// set to what it does.
#pragma once

#include <memory>
#include <string>

#include "options.hpp"

namespace membrane::cli {

void add_plan_command(CLI::App& app, action& run);
void add_build_command(CLI::App& app, action& run);
void add_query_command(CLI::App& app, action& run);
void add_add_command(CLI::App& app, action& run);
void add_remove_command(CLI::App& app, action& run);
void add_info_command(CLI::App& app, action& run);
void add_verify_command(CLI::App& app, action& run);
void add_merge_command(CLI::App& app, action& run);
void add_pack_command(CLI::App& app, action& run);
void add_unpack_command(CLI::App& app, action& run);
void add_improve_command(CLI::App& app, action& run);
void add_count_command(CLI::App& app, action& run);
void add_push_command(CLI::App& app, action& run);
void add_kinds_command(CLI::App& app, action& run);
void add_model_command(CLI::App& app, action& run);
void add_lab_command(CLI::App& app, action& run);
void add_bench_command(CLI::App& app, action& run);
// These two print what the whole tree of options looks like.
void add_completion_command(CLI::App& app, action& run);
void add_man_command(CLI::App& app, action& run);

inline constexpr char command_group[] = "Commands";

// Declares a command: `declare(command, options)` adds its options to a shared record, `perform(options)` does the work.
template <class Options>
CLI::App& add_command(CLI::App& app, action& run, const std::string& name, const std::string& meaning,
                      void (*declare)(CLI::App&, Options&), exit_code (*perform)(const Options&)) {
    CLI::App* const command = app.add_subcommand(name, meaning);
    command->group(command_group);
    const auto options = std::make_shared<Options>();
    declare(*command, *options);
    command->final_callback(
        [&run, options, perform] { run = [options, perform] { return perform(*options); }; });
    return *command;
}

}  // namespace membrane::cli
