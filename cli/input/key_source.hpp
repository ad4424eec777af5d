// The files with the keys of a command, and their format:
//
//   lines   one key per line; only the LF is removed, so CR, NUL and invalid UTF-8 belong to the key
//   nul     the same with NUL as the terminator
//   u64     records of 8 bytes, little-endian, hashed as integers
//   hex     lines of hexadecimal digits: the bytes of the key
//
// The last line needs no terminator, and an empty line is the empty key.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace membrane::cli {

enum class key_format { lines, nul, u64, hex };

inline constexpr std::size_t integer_key_bytes = 8;  // a record of the format u64

struct key_source {
    std::vector<std::string> files;  // "-" or none at all: standard input
    key_format format = key_format::lines;
    std::optional<char> delimiter;  // the key is one field of the line
    int field = 1;                  // from 1, or from -1 backwards
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
