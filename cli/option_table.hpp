// The tree of commands and options as plain rows, read from the parser itself: help, manual page and shell completions
// are made from it, so none of them can name an option that the tool does not take.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace membrane::cli {

struct option_row {
    std::vector<std::string> names;  // "-o", "--output"; empty for a positional
    std::string value;               // name of its value; empty for a flag
    std::string meaning;
    std::vector<std::string> choices;
    bool takes_file = false;
    bool is_required = false;
    bool is_repeated = false;
};

struct command_row {
    std::string path;  // "membrane count build"
    std::string name;
    std::string meaning;
    std::vector<option_row> options;
    std::vector<option_row> positionals;
    std::vector<std::string> examples;
    std::vector<command_row> commands;
};

command_row table_of(const CLI::App& app, const std::string& parent_path = {});

// Every command below and including `row`, parents first.
std::vector<const command_row*> flatten(const command_row& row);

// Help without the parser's remarks on which option needs or excludes which: the errors say that.
std::shared_ptr<CLI::FormatterBase> make_formatter();

}  // namespace membrane::cli
