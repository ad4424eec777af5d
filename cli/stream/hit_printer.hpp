// The lines that `membrane query` prints, from the answers of one filter or several: whole lines, matching keys, or JSON objects. Keys of
// one line come one after the other, and a line with several keys is printed once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/key_parser.hpp"

namespace membrane::cli {

inline constexpr std::size_t most_filters = 64;
// Bit i: filter i may hold the key.
using filter_mask = std::uint64_t;

struct hit_style {
    bool is_inverted = false;  // what is in no filter
    bool shows_keys = false;   // the key instead of its line
    bool is_json = false;
    bool shows_names = false;  // of the filters that hold the key, before the line
    key_format format = key_format::lines;
    std::vector<std::string> names;  // of the filters
};

class hit_printer {
public:
    explicit hit_printer(const hit_style& style) : style_(style) {}

    // The keys of the parser's last batch.
    void add(const key_parser& parser, std::span<const input_key> keys, std::span<const filter_mask> masks);
    // The end of a block.
    void finish();

    // What was printed since clear(), and how many lines, keys or objects it is.
    const std::string& text() const noexcept { return text_; }
    std::uint64_t printed() const noexcept { return printed_; }
    void clear();

private:
    void add_key(const key_parser& parser, const input_key& key, std::uint32_t line, filter_mask mask);
    void append_record(std::string_view record, filter_mask mask);
    void append_object(const std::string& file, std::uint64_t line, std::string_view key, filter_mask mask);
    void append_key_text(std::string_view key);

    hit_style style_;
    std::string text_;
    std::uint64_t printed_ = 0;

    // The line whose keys are coming.
    bool is_open_ = false;
    std::uint32_t line_ = 0;
    std::uint64_t number_ = 0;
    std::string file_;
    std::string_view record_;
    filter_mask mask_ = 0;
};

}  // namespace membrane::cli
