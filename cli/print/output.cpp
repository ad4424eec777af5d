#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "failure.hpp"

namespace membrane::cli {

void output::print_arguments(fmt::string_view format, fmt::format_args arguments) {
    write(fmt::vformat(format, arguments));
}

void output::write_lines(std::string_view text, std::string_view end) {
    while (!text.empty()) {
        const std::size_t at = end.empty() ? std::string_view::npos : text.find(end);
        const std::size_t length = at == std::string_view::npos ? text.size() : at + end.size();
        write(text.substr(0, length));
        flush();
        text.remove_prefix(length);
    }
}

void output::write_now(std::string_view left) {
    while (!left.empty()) {
        const ssize_t written =
            ::write(STDOUT_FILENO, left.data(), std::min<std::size_t>(left.size(), std::size_t{1} << 30));
        if (written < 0) {
            if (errno == EINTR) continue;
            is_broken_ = true;
            if (errno == EPIPE) throw closed_pipe{};
            fail_errno("standard output", "write", errno);
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
}

void output::flush() {
    const std::string pending = std::exchange(buffer_, {});
    write_now(pending);
    buffer_.reserve(limit_bytes);
}

output& out() {
    static output standard;
    return standard;
}

void print_row(std::string_view name, std::string_view value) {
    out().print("{:<22}{}{}\n", name, name.size() >= 22 ? " " : "", value);
}

void save_text(const std::string& path, std::string_view text) {
    if (path == "-") return out().write(text);
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) fail_errno(path, "write", errno);
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int problem = errno;
    if (std::fclose(file) != 0) fail_errno(path, "write", errno);
    if (!is_written) fail_errno(path, "write", problem);
}

}  // namespace membrane::cli
