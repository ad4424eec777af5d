// The files with the keys of a command, and their format:
//
//   lines   one key per line; NUL and invalid UTF-8 belong to the key
//   nul     records that end in NUL
//   u64     records of 8 bytes, little-endian, hashed as integers
//   hex     lines of hexadecimal digits: the bytes of the key
//
// The last line needs no terminator. Blank lines hold no key, a CR before the LF belongs to the line's end, and a byte order mark to the
// file: all three are counted, and the commands say how many there were (key_notes.hpp). doc/command_line.md has the rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace membrane::cli {

enum class key_format { lines, nul, u64, hex };

inline constexpr std::size_t integer_key_bytes = 8;  // a record of the format u64

// One key of a line: a field, from 1, or from -1 backwards; or several, joined by the delimiter.
using key_fields = std::vector<int>;

inline constexpr std::string_view default_separators = " \t\v\f\r,;\"'()[]{}<>|=";

struct key_source {
    std::vector<std::string> files;  // "-" or none at all: standard input
    key_format format = key_format::lines;
    std::optional<char> delimiter;  // between fields; none: white space
    std::vector<key_fields> keys;   // of each line; none: the line is the key
    bool has_tokens = false;        // every part of the line between separators is a key
    std::string separators{default_separators};
    bool keeps_blank = false;  // a blank line is the empty key
    bool is_exact = false;     // only the terminator is removed
    bool has_comments = false;
    bool skips_malformed = false;

    bool may_have_many_keys() const noexcept { return has_tokens || keys.size() > 1; }
};

// The terminator of a record; empty for integers, whose length is fixed.
constexpr std::string_view record_end_of(key_format format) {
    switch (format) {
        case key_format::u64: return {};
        case key_format::nul: return {"\0", 1};
        default: return "\n";
    }
}

struct input_key {
    std::string_view record;  // as read, without its terminator
    std::string_view bytes;   // the bytes to hash
};

}  // namespace membrane::cli
