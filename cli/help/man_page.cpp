// The manual page in roff; the build installs it.
#include <fmt/core.h>

#include <membrane/version.hpp>

#include "cli/print/failure.hpp"
#include "command_table.hpp"

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

// doc/command_line.md describes them too.
struct variable {
    std::string_view name;
    std::string_view meaning;
};
constexpr variable environment[] = {
    {"TMPDIR", "Where build and push put the hashes that do not fit into --memory (default: /tmp)."},
    {"COLUMNS", "How wide help is where output is no terminal (default: 80); a terminal says it itself."},
    {"NO_COLOR", "If it is set and not empty, or TERM is dumb, nothing is printed in bold on a terminal."},
    {"REDISCLI_AUTH", "The password for --redis, if neither --password-file nor --ask-password is given."},
    {"MEMBRANE_TARGET", "With the value portable, no instructions are used that only some processors have."},
};

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

void append_options(std::string& page, const std::vector<option_row>& rows) {
    for (const option_row& option : rows) {
        std::string names;
        for (const std::string& name : option.names)
            names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
        if (!option.value.empty())
            names += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", roff(option.value));
        page += fmt::format(".TP\n{}\n{}.\n", names, roff(option.meaning));
    }
}

void append_command(std::string& page, const command_row& row) {
    page += fmt::format(".SS \"{}\"\n{}.\n.PP\n{}\n", roff(row.path), roff(row.meaning), synopsis(row));
    append_options(page, row.positionals);
    append_options(page, row.options);
    if (row.examples.empty()) return;
    page += fmt::format(".PP\nExamples:\n.PP\n.nf\n.RS\n");
    for (const std::string& example : row.examples) page += fmt::format("{}\n", roff(example));
    page += fmt::format(".RE\n.fi\n");
}

}  // namespace

std::string manual_page(const command_row& tool) {
    std::string page;
    page += fmt::format(".TH MEMBRANE 1 \"\" \"membrane {}\" \"User Commands\"\n", version_string);
    page += fmt::format(".SH NAME\nmembrane \\- {}\n", roff(tool.meaning));
    page += fmt::format(".SH SYNOPSIS\n");
    const auto all = flatten(tool);
    for (const command_row* const row : all)
        if (row->commands.empty()) page += fmt::format("{}\n.br\n", synopsis(*row));
    page += fmt::format(
        ".SH DESCRIPTION\nA filter is a file of a few bits per key that answers whether a key was put in. "
        "\"No\" is always true; "
        "\"yes\" is wrong at the planned false positive rate. Keys come from files or standard input, one a "
        "line by default; "
        "results go to standard output, messages to standard error. A filter file is always replaced as a "
        "whole, and a damaged one "
        "is refused.\n");
    page += fmt::format(".SH COMMANDS\n");
    for (const command_row* const row : all)
        if (row->commands.empty()) append_command(page, *row);
    page += fmt::format(".SH OPTIONS\n");
    append_options(page, tool.options);
    page += fmt::format(".SH EXIT STATUS\n{}\n", roff(exit_status_text));
    page += ".SH ENVIRONMENT\n";
    for (const variable& each : environment)
        page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", each.name, roff(each.meaning));
    return page;
}

}  // namespace membrane::cli
