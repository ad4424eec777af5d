#include "byte_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "cli/print/output.hpp"
#include "file_start.hpp"
#include "stop_signals.hpp"

namespace membrane::cli {

namespace {

constexpr std::size_t compressed_block_bytes = std::size_t{1} << 16;

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
constexpr std::array<std::string_view, 2> utf16_marks{"\xff\xfe", "\xfe\xff"};
constexpr std::array<std::string_view, 2> compressed_starts{"\x1f\x8b", "\x28\xb5\x2f\xfd"};
// Compressed forms that are not unpacked here. In `start` # stands for a digit: the size of blocks, before the number of the first block of
// bzip2, or of its end if there is none.
struct foreign_form {
    std::string_view start;
    std::string_view name;  // also of the program that unpacks it
};
constexpr std::array<foreign_form, 4> foreign_forms{{{std::string_view("\xfd\x37\x7a\x58\x5a\0", 6), "xz"},
                                                     {"BZh#\x31\x41\x59\x26\x53\x59", "bzip2"},
                                                     {"BZh#\x17\x72\x45\x38\x50\x90", "bzip2"},
                                                     {"\x04\x22\x4d\x18", "lz4"}}};

// As far as both go.
bool agrees(std::string_view text, std::string_view pattern) {
    for (std::size_t i = 0; i < text.size() && i < pattern.size(); ++i)
        if (pattern[i] == '#' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i]) return false;
    return true;
}

int open_or_fail(const std::string& file) {
    if (file == "-") return STDIN_FILENO;
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail_errno(file, "open", errno);
    return descriptor;
}

bool is_regular(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// Whether more bytes could complete one of the starts that matter. A live stream of short lines must not wait for them.
bool may_become_known(std::string_view start) {
    const auto is_part = [start](std::string_view whole) {
        return start.size() < whole.size() && whole.starts_with(start);
    };
    const auto is_part_of_form = [start](const foreign_form& form) {
        return start.size() < form.start.size() && agrees(start, form.start);
    };
    return is_part(utf8_mark) || std::any_of(utf16_marks.begin(), utf16_marks.end(), is_part) ||
           std::any_of(compressed_starts.begin(), compressed_starts.end(), is_part) ||
           std::any_of(foreign_forms.begin(), foreign_forms.end(), is_part_of_form);
}

void refuse_foreign_form(std::string_view start, const std::string& name) {
    for (const foreign_form& form : foreign_forms) {
        if (start.size() < form.start.size() || !agrees(start, form.start)) continue;
        fail(
            exit_code::bad_data,
            fmt::format("{}: is compressed by {}, and only gzip and zstd are unpacked here; give `{} -dc {}| "
                        "membrane ... -`, or --exact to take its bytes as they are",
                        name, form.name, form.name, name == "standard input" ? "" : name + " "));
    }
}

}  // namespace

byte_stream::byte_stream(const std::string& file, const key_source& source,
                         const std::function<int()>& before_wait, std::atomic<std::uint64_t>& raw_bytes)
    : name_(file == "-" ? "standard input" : file),
      descriptor_(open_or_fail(file)),
      before_wait_(before_wait),
      raw_bytes_(raw_bytes) {
    try {
        may_wait_ = !is_regular(descriptor_);
        check_is_keys(name_, descriptor_);
        look_at_start(source);
    } catch (...) {
        if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
        throw;
    }
}

byte_stream::~byte_stream() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

bool byte_stream::wait() {
    // A closed standard output is noticed only by a write, or here: otherwise `tail -f log | membrane query f.mbr | head -1` would wait for
    // another hit.
    pollfd watched[] = {{descriptor_, POLLIN, 0},
                        {stop_signals::descriptor(), POLLIN, 0},
                        {out().expects_results() ? STDOUT_FILENO : -1, 0, 0}};
    int milliseconds = 0;
    while (may_wait_ && !stop_signals::came()) {
        const int ready = ::poll(watched, std::size(watched), milliseconds);
        if (ready < 0 && errno != EINTR) break;
        if (ready > 0) {
            if (watched[0].revents != 0) break;
            if ((watched[2].revents & POLLERR) != 0) throw closed_pipe{};
        } else if (ready == 0) {
            milliseconds = before_wait_ ? before_wait_() : -1;
        }
    }
    return !stop_signals::came();
}

std::size_t byte_stream::read_raw(char* to, std::size_t room) {
    ssize_t got = 0;
    do {
        if (!wait()) return 0;
        got = ::read(descriptor_, to, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail_errno(name_, "read", errno);
    raw_bytes_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
}

void byte_stream::look_at_start(const key_source& source) {
    const auto start = [this] { return std::string_view(pending_.data(), pending_.size()); };
    const auto read_more = [this] {
        const std::size_t before = pending_.size();
        pending_.resize(before + compressed_block_bytes);
        pending_.resize(before + read_raw(pending_.data() + before, compressed_block_bytes));
        return pending_.size() != before;
    };
    while ((pending_.empty() || may_become_known(start())) && read_more()) {
    }
    if (stop_signals::came()) return;
    unpacker_ = decompressor_for(pending_.data(), pending_.size());
    if (!source.is_exact) refuse_foreign_form(start(), name_);
    const bool is_text = source.format == key_format::lines || source.format == key_format::hex;
    if (!is_text || source.is_exact) return;
    if (unpacker_) {
        // The mark is the first of the unpacked bytes: they are unpacked here until it is known.
        std::vector<char> plain(utf8_mark.size());
        std::size_t size = 0;
        do {
            const std::size_t got = read_plain(plain.data() + size, plain.size() - size);
            if (got == 0) break;
            size += got;
        } while (may_become_known({plain.data(), size}) && size < plain.size());
        unpacked_start_.assign(plain.data(), size);
    }
    const std::string_view text = unpacker_ ? std::string_view(unpacked_start_) : start();
    if (text.starts_with(utf8_mark)) {
        had_mark_ = true;
        if (unpacker_) unpacked_start_.clear();
        else used_ = utf8_mark.size();
    }
    if (std::any_of(utf16_marks.begin(), utf16_marks.end(),
                    [text](std::string_view mark) { return text.starts_with(mark); }))
        fail(exit_code::bad_data,
             fmt::format("{}: is UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8`, or give --exact to "
                         "take its bytes as they are",
                         name_));
}

std::size_t byte_stream::read_plain(char* to, std::size_t room) {
    for (;;) {
        if (used_ == pending_.size() && !may_have_more_) {
            pending_.resize(compressed_block_bytes);
            used_ = 0;
            pending_.resize(read_raw(pending_.data(), compressed_block_bytes));
            if (pending_.empty()) {
                if (stop_signals::came()) return 0;
                if (!unpacker_->is_whole())
                    fail(exit_code::bad_data,
                         fmt::format("{}: the compressed data is cut off; fetch the file again", name_));
                return 0;
            }
        }
        const auto done =
            unpacker_->unpack(pending_.data() + used_, pending_.size() - used_, to, room, name_);
        used_ += done.used;
        may_have_more_ = done.made == room;
        if (done.made != 0) return done.made;
    }
}

std::size_t byte_stream::read(char* to, std::size_t room) {
    if (!unpacked_start_.empty()) {
        const std::size_t size = std::min(room, unpacked_start_.size());
        std::memcpy(to, unpacked_start_.data(), size);
        unpacked_start_.erase(0, size);
        return size;
    }
    if (unpacker_) return read_plain(to, room);
    if (used_ < pending_.size()) {
        const std::size_t size = std::min(room, pending_.size() - used_);
        std::memcpy(to, pending_.data() + used_, size);
        used_ += size;
        return size;
    }
    return read_raw(to, room);
}

}  // namespace membrane::cli
