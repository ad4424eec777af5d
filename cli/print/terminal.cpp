#include "terminal.hpp"

#include <charconv>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace membrane::cli {

namespace {

constexpr std::size_t usual_width = 80, least_width = 40;

std::size_t width_of_environment() {
    const char* const columns = std::getenv("COLUMNS");
    std::size_t width = 0;
    if (columns != nullptr) {
        const std::string_view text(columns);
        std::from_chars(text.data(), text.data() + text.size(), width);
    }
    return width >= least_width ? width : usual_width;
}

// NO_COLOR (no-color.org): set and not empty.
bool may_emphasise(int descriptor) {
    const char* const no_color = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
    return (no_color == nullptr || *no_color == '\0') && !is_dumb && ::isatty(descriptor) == 1;
}

}  // namespace

std::size_t terminal_width(int descriptor) {
    winsize size{};
    if (::isatty(descriptor) == 1 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 &&
        size.ws_col >= least_width)
        return size.ws_col;
    return width_of_environment();
}

std::string emphasised(std::string_view text, int descriptor) {
    if (!may_emphasise(descriptor)) return std::string(text);
    return std::string("\x1b[1m").append(text).append("\x1b[0m");
}

}  // namespace membrane::cli
