// membrane completion SHELL and membrane man: documents made from the commands and options of the tool itself.
#include <memory>

#include <cli/catalog/catalog.hpp>
#include <lab/catalog.hpp>
#include <membrane/runtime/registry.hpp>

#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/output.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

// The shell completions suggest the names of kinds, models and lab items.
std::vector<std::string> names_for(const std::string& value_name) {
    std::vector<std::string> names;
    if (value_name == kind_value) {
        names.emplace_back(automatic_kind);
        for (const kind_entry& entry : registry()) names.emplace_back(entry.rules.name);
    } else if (value_name == model_value) {
        for (const model::catalog_function& function : model::catalog()) names.emplace_back(function.name);
    } else if (value_name == lab_item_value) {
        names.emplace_back(all_lab_items);
        for (const lab::experiment& item : lab::catalog()) names.emplace_back(item.name);
    }
    return names;
}

}  // namespace

void add_document_commands(const tool_command& tool) {
    const auto shell = std::make_shared<std::size_t>(0);
    const tool_command completion =
        tool.add("completion", "Print the completions for a shell", [tool, shell] {
            constexpr std::string (*scripts[])(const command_row&){bash_completion, zsh_completion,
                                                                   fish_completion};
            out().write(scripts[*shell](tool.table(names_for)));
            return exit_code::done;
        });
    completion
        .choice(
            "SHELL", {"bash", "zsh", "fish"}, [shell](std::size_t i) { *shell = i; }, "Which shell")
        .required();
    completion.set_examples({"membrane completion bash >membrane.bash && . ./membrane.bash",
                             "membrane completion fish >membrane.fish"});
    const auto words = std::make_shared<std::vector<std::string>>();
    // command_line::run turns the two into --help and --version.
    const tool_command help =
        tool.add("help", "Describe a command, as its --help does", [] { return exit_code::done; });
    help.texts("COMMAND", *words, "COMMAND", "The command, such as build, or two words: count top");
    help.set_examples({"membrane help build", "membrane help count top"});
    const tool_command version = tool.add("version", "Print the version", [] { return exit_code::done; });
    version.set_examples({"membrane version", "membrane --version"});
    // The build installs the page, so the help does not list the command.
    tool.add_hidden("man", "Print the manual page in roff", [tool] {
        out().write(manual_page(tool.table(names_for)));
        return exit_code::done;
    });
}

}  // namespace membrane::cli
