// Standard output through one buffer that checks every write: a full disk or a closed pipe ends the run with code 4 instead
// of leaving a result that looks complete. All results go through this buffer.
#pragma once

#include <string>
#include <string_view>

#include <fmt/core.h>

namespace membrane::cli {

class output {
public:
    void write(std::string_view text) {
        if (buffer_.size() + text.size() > limit_bytes) flush();
        buffer_.append(text);
        if (buffer_.size() >= limit_bytes) flush();
    }
    void write(char letter) { write(std::string_view(&letter, 1)); }

    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        print_arguments(format, fmt::make_format_args(arguments...));
    }

    // Throws closed_pipe or failure. Bytes that could not be written are dropped.
    void flush();

private:
    static constexpr std::size_t limit_bytes = 1 << 16;

    void print_arguments(fmt::string_view format, fmt::format_args arguments);

    std::string buffer_;
};

output& out();

// One line of a report about a single filter; the values are aligned.
void print_row(std::string_view name, std::string_view value);

// Writes a text file and replaces an existing one. Fails unless every byte was written; a failed write leaves an incomplete
// file behind.
void save_text(const std::string& path, std::string_view text);

}  // namespace membrane::cli
