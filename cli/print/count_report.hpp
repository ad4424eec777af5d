// What a count file promises: how much too high an estimate may be, and with what chance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <membrane/runtime/any_view.hpp>

#include "json.hpp"

namespace membrane::cli {

struct count_promise {
    double eps = 0;            // of all occurrences
    double delta = 0;          // the chance that an estimate is higher
    std::uint64_t excess = 0;  // eps of the occurrences counted so far
};

bool is_count_file(const any_view& filter);
count_promise count_promise_of(const any_view& filter);
std::string count_promise_text(const count_promise& promise);

// How many occurrences a command has added.
void say_counted(const std::string& file, std::uint64_t added, const any_view& filter);

// An integer for 8 bytes of format u64, hexadecimal digits for other lengths and for hex, otherwise the bytes.
enum class shown_key : std::uint8_t { lines, nul, u64, hex };
std::string key_text(std::string_view bytes, shown_key format);

// The most counted keys: "count<TAB>key", a key that was cut with dots; and as JSON (doc/json.md).
void print_top(std::span<const counted_key> top, shown_key format);
json top_json(const std::string& file, std::uint64_t total, std::span<const counted_key> top,
              shown_key format);

}  // namespace membrane::cli
