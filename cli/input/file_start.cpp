#include "file_start.hpp"

#include <array>
#include <cerrno>
#include <span>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <membrane/format/layout.hpp>
#include <membrane/runtime/number_files.hpp>

#include "cli/print/failure.hpp"

namespace membrane::cli {

namespace {

// All of it: a read that a signal interrupts, or that gives less, goes on.
bool read_at(int descriptor, std::span<unsigned char> to, off_t at) noexcept {
    while (!to.empty()) {
        const ssize_t got = ::pread(descriptor, to.data(), to.size(), at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to = to.subspan(static_cast<std::size_t>(got));
        at += got;
    }
    return true;
}

}  // namespace

file_start start_of(int descriptor) noexcept {
    static_assert(layout::magic.size() == layout::pack_magic.size());
    std::array<unsigned char, layout::magic.size()> start{};
    const off_t at = ::lseek(descriptor, 0, SEEK_CUR);
    if (at < 0 || !read_at(descriptor, start, at)) return file_start::other;
    if (start == layout::magic) return file_start::filter;
    if (is_patch(std::as_bytes(std::span(start)))) return file_start::patch;
    return start == layout::pack_magic ? file_start::packed : file_start::other;
}

file_start start_of(const std::string& path) noexcept {
    // Opening and closing a named pipe would break it for its writer.
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return file_start::other;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return file_start::other;
    const file_start found = start_of(descriptor);
    ::close(descriptor);
    return found;
}

void check_is_keys(const std::string& name, int descriptor) {
    const file_start found = start_of(descriptor);
    if (found == file_start::other) return;
    const auto refuse = [&](std::string_view what, std::string_view advice) {
        fail(exit_code::usage, fmt::format("{}: is a {}, not a file of keys; {}", name, what, advice));
    };
    if (found == file_start::packed) refuse("packed filter", "make a filter of it with `membrane unpack`");
    if (found == file_start::patch) refuse("patch", "apply it to its filter with `membrane patch`");
    refuse("filter", "the keys of a filter cannot be read back from it");
}

}  // namespace membrane::cli
