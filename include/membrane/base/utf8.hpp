// UTF-8 as RFC 3629 defines it: no surrogates, and no longer form of a character than necessary.
#pragma once

#include <cstddef>
#include <string_view>

namespace membrane {

// Bytes of the character at the start of a text that is not empty; 0 if it is not UTF-8.
constexpr std::size_t utf8_character_bytes(std::string_view text) noexcept {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    return size;
}

constexpr bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t size = utf8_character_bytes(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

// Whether a terminal may take the character as a command: C0, DEL and, as 0xc2 0x80 to 0xc2 0x9f, C1.
constexpr bool is_control_character(std::string_view character) noexcept {
    const auto first = static_cast<unsigned char>(character[0]);
    return first < 0x20 || first == 0x7f ||
           (first == 0xc2 && character.size() > 1 && static_cast<unsigned char>(character[1]) < 0xa0);
}

}  // namespace membrane
