#include "output.hpp"

#include <cerrno>
#include <utility>

#include <unistd.h>

#include "exit_code.hpp"
#include "report.hpp"

namespace membrane::cli {

void output::flush() {
    const std::string pending = std::exchange(buffer_, {});
    std::string_view left = pending;
    while (!left.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, left.data(), left.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            if (errno == EPIPE) throw closed_pipe{};
            fail_errno("standard output", "write", errno);
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.reserve(limit_bytes);
}

output& out() {
    static output standard;
    return standard;
}

}  // namespace membrane::cli
