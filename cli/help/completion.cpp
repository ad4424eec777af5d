// The completion scripts of the three shells.

#include <fmt/core.h>

#include "command_table.hpp"

namespace membrane::cli {

namespace {

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
    return text;
}

std::string option_words(const command_row& row) {
    std::vector<std::string> words;
    for (const option_row& option : row.options)
        words.insert(words.end(), option.names.begin(), option.names.end());
    return join(words);
}

std::string command_words(const command_row& row) {
    std::vector<std::string> words;
    for (const command_row& command : row.commands) words.push_back(command.name);
    for (const option_row& each : row.positionals)
        words.insert(words.end(), each.choices.begin(), each.choices.end());
    return join(words);
}

// Quoted for bash, zsh and fish.
std::string in_quotes(std::string_view text) {
    std::string safe = "'";
    for (const char letter : text) {
        if (letter == '\'') safe += "'\\''";
        else safe += letter;
    }
    return safe + "'";
}

// zsh interprets [ ] and : in a specification.
std::string zsh_text(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') safe += '\\';
        safe += letter;
    }
    return safe;
}

std::string zsh_value(const option_row& option) {
    if (option.value.empty()) return {};
    std::string text = ":" + zsh_text(option.value) + ":";
    if (!option.choices.empty()) text += "(" + join(option.choices) + ")";
    else if (option.takes_file) text += "_files";
    return text;
}

std::string zsh_arguments(const command_row& row) {
    std::string text = "_arguments -s";
    for (const option_row& option : row.options)
        for (const std::string& name : option.names)
            text += " \\\n            " +
                    in_quotes(name + "[" + zsh_text(option.meaning) + "]" + zsh_value(option));
    for (const option_row& each : row.positionals)
        text += " \\\n            " + in_quotes((each.is_repeated ? "*" : "") +
                                                (zsh_value(each).empty() ? ":file:_files" : zsh_value(each)));
    return text;
}

std::string zsh_function(const command_row& row) {
    std::string name = row.path;
    for (char& letter : name)
        if (letter == ' ') letter = '_';
    std::string text = fmt::format("_{}() {{\n", name);
    if (row.commands.empty()) {
        text += "    " + zsh_arguments(row) + "\n}\n\n";
        return text;
    }
    text += "    if (( CURRENT == 2 )); then\n        local -a commands=(";
    for (const command_row& command : row.commands)
        text += "\n            " + in_quotes(zsh_text(command.name) + ":" + command.meaning);
    text += fmt::format(
        "\n        )\n        _describe command commands\n        _values option {}\n        return\n    "
        "fi\n",
        option_words(row));
    text += "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n";
    for (const command_row& command : row.commands)
        text += fmt::format("        {}) _{}_{} ;;\n", command.name, name, command.name);
    text += "    esac\n}\n\n";
    for (const command_row& command : row.commands) text += zsh_function(command);
    return text;
}

std::string fish_condition(const command_row& row) {
    const std::string words = row.path.substr(row.path.find(' ') + 1);
    const std::size_t space = words.find(' ');
    if (space == std::string::npos)
        return fmt::format("test (count (__membrane_commands)) -ge 1; and test (__membrane_commands)[1] = {}",
                           words);
    return fmt::format(
        "test (count (__membrane_commands)) -ge 2; and test (__membrane_commands)[1] = {}; and test "
        "(__membrane_commands)[2] = {}",
        words.substr(0, space), words.substr(space + 1));
}

}  // namespace

std::vector<const command_row*> flatten(const command_row& row) {
    std::vector<const command_row*> all{&row};
    for (const command_row& command : row.commands) {
        const auto below = flatten(command);
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

std::string bash_completion(const command_row& tool) {
    std::string steps, values, options, words;
    for (const command_row* const row : flatten(tool)) {
        if (row != &tool) steps += fmt::format("            '{0}') path='{0}' ;;\n", row->path);
        options += fmt::format("            '{}') words='{}' ;;\n", row->path, option_words(*row));
        if (const std::string next = command_words(*row); !next.empty())
            words += fmt::format("            '{}') words='{}' ;;\n", row->path, next);
        for (const option_row& option : row->options) {
            if (option.value.empty()) continue;
            std::string pattern;
            for (const std::string& name : option.names)
                pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", row->path, name);
            const std::string reply = !option.choices.empty()
                                          ? fmt::format("words='{}'", join(option.choices))
                                      : option.takes_file ? "files=1"
                                                          : "";
            values += fmt::format("        {}) {}{}value=1 ;;\n", pattern, reply, reply.empty() ? "" : "; ");
        }
    }
    return fmt::format(R"(# bash completion of membrane; made by `membrane completion bash`
_membrane() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    local path=membrane words='' files='' value='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${{COMP_WORDS[i]}}" in
{}        esac
    done
    case "$path $previous" in
{}    esac
    if [[ -z $value ]]; then
        if [[ $current == -* ]]; then
            case $path in
{}            esac
        else
            files=1
            case $path in
{}            esac
            [[ -z $words ]] || files=''
        fi
    fi
    COMPREPLY=()
    if [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    elif [[ -n $files ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}}
complete -o filenames -F _membrane membrane
)",
                       steps, values, options, words);
}

std::string zsh_completion(const command_row& tool) {
    return "#compdef membrane\n# zsh completion of membrane; made by `membrane completion zsh`\n\n" +
           zsh_function(tool) + "_membrane \"$@\"\n";
}

std::string fish_completion(const command_row& tool) {
    std::string text =
        "# fish completion of membrane; made by `membrane completion fish`\n"
        "function __membrane_commands\n"
        "    set -l words (commandline -opc)[2..-1]\n"
        "    string match -v -- '-*' $words\n"
        "end\n"
        "complete -c membrane -f -n 'test (count (__membrane_commands)) -eq 0'\n";
    for (const command_row* const row : flatten(tool)) {
        const bool is_tool = row == &tool;
        const std::string condition =
            is_tool ? "test (count (__membrane_commands)) -eq 0" : fish_condition(*row);
        for (const command_row& command : row->commands)
            text += fmt::format(
                "complete -c membrane -f -n {} -a {} -d {}\n",
                in_quotes(is_tool
                              ? condition
                              : fmt::format("{}; and test (count (__membrane_commands)) -eq 1", condition)),
                command.name, in_quotes(command.meaning));
        for (const option_row& each : row->positionals)
            if (!each.choices.empty())
                text += fmt::format("complete -c membrane -f -n {} -a {}\n", in_quotes(condition),
                                    in_quotes(join(each.choices)));
        for (const option_row& option : row->options) {
            text += fmt::format("complete -c membrane -n {}", in_quotes(condition));
            for (const std::string& name : option.names)
                text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (!option.value.empty()) text += option.takes_file ? " -r -F" : " -x";
            if (!option.choices.empty()) text += " -a " + in_quotes(join(option.choices));
            text += " -d " + in_quotes(option.meaning) + "\n";
        }
    }
    return text;
}

}  // namespace membrane::cli
