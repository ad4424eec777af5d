#include "json_text.hpp"

#include <algorithm>
#include <cstddef>

#include <membrane/base/utf8.hpp>

namespace membrane::cli {

void append_json_text(std::string& to, std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    to += '"';
    while (!bytes.empty()) {
        const std::size_t size = utf8_character_bytes(bytes);
        const char letter = bytes[0];
        if (size == 0) to += "\xef\xbf\xbd";
        else if (letter == '"' || letter == '\\') to.append({'\\', letter});
        else if (letter == '\n') to += "\\n";
        else if (letter == '\t') to += "\\t";
        else if (letter == '\r') to += "\\r";
        else if (static_cast<unsigned char>(letter) < 0x20)
            to.append("\\u00").append({digits[letter >> 4], digits[letter & 15]});
        else to.append(bytes.substr(0, size));
        bytes.remove_prefix(std::max<std::size_t>(size, 1));
    }
    to += '"';
}

std::string hex_digits(std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const char letter : bytes) {
        const auto byte = static_cast<unsigned char>(letter);
        text.append({digits[byte >> 4], digits[byte & 15]});
    }
    return text;
}

}  // namespace membrane::cli
