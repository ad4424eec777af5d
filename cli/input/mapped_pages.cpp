#include "mapped_pages.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "filter_files.hpp"

namespace membrane::cli {

namespace {

// Only calls that a signal handler may make from here on: no memory is allocated, nothing is locked.

void write_message(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

// One line of /proc/self/maps: "7f0c1000-7f0c3000 r--s 00000000 08:01 1234    /a/path".
struct mapping_line {
    std::uintptr_t begin = 0, end = 0;
    std::string_view file;

    explicit mapping_line(std::string_view line) {
        begin = take_hex(line);
        if (line.starts_with('-')) line.remove_prefix(1);
        end = take_hex(line);
        const std::size_t slash = line.find('/');
        if (slash != std::string_view::npos) file = line.substr(slash);
    }

    static std::uintptr_t take_hex(std::string_view& text) {
        constexpr std::string_view digits = "0123456789abcdef";
        std::uintptr_t number = 0;
        for (; !text.empty(); text.remove_prefix(1)) {
            const std::size_t digit = digits.find(text.front());
            if (digit == std::string_view::npos) break;
            number = number << 4 | digit;
        }
        return number;
    }
};

constexpr std::size_t longest_line = 8192;  // twice the longest path
char line_of_maps[longest_line];

// The file that is mapped at the address; empty if it is not known. The text is in line_of_maps.
std::string_view file_at(std::uintptr_t address) {
    const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0) return {};
    std::size_t size = 0;
    for (char letter = 0; ::read(maps, &letter, 1) == 1;) {
        if (letter != '\n') {
            if (size < longest_line) line_of_maps[size++] = letter;
            continue;
        }
        const mapping_line line({line_of_maps, std::exchange(size, 0)});
        if (line.begin <= address && address < line.end) return line.file;
    }
    return {};
}

std::atomic_flag has_message = ATOMIC_FLAG_INIT;

void end_with_message(int, siginfo_t* what, void*) {
    // Of several threads that miss a page, the first speaks and ends the process.
    while (has_message.test_and_set()) ::pause();
    const std::string_view file = file_at(reinterpret_cast<std::uintptr_t>(what->si_addr));
    write_message("membrane: ");
    write_message(file.empty() ? "a mapped file" : file);
    write_message(
        ": became shorter while it was read, or its disk failed; replace a file by `mv`, not by `cp`, and "
        "run the "
        "command again\n");
    ::_exit(static_cast<int>(exit_code::io));
}

}  // namespace

void explain_lost_pages() {
    struct sigaction wanted {};
    wanted.sa_sigaction = end_with_message;
    wanted.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &wanted, nullptr);
}

file_watch::file_watch(const std::string& path)
    : path_(shown_name(path)),
      descriptor_(::open(mappable(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail_errno(path_, "open", errno);
    first_ = now();
}

file_watch::file_watch(file_watch&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      first_(other.first_) {}

file_watch::~file_watch() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

file_watch::state file_watch::now() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail_errno(path_, "look at", errno);
    return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void file_watch::check() const {
    const state last = now();
    if (last == first_) return;
    const std::string what = last.size < first_.size ? fmt::format("became shorter ({} bytes, expected {})",
                                                                   last.size, first_.size)
                                                     : std::string("was changed");
    fail(exit_code::io,
         fmt::format(
             "{}: {} while it was read; replace a file by `mv`, not by `cp`, and run the command again",
             path_, what));
}

}  // namespace membrane::cli
