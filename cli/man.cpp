// membrane man: the manual page in roff, from the table of options. Not listed in the help; the build installs its output.
#include <fmt/format.h>

#include <membrane/version.hpp>

#include "commands.hpp"
#include "option_table.hpp"
#include "output.hpp"

namespace membrane::cli {

namespace {

std::string roff(std::string_view text) {
    std::string escaped;
    for (const char letter : text) {
        if (letter == '\\') escaped += "\\e";
        else if (letter == '-') escaped += "\\-";
        else if (letter == '\'') escaped += "\\(aq";
        else if (letter == '`') escaped += "\\(ga";
        else escaped += letter;
    }
    if (!escaped.empty() && escaped[0] == '.') escaped.insert(0, "\\&");
    return escaped;
}

std::string synopsis(const command_row& row) {
    std::string text = fmt::format("\\fB{}\\fR", roff(row.path));
    for (const option_row& option : row.options)
        if (option.is_required)
            text += fmt::format(" \\fB{}\\fR \\fI{}\\fR", roff(option.names.front()), roff(option.value));
    text += " [\\fIoptions\\fR]";
    for (const option_row& each : row.positionals) {
        const std::string shown =
            fmt::format("\\fI{}\\fR{}", roff(each.value), each.is_repeated ? "..." : "");
        text += each.is_required ? " " + shown : fmt::format(" [{}]", shown);
    }
    return text;
}

void print_options(const std::vector<option_row>& rows) {
    for (const option_row& option : rows) {
        std::string names;
        for (const std::string& name : option.names)
            names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
        if (!option.value.empty())
            names += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", roff(option.value));
        out().print(".TP\n{}\n{}.\n", names, roff(option.meaning));
    }
}

void print_command(const command_row& row) {
    out().print(".SS \"{}\"\n{}.\n.PP\n{}\n", roff(row.path), roff(row.meaning), synopsis(row));
    print_options(row.positionals);
    print_options(row.options);
    if (row.examples.empty()) return;
    out().print(".PP\nExamples:\n.PP\n.nf\n.RS\n");
    for (const std::string& example : row.examples) out().print("{}\n", roff(example));
    out().print(".RE\n.fi\n");
}

void print_page(const CLI::App& app) {
    const command_row tool = table_of(app);
    out().print(".TH MEMBRANE 1 \"\" \"membrane {}\" \"User Commands\"\n", version_string);
    out().print(".SH NAME\nmembrane \\- {}\n", roff(tool.meaning));
    out().print(".SH SYNOPSIS\n");
    const auto all = flatten(tool);
    for (const command_row* const row : all)
        if (row->commands.empty()) out().print("{}\n.br\n", synopsis(*row));
    out().print(
        ".SH DESCRIPTION\nA filter is a file of a few bits per key that answers whether a key was put in. "
        "\"No\" is always true; "
        "\"yes\" is wrong at the planned false positive rate. Keys come from files or standard input, one a "
        "line by default; "
        "results go to standard output, messages to standard error. A filter file is always replaced as a "
        "whole, and a damaged one "
        "is refused.\n");
    out().print(".SH COMMANDS\n");
    for (const command_row* const row : all)
        if (row->commands.empty()) print_command(*row);
    out().print(".SH OPTIONS\n");
    print_options(tool.options);
    out().print(".SH EXIT STATUS\n{}\n", roff(exit_status_text));
    out().print(
        ".SH ENVIRONMENT\n.TP\n\\fBTMPDIR\\fR\nWhere build puts the hashes that do not fit into "
        "\\-\\-memory.\n");
}

}  // namespace

void add_man_command(CLI::App& app, action& run) {
    CLI::App* const command = app.add_subcommand("man", "Print the manual page in roff");
    command->group("");
    command->final_callback([&run, &app] {
        run = [&app] {
            print_page(app);
            return exit_code::done;
        };
    });
}

}  // namespace membrane::cli
