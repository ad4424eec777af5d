#include "command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/help/help_page.hpp"
#include "cli/help/suggestion.hpp"
#include "cli/print/output.hpp"
#include "cli/print/terminal.hpp"

namespace membrane::cli {

namespace {

constexpr char command_group[] = "Commands";

std::string last_name(std::string_view names) { return std::string(names.substr(names.rfind(',') + 1)); }

option_row row_of(const CLI::Option& option, value_choices choices) {
    option_row row;
    for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
    if (option.get_items_expected_max() != 0) row.value = option.get_type_name();
    row.meaning = option.get_description();
    row.choices = choices(row.value);
    if (row.choices.empty() && row.value.find(choice_separator) != std::string::npos)
        row.choices = CLI::detail::split(row.value, choice_separator);
    row.takes_file = row.value == filter_value || row.value == patch_value || row.value == key_file_value;
    row.is_required = option.get_required();
    row.is_repeated = option.get_items_expected_max() > 1;
    return row;
}

std::vector<std::string> examples_of(const CLI::App& app) {
    std::vector<std::string> examples;
    for (const std::string& line : CLI::detail::split(app.get_footer(), '\n'))
        if (line.starts_with("  ")) examples.push_back(line.substr(2));
    return examples;
}

command_row table_of(const CLI::App& app, const std::string& parent_path, value_choices choices) {
    command_row row;
    row.name = app.get_name();
    row.path = parent_path.empty() ? row.name : parent_path + " " + row.name;
    row.meaning = app.get_description();
    for (const CLI::Option* const option : app.get_options())
        (option->get_positional() ? row.positionals : row.options).push_back(row_of(*option, choices));
    row.examples = examples_of(app);
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) row.commands.push_back(table_of(*command, row.path, choices));
    return row;
}

std::string chosen_path(const CLI::App& app) {
    std::string path = app.get_name();
    for (const CLI::App* const chosen : app.get_subcommands()) path += " " + chosen_path(*chosen);
    return path;
}

const CLI::App& deepest(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest(*chosen.front());
}

std::vector<std::string_view> command_names(const CLI::App& app) {
    std::vector<std::string_view> names;
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) names.push_back(command->get_name());
    return names;
}

// The words of the command line that the chosen command does not know, with what was probably meant.
std::string unknown_words(const CLI::App& app) {
    const std::vector<std::string> unknown = app.remaining(true);
    const CLI::App& chosen = deepest(app);
    if (const auto commands = command_names(chosen); !commands.empty())
        return fmt::format("no command '{}'{}", unknown.front(),
                           meant_or_expected(unknown.front(), commands));
    std::vector<std::string> names;
    for (const CLI::Option* const option : chosen.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    std::string_view first = unknown.front();
    first = first.starts_with("--") ? first.substr(0, first.find('=')) : std::string_view();
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (std::find(known.begin(), known.end(), first) != known.end())
        return fmt::format("{} stands before '{}'; options follow their command", first, chosen.get_name());
    return fmt::format("not understood: {}{}", CLI::detail::join(unknown, " "),
                       first.empty() ? "" : did_you_mean(first, known));
}

// CLI11 says "NAME: At least 2 required but received 1" and "NAME: 1 required VALUE missing".
std::string number_of_values(std::string_view message) {
    const std::size_t colon = message.find(": ");
    const auto between = [message](std::string_view before, std::string_view after) -> std::string_view {
        const std::size_t from = message.find(before);
        const std::size_t to = message.find(after, from == std::string_view::npos ? 0 : from + before.size());
        if (from == std::string_view::npos || to == std::string_view::npos) return {};
        return message.substr(from + before.size(), to - from - before.size());
    };
    const std::string_view name = message.substr(0, colon), least = between("At least ", " required"),
                           value = between("1 required ", " missing");
    if (colon == std::string_view::npos) return std::string(message);
    if (!least.empty())
        return fmt::format("{}: give at least {}, not {}", name, least,
                           message.substr(message.rfind(' ') + 1));
    if (!value.empty()) return fmt::format("{}: needs a value, {}", name, value);
    return std::string(message);
}

// CLI11 reports a missing option before an unknown argument, but the unknown argument is usually the cause.
std::string reason(const CLI::App& app, const CLI::ParseError& problem) {
    if (!app.remaining(true).empty()) return unknown_words(app);
    if (const auto names = command_names(deepest(app));
        !names.empty() && problem.get_name() == "RequiredError")
        return fmt::format("a command is needed: {}", fmt::join(names, ", "));
    return problem.get_name() == "ArgumentMismatch" ? number_of_values(problem.what()) : problem.what();
}

void run_when_chosen(CLI::App& command, action& chosen, action perform) {
    command.final_callback([&chosen, perform = std::move(perform)] { chosen = perform; });
}

void take_or_refuse(const tool_command::take_value& take, const std::string& text, const std::string& name,
                    const std::string& wanted) {
    if (!take(text)) refuse_option(name, fmt::format("'{}', expected {}", text, wanted));
}

}  // namespace

tool_option tool_option::required() const {
    declared_->required();
    return *this;
}

tool_option tool_option::needs(const tool_option& other) const {
    declared_->needs(other.declared_);
    return *this;
}

tool_option tool_option::excludes(const tool_option& other) const {
    declared_->excludes(other.declared_);
    return *this;
}

tool_option tool_option::one_value_each() const {
    declared_->allow_extra_args(false);
    return *this;
}

tool_option tool_option::exactly_one() const {
    declared_->expected(1);
    return *this;
}

tool_option tool_option::at_least_two() const {
    declared_->expected(2, CLI::detail::expected_max_vector_size);
    return *this;
}

tool_command tool_command::add(std::string_view name, std::string_view meaning, action perform) const {
    CLI::App* const command = app_->add_subcommand(std::string(name), std::string(meaning));
    command->group(command_group);
    run_when_chosen(*command, *chosen_, std::move(perform));
    return {*command, *chosen_};
}

void tool_command::add_hidden(std::string_view name, std::string_view meaning, action perform) const {
    CLI::App* const command = app_->add_subcommand(std::string(name), std::string(meaning));
    command->group("");
    run_when_chosen(*command, *chosen_, std::move(perform));
}

tool_command tool_command::add_parent(std::string_view name, std::string_view meaning) const {
    CLI::App* const command = app_->add_subcommand(std::string(name), std::string(meaning));
    command->group(command_group);
    command->require_subcommand(1);
    return {*command, *chosen_};
}

tool_option tool_command::flag(std::string_view names, bool& target, std::string_view meaning) const {
    return tool_option(*app_->add_flag(std::string(names), target, std::string(meaning)));
}

tool_option tool_command::flag(std::string_view names, std::function<void()> set,
                               std::string_view meaning) const {
    return tool_option(*app_->add_flag_callback(std::string(names), std::move(set), std::string(meaning)));
}

tool_option tool_command::text(std::string_view names, std::string& target, std::string_view value_name,
                               std::string_view meaning) const {
    return tool_option(*app_->add_option(std::string(names), target, std::string(meaning))
                            ->type_name(std::string(value_name)));
}

tool_option tool_command::texts(std::string_view names, std::vector<std::string>& target,
                                std::string_view value_name, std::string_view meaning) const {
    return tool_option(*app_->add_option(std::string(names), target, std::string(meaning))
                            ->type_name(std::string(value_name)));
}

tool_option tool_command::value(std::string_view names, take_value take, std::string_view value_name,
                                std::string_view wanted, std::string_view meaning) const {
    return tool_option(
        *app_->add_option_function<std::string>(
                 std::string(names),
                 [take = std::move(take), name = last_name(names), wanted = std::string(wanted)](
                     const std::string& text) { take_or_refuse(take, text, name, wanted); },
                 std::string(meaning))
             ->type_name(std::string(value_name)));
}

tool_option tool_command::values(std::string_view names, take_value take, std::string_view value_name,
                                 std::string_view wanted, std::string_view meaning) const {
    return tool_option(*app_->add_option_function<std::vector<std::string>>(
                                std::string(names),
                                [take = std::move(take), name = last_name(names),
                                 wanted = std::string(wanted)](const std::vector<std::string>& texts) {
                                    for (const std::string& text : texts)
                                        take_or_refuse(take, text, name, wanted);
                                },
                                std::string(meaning))
                            ->type_name(std::string(value_name))
                            ->allow_extra_args(false));
}

tool_option tool_command::choice(std::string_view names, const std::vector<std::string>& choices,
                                 std::function<void(std::size_t)> choose, std::string_view meaning) const {
    const std::string list = CLI::detail::join(choices, std::string(1, choice_separator));
    return value(
        names,
        [choices, choose = std::move(choose)](std::string_view text) {
            for (std::size_t i = 0; i < choices.size(); ++i)
                if (choices[i] == text) {
                    choose(i);
                    return true;
                }
            return false;
        },
        list, list, meaning);
}

void tool_command::check_after_parse(std::function<void()> check) const {
    app_->parse_complete_callback(std::move(check));
}

void tool_command::set_examples(std::initializer_list<std::string_view> examples) const {
    std::string text = "Examples:";
    for (const std::string_view example : examples) text.append("\n  ").append(example);
    app_->footer(text);
}

command_row tool_command::table(value_choices choices) const { return table_of(*app_, {}, choices); }

void refuse_option(std::string_view name, std::string_view reason) {
    throw CLI::ValidationError(std::string(name), std::string(reason));
}

command_line::command_line(std::string_view name, std::string_view meaning, std::string_view version,
                           std::string_view footer)
    : app_(std::make_unique<CLI::App>(std::string(meaning), std::string(name))) {
    app_->require_subcommand(1);
    app_->set_version_flag("--version", std::string(version), "Print the version");
    app_->footer(std::string(footer));
}

command_line::~command_line() = default;

std::string command_line::help() const {
    const CLI::App& chosen = deepest(*app_);
    const std::string path = chosen_path(*app_);
    const command_row row =
        table_of(chosen, path.substr(0, path.size() - std::min(path.size(), chosen.get_name().size() + 1)),
                 [](const std::string&) { return std::vector<std::string>{}; });
    return help_page(row, row.commands.empty() || &chosen != app_.get() ? "" : app_->get_footer(),
                     terminal_width(STDOUT_FILENO));
}

exit_code command_line::run(int argc, char** argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (words.empty()) {
        const std::string page =
            overview(table_of(*app_, {}, [](const std::string&) { return std::vector<std::string>{}; }));
        std::fwrite(page.data(), 1, page.size(), stderr);
        return exit_code::usage;
    }
    // `membrane help COMMAND` is `membrane COMMAND --help`.
    const bool is_help_command = words.front() == "help";
    if (is_help_command && (words.size() == 1 || !words[1].starts_with('-'))) {
        words.erase(words.begin());
        words.emplace_back("--help");
    } else if (words.front() == "version" && words.size() == 1) {
        words.front() = "--version";
    }
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
    try {
        app_->parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        if (is_help_command && !app_->remaining(true).empty())
            fail(exit_code::usage, fmt::format("{}; see `membrane --help`", unknown_words(*app_)));
        out().write(help());
        return exit_code::done;
    } catch (const CLI::CallForVersion& version) {
        out().print("{}\n", version.what());
        return exit_code::done;
    } catch (const CLI::ParseError& problem) {
        fail(exit_code::usage,
             fmt::format("{}; see `{} --help`", reason(*app_, problem), chosen_path(*app_)));
    }
    return chosen_();
}

}  // namespace membrane::cli
