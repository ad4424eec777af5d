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
        if (text.size() > limit_bytes) return write_now(text);
        buffer_.append(text);
        if (buffer_.size() >= limit_bytes) flush();
    }
    // Each line of the text, or each record that ends in `end`, in a write of its own.
    void write_lines(std::string_view text, std::string_view end);
    void write(char letter) { write(std::string_view(&letter, 1)); }

    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        print_arguments(format, fmt::make_format_args(arguments...));
    }

    // Throws closed_pipe or failure. Bytes that could not be written are dropped.
    void flush();

    // The command prints results while it reads: when nobody can read them any more, it need not wait for more input.
    void expect_results() noexcept { expects_results_ = true; }
    bool expects_results() const noexcept { return expects_results_; }
    // Whether a write failed.
    bool is_broken() const noexcept { return is_broken_; }

private:
    static constexpr std::size_t limit_bytes = 1 << 16;

    void write_now(std::string_view left);
    void print_arguments(fmt::string_view format, fmt::format_args arguments);

    std::string buffer_;
    bool expects_results_ = false, is_broken_ = false;
};

output& out();

// One line of a report about a single filter; the values are aligned.
void print_row(std::string_view name, std::string_view value);

// Writes a text file and replaces an existing one. Fails unless every byte was written; a failed write leaves an incomplete
// file behind.
void save_text(const std::string& path, std::string_view text);

}  // namespace membrane::cli
