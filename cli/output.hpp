// Standard output through one buffer whose errors are noticed: a full disk or a closed pipe ends the run with code 4
// instead of a result that looks complete. Everything on standard output goes through here.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

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
        write(fmt::format(format, std::forward<Arguments>(arguments)...));
    }

    // Throws closed_pipe or failure; what could not be written is dropped.
    void flush();

private:
    static constexpr std::size_t limit_bytes = 1 << 16;

    std::string buffer_;
};

output& out();

}  // namespace membrane::cli
