#include "json.hpp"

#include <algorithm>

#include "output.hpp"

namespace membrane::cli {

void print_json(const json& value) {
    out().write(report::json_text(value));
    out().write('\n');
}

void print_json_line(const json& value) {
    // Line ends inside strings are escaped: all others, and the blanks behind them, are layout.
    const std::string text = report::json_text(value);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out().write(std::string_view(text).substr(at, end - at));
        at = std::min(text.find_first_not_of(' ', std::min(end + 1, text.size())), text.size());
    }
    out().write('\n');
}

}  // namespace membrane::cli
