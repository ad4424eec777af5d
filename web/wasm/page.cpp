// The commands of the page: the tool's own, and those that only a page needs. JavaScript calls `page_run` with the words of a command
// line and gets what the command writes to standard output and standard error.
#include <string>
#include <string_view>
#include <vector>

#include <emscripten.h>

#include "cli/command/run_tool.hpp"
#include "page_commands.hpp"

namespace {

void declare(const membrane::cli::tool_command& tool) {
    membrane::cli::add_plan_command(tool);
    membrane::cli::add_build_command(tool);
    membrane::cli::add_info_command(tool);
    membrane::cli::add_verify_command(tool);
    membrane::cli::add_kinds_command(tool);
    membrane::web::add_overview_command(tool);
    membrane::web::add_picture_command(tool);
    membrane::web::add_held_filter_commands(tool);
}

}  // namespace

extern "C" {

// The words of a command line, each with a zero behind it. Returns the exit code.
EMSCRIPTEN_KEEPALIVE int page_run(const char* words, int bytes) {
    std::vector<std::string> line{"membrane"};
    for (std::string_view left(words, static_cast<std::size_t>(bytes)); !left.empty();) {
        const std::size_t end = left.find('\0');
        line.emplace_back(left.substr(0, end));
        left.remove_prefix(end + 1);
    }
    std::vector<char*> arguments;
    for (std::string& word : line) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return static_cast<int>(
        membrane::cli::run_tool(static_cast<int>(line.size()), arguments.data(), declare));
}
}
