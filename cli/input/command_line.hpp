// The commands, options and positional arguments of the tool, in front of CLI11. command_line.cpp alone includes CLI11,
// whose headers take longer to compile than a command.
//
// The name of an option's value appears in the help and the manual; `a|b|c` is a choice, and F.mbr, P.mbp and FILE are files: the
// shell completions are made from these names.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help/command_table.hpp"
#include "cli/print/failure.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace membrane::cli {

// The work of a command, which starts after the whole command line was parsed.
using action = std::function<exit_code()>;

inline constexpr char filter_value[] = "F.mbr";
inline constexpr char patch_value[] = "P.mbp";
inline constexpr char key_file_value[] = "FILE";
inline constexpr char choice_separator = '|';

// A declared option or positional argument.
class tool_option {
public:
    explicit tool_option(CLI::Option& declared) : declared_(&declared) {}

    tool_option required() const;
    tool_option needs(const tool_option& other) const;
    tool_option excludes(const tool_option& other) const;
    // One value each time that the option is given.
    tool_option one_value_each() const;
    tool_option exactly_one() const;
    tool_option at_least_two() const;

private:
    CLI::Option* declared_;
};

// Suggestions of the shell completions for a value of this name; empty if there are none.
using value_choices = std::vector<std::string> (*)(const std::string& value_name);

// A command, or the tool itself. Names are written as "-o,--output"; a name without a dash is a positional argument.
class tool_command {
public:
    tool_command(CLI::App& app, action& chosen) : app_(&app), chosen_(&chosen) {}

    tool_command add(std::string_view name, std::string_view meaning, action perform) const;
    // A command that the help does not list.
    void add_hidden(std::string_view name, std::string_view meaning, action perform) const;
    // A command that consists of commands.
    tool_command add_parent(std::string_view name, std::string_view meaning) const;

    tool_option flag(std::string_view names, bool& target, std::string_view meaning) const;
    tool_option flag(std::string_view names, std::function<void()> set, std::string_view meaning) const;
    tool_option text(std::string_view names, std::string& target, std::string_view value_name,
                     std::string_view meaning) const;
    tool_option texts(std::string_view names, std::vector<std::string>& target, std::string_view value_name,
                      std::string_view meaning) const;
    // `take` gets the text of a value and returns false to refuse it; `wanted` completes "expected ...".
    using take_value = std::function<bool(std::string_view)>;
    tool_option value(std::string_view names, take_value take, std::string_view value_name,
                      std::string_view wanted, std::string_view meaning) const;
    // The option may be given repeatedly; `take` gets one value at a time.
    tool_option values(std::string_view names, take_value take, std::string_view value_name,
                       std::string_view wanted, std::string_view meaning) const;
    // One of several names; `choose` gets its index.
    tool_option choice(std::string_view names, const std::vector<std::string>& choices,
                       std::function<void(std::size_t)> choose, std::string_view meaning) const;

    // Checks options against each other after the parse; calls refuse_option.
    void check_after_parse(std::function<void()> check) const;

    // The last lines of the help. Every example must work as printed in an empty folder.
    void set_examples(std::initializer_list<std::string_view> examples) const;

    command_row table(value_choices choices) const;

private:
    CLI::App* app_;
    action* chosen_;
};

[[noreturn]] void refuse_option(std::string_view name, std::string_view reason);

class command_line {
public:
    command_line(std::string_view name, std::string_view meaning, std::string_view version,
                 std::string_view footer);
    command_line(const command_line&) = delete;
    command_line& operator=(const command_line&) = delete;
    ~command_line();

    tool_command tool() { return {*app_, chosen_}; }
    // Parses, then runs the chosen command or prints what --help or --version ask for. Throws failure.
    exit_code run(int argc, char** argv);

private:
    std::string help() const;  // of the command that was chosen

    std::unique_ptr<CLI::App> app_;
    action chosen_;
};

// An option whose value `parse` understands; parse returns an empty optional to refuse a text.
template <class Target, class Parse>
tool_option add_parsed(const tool_command& command, std::string_view names, Target& target, Parse parse,
                       std::string_view value_name, std::string_view wanted, std::string_view meaning) {
    return command.value(
        names,
        [&target, parse](std::string_view text) {
            const auto value = parse(text);
            if (value) target = *value;
            return value.has_value();
        },
        value_name, wanted, meaning);
}

// The same for an option that may be given repeatedly.
template <class Target, class Parse>
tool_option add_parsed_list(const tool_command& command, std::string_view names, std::vector<Target>& targets,
                            Parse parse, std::string_view value_name, std::string_view wanted,
                            std::string_view meaning) {
    return command.values(
        names,
        [&targets, parse](std::string_view text) {
            const auto value = parse(text);
            if (value) targets.push_back(*value);
            return value.has_value();
        },
        value_name, wanted, meaning);
}

}  // namespace membrane::cli
