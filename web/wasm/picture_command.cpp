// `picture NAME WORD...`
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cli/input/command_line.hpp"
#include "cli/print/json.hpp"
#include "page_commands.hpp"
#include "pictures.hpp"

namespace membrane::web {

namespace {

struct named_picture {
    std::string_view name;
    json (*make)(words_of_picture);
};
constexpr std::array<named_picture, 5> all_pictures{{{"probes", probes_picture},
                                                     {"choices", choices_picture},
                                                     {"blocks", blocks_picture},
                                                     {"line", line_picture},
                                                     {"growth", growth_picture}}};

struct picture_options {
    std::vector<std::string> name_and_words;
};

void declare_picture(const cli::tool_command& command, picture_options& options) {
    command.texts("NAME", options.name_and_words, "NAME", "The picture, and the words to insert").required();
}

cli::exit_code perform_picture(const picture_options& options) {
    const std::string& name = options.name_and_words.front();
    for (const named_picture& each : all_pictures) {
        if (each.name != name) continue;
        cli::print_json_line(each.make(std::span(options.name_and_words).subspan(1)));
        return cli::exit_code::done;
    }
    cli::fail(cli::exit_code::usage, fmt::format("no picture '{}'", name));
}

}  // namespace

void add_picture_command(const cli::tool_command& tool) {
    cli::add_command<picture_options>(tool, "picture", "The steps of a picture", declare_picture,
                                      perform_picture);
}

}  // namespace membrane::web
