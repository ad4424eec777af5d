// The commands and options of the tool as plain rows, read from the parser (input/command_line.hpp), and the documents made
// from them: the manual page and the shell completions cannot name an option that the tool does not take.
#pragma once

#include <string>
#include <vector>

namespace membrane::cli {

struct option_row {
    std::vector<std::string> names;  // "-o", "--output"; empty for a positional argument
    std::string value;               // the name of its value; empty for a flag
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

// `row` and every command below it, parents first.
std::vector<const command_row*> flatten(const command_row& row);

std::string bash_completion(const command_row& tool);
std::string zsh_completion(const command_row& tool);
std::string fish_completion(const command_row& tool);

// The manual page in roff.
std::string manual_page(const command_row& tool);

}  // namespace membrane::cli
