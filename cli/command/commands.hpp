// The commands, one file each. Each function declares one command with its options and the action that runs when the user
// chooses it.
#pragma once

#include <memory>
#include <string_view>

#include "cli/input/command_line.hpp"

namespace membrane::cli {

void add_plan_command(const tool_command& tool);
void add_build_command(const tool_command& tool);
void add_query_command(const tool_command& tool);
void add_add_command(const tool_command& tool);
void add_remove_command(const tool_command& tool);
void add_dedup_command(const tool_command& tool);
void add_info_command(const tool_command& tool);
void add_verify_command(const tool_command& tool);
void add_merge_command(const tool_command& tool);
void add_shrink_command(const tool_command& tool);
void add_compare_command(const tool_command& tool);
void add_diff_command(const tool_command& tool);
void add_patch_command(const tool_command& tool);
void add_pack_command(const tool_command& tool);
void add_unpack_command(const tool_command& tool);
void add_improve_command(const tool_command& tool);
void add_count_command(const tool_command& tool);
void add_push_command(const tool_command& tool);
void add_kinds_command(const tool_command& tool);
void add_model_command(const tool_command& tool);
void add_lab_command(const tool_command& tool);
void add_bench_command(const tool_command& tool);
// completion and man, which print the commands and options of the whole tool.
void add_document_commands(const tool_command& tool);

// Commands of `count` in files of their own.
void add_count_add_command(const tool_command& count);
void add_count_merge_command(const tool_command& count);
void add_count_info_command(const tool_command& count);

// Names of values for which the shell completions suggest names (documents.cpp).
inline constexpr char model_value[] = "MODEL";
inline constexpr char lab_item_value[] = "NAME";
inline constexpr char all_lab_items[] = "all";

// `declare` adds the options, whose values go to one shared record; `perform` does the work with that record.
template <class Options>
void add_command(const tool_command& parent, std::string_view name, std::string_view meaning,
                 void (*declare)(const tool_command&, Options&), exit_code (*perform)(const Options&)) {
    const auto options = std::make_shared<Options>();
    declare(parent.add(name, meaning, [options, perform] { return perform(*options); }), *options);
}

}  // namespace membrane::cli
