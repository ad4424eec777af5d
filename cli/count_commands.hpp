// The commands under `membrane count`.
#pragma once

#include "commands.hpp"
#include "filter_io.hpp"

namespace membrane::cli {

void add_count_build_command(CLI::App& app, action& run);
void add_count_query_command(CLI::App& app, action& run);
void add_count_top_command(CLI::App& app, action& run);

// Opens a file that can be asked for counts.
mapped_filter open_counting_filter(const std::string& path);

// A key as text: an integer for 8 bytes of --format u64, hexadecimal digits for hex, otherwise its bytes.
std::string key_text(std::string_view bytes, key_format format);

}  // namespace membrane::cli
