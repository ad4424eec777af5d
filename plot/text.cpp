#include "text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace membrane::plot {

namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

double letter_width(char letter) {
    static constexpr std::string_view narrow = "ijl.,:;'|!()[]tfI ";
    static constexpr std::string_view wide = "mwMW%@";
    if (narrow.find(letter) != std::string_view::npos) return 0.37;
    if (wide.find(letter) != std::string_view::npos) return 0.92;
    return letter >= 'A' && letter <= 'Z' ? 0.69 : 0.6;
}

}  // namespace

double text_width(std::string_view text, double font_size) {
    double width = 0;
    for (const char letter : text)
        if (!is_continuation(letter)) width += letter_width(letter);
    return width * font_size;
}

std::vector<std::string> wrap(std::string_view text, double font_size, double width) {
    std::vector<std::string> lines;
    std::string line;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
        if (word.empty()) continue;
        const std::string longer = line.empty() ? std::string(word) : line + ' ' + std::string(word);
        if (!line.empty() && text_width(longer, font_size) > width) {
            lines.push_back(line);
            line = word;
        } else {
            line = longer;
        }
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

std::string escape(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        switch (letter) {
            case '&': safe += "&amp;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '"': safe += "&quot;"; break;
            case '\'': safe += "&#39;"; break;
            default:
                if (static_cast<unsigned char>(letter) < 0x20) safe += letter == '\t' ? " " : "\uFFFD";
                else safe += letter;
        }
    }
    return safe;
}

std::string coordinate(double value) {
    std::string text = fmt::format("{:.2f}", value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

}  // namespace membrane::plot
