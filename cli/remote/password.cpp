#include "password.hpp"

#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <fmt/core.h>

#include "cli/print/failure.hpp"

namespace membrane::cli {

namespace {

constexpr std::size_t longest_password = 4096;

// The terminal, letter by letter and without signals: so that ^C cannot leave it without its echo.
class silent_terminal {
public:
    silent_terminal() : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC)) {
        if (descriptor_ < 0 || ::tcgetattr(descriptor_, &before_) != 0)
            fail(
                exit_code::io,
                "--ask-password: there is no terminal to ask on; set REDISCLI_AUTH, or give --password-file");
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
        silent.c_cc[VMIN] = 1;
        silent.c_cc[VTIME] = 0;
        ::tcsetattr(descriptor_, TCSAFLUSH, &silent);
    }
    silent_terminal(const silent_terminal&) = delete;
    silent_terminal& operator=(const silent_terminal&) = delete;
    ~silent_terminal() {
        ::tcsetattr(descriptor_, TCSAFLUSH, &before_);
        write("\n");
        ::close(descriptor_);
    }

    void write(const std::string& text) const {
        [[maybe_unused]] const ssize_t written = ::write(descriptor_, text.data(), text.size());
    }
    std::string line() const {
        const char erase = static_cast<char>(before_.c_cc[VERASE]);
        const char kill = static_cast<char>(before_.c_cc[VKILL]),
                   stop = static_cast<char>(before_.c_cc[VINTR]);
        const char end = static_cast<char>(before_.c_cc[VEOF]);
        std::string typed;
        for (char letter = 0;;) {
            const ssize_t got = ::read(descriptor_, &letter, 1);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0 || letter == stop || (letter == end && typed.empty()))
                fail(exit_code::io, "no password was given");
            if (letter == '\n' || letter == '\r' || letter == end) return typed;
            if (letter == kill) typed.clear();
            else if (letter != erase && letter != '\b') typed += letter;
            else if (!typed.empty()) typed.pop_back();
            if (typed.size() > longest_password) fail(exit_code::usage, "the password is too long");
        }
    }

private:
    int descriptor_;
    termios before_{};
};

}  // namespace

std::string password_in(const std::string& file) {
    std::ifstream input(file, std::ios::binary);
    if (!input) fail_errno(file, "open", errno);
    std::string line;
    char letter = 0;
    while (line.size() <= longest_password && input.get(letter) && letter != '\n') line += letter;
    if (input.bad()) fail_errno(file, "read", errno);
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.size() > longest_password)
        fail(
            exit_code::bad_data,
            fmt::format("{}: the first line has {}, expected the password", file,
                        line.empty() ? "no letters" : fmt::format("more than {} letters", longest_password)));
    return line;
}

std::string asked_password(const std::string& question) {
    const silent_terminal terminal;
    terminal.write(question);
    return terminal.line();
}

}  // namespace membrane::cli
