#include "help_page.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <fmt/core.h>

#include "cli/print/terminal.hpp"

namespace membrane::cli {

namespace {

constexpr std::size_t most_name_column = 32;

// Lines of at most `width` columns, broken at blanks; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::string line;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            lines.push_back(line);
            line.clear();
        }
        line.append(line.empty() ? "" : " ").append(word);
    }
    lines.push_back(line);
    return lines;
}

struct entry {
    std::string name;
    std::string meaning;
};

entry entry_of(const option_row& option) {
    std::string name;
    for (const std::string& each : option.names) name.append(name.empty() ? "" : ",").append(each);
    if (!option.value.empty()) name.append(name.empty() ? "" : " ").append(option.value);
    if (option.is_repeated) name += " ...";
    if (option.is_required) name += " (required)";
    return {name, option.meaning};
}

void append_entries(std::string& page, const std::string& heading, const std::vector<entry>& entries,
                    std::size_t width) {
    if (entries.empty()) return;
    page += "\n" + emphasised(heading + ":", STDOUT_FILENO) + "\n";
    std::size_t column = 0;
    for (const entry& each : entries) column = std::max(column, each.name.size() + 4);
    column = std::min({column, most_name_column, width / 2});
    for (const entry& each : entries) {
        const auto lines = wrapped(each.meaning, width > column + 20 ? width - column : 20);
        const bool fits = each.name.size() + 4 <= column;
        page += fmt::format("  {:<{}}", each.name, fits ? column - 2 : 0);
        if (!fits) page += fmt::format("\n{:{}}", "", column);
        for (std::size_t i = 0; i < lines.size(); ++i)
            page += (i == 0 ? "" : fmt::format("{:{}}", "", column)) + lines[i] + "\n";
    }
}

std::vector<entry> entries_of(const std::vector<option_row>& options) {
    std::vector<entry> entries;
    for (const option_row& option : options) entries.push_back(entry_of(option));
    return entries;
}

std::string usage_of(const command_row& row) {
    std::string text = row.path;
    if (!row.options.empty()) text += " [OPTIONS]";
    for (const option_row& each : row.positionals) {
        const std::string shown = each.value + (each.is_repeated ? "..." : "");
        text += each.is_required ? " " + shown : " [" + shown + "]";
    }
    if (!row.commands.empty()) text += " COMMAND";
    return text;
}

}  // namespace

std::string help_page(const command_row& row, const std::string& footer, std::size_t width) {
    std::string page;
    for (const std::string& line : wrapped(row.meaning, width)) page += line + "\n";
    page += emphasised("Usage:", STDOUT_FILENO) + " " + usage_of(row) + "\n";
    append_entries(page, "Arguments", entries_of(row.positionals), width);
    append_entries(page, "Options", entries_of(row.options), width);
    std::vector<entry> commands;
    for (const command_row& command : row.commands) commands.push_back({command.name, command.meaning});
    append_entries(page, "Commands", commands, width);
    if (!footer.empty()) {
        page += "\n";
        std::string_view left = footer;
        while (!left.empty()) {
            const std::size_t end = std::min(left.find('\n'), left.size());
            for (const std::string& line : wrapped(left.substr(0, end), width)) page += line + "\n";
            left.remove_prefix(std::min(end + 1, left.size()));
        }
    }
    if (row.examples.empty()) return page;
    page += "\n" + emphasised("Examples:", STDOUT_FILENO) + "\n";
    for (const std::string& example : row.examples) page += "  " + example + "\n";
    return page;
}

std::string overview(const command_row& tool) {
    std::string page = tool.meaning + "\n\n";
    constexpr std::string_view first[] = {"build", "query", "dedup", "count", "plan"};
    for (const std::string_view name : first)
        for (const command_row& command : tool.commands)
            if (command.name == name) page += fmt::format("  membrane {:<8}{}\n", name, command.meaning);
    page += fmt::format(
        "\n  membrane build -o seen.mbr keys.txt      make a filter of the lines of a file\n"
        "  membrane query seen.mbr other.txt        print the lines that may be in it\n\n"
        "`membrane help` lists all {} commands, `membrane help COMMAND` describes one.\n",
        tool.commands.size());
    return page;
}

}  // namespace membrane::cli
