// `hold F.mbr` opens a filter file as every command of the tool does and keeps it; `ask WORD...` asks it. So a word costs a lookup and not
// the reading of the file.
#include <optional>
#include <string>
#include <vector>

#include <membrane/kind/count_min/spec.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/json.hpp"
#include "page_commands.hpp"

namespace membrane::web {

namespace {

using namespace cli;

std::optional<mapped_filter>& held() {
    static std::optional<mapped_filter> filter;
    return filter;
}

struct hold_options {
    std::string filter;
};

void declare_hold(const tool_command& command, hold_options& options) {
    add_filter(command, options.filter, "The filter file");
}

exit_code perform_hold(const hold_options& options) {
    held().reset();
    held() = open_filter(options.filter);
    return exit_code::done;
}

struct ask_options {
    std::vector<std::string> words;
};

void declare_ask(const tool_command& command, ask_options& options) {
    command.texts("WORD", options.words, "WORD", "The keys").required();
}

exit_code perform_ask(const ask_options& options) {
    if (!held()) fail(exit_code::usage, "no filter is open");
    const any_view& filter = held()->view();
    json answers = json::array();
    for (const std::string& word : options.words) {
        const key_hash hash = filter.hash()(std::string_view(word));
        const auto count = filter.estimate(hash);
        answers.push_back(json{{"word", word},
                               {"may_contain", filter.may_contain(hash)},
                               {"count", count ? json(*count) : json(nullptr)}});
    }
    print_json_line(answers);
    return exit_code::done;
}

}  // namespace

void add_held_filter_commands(const tool_command& tool) {
    add_command<hold_options>(tool, "hold", "Open a filter file for `ask`", declare_hold, perform_hold);
    add_command<ask_options>(tool, "ask", "Whether the open filter may contain words", declare_ask,
                             perform_ask);
}

}  // namespace membrane::web
