// membrane completion SHELL: completions made from the table of options, for bash, zsh and fish.
#include <fmt/format.h>

#include "commands.hpp"
#include "completion_scripts.hpp"
#include "output.hpp"

namespace membrane::cli {

void add_completion_command(CLI::App& app, action& run) {
    CLI::App* const command = app.add_subcommand("completion", "Print the completions for a shell");
    command->group(command_group);
    const auto shell = std::make_shared<std::size_t>(0);
    const std::vector<std::string> shells{"bash", "zsh", "fish"};
    add_choice(
        *command, "SHELL", shells, [shell](std::size_t i) { *shell = i; }, "Which shell")
        ->required();
    set_examples(*command, {"membrane completion bash >membrane.bash && . ./membrane.bash",
                            "membrane completion fish >membrane.fish"});
    command->final_callback([&run, &app, shell] {
        run = [&app, shell] {
            const command_row tool = table_of(app);
            constexpr std::string (*scripts[])(const command_row&){bash_completion, zsh_completion,
                                                                   fish_completion};
            out().write(scripts[*shell](tool));
            return exit_code::done;
        };
    });
}

}  // namespace membrane::cli
