#include "record_blocks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "file_start.hpp"

namespace membrane::cli {

namespace {

// Small enough that the hashes of a block stay in the cache until their use.
constexpr std::size_t block_bytes = std::size_t{1} << 18;

bool is_standard_input(const std::string& file) { return file == "-"; }

std::optional<std::uint64_t> bytes_left(const std::string& file) {
    struct stat status {};
    const int outcome =
        is_standard_input(file) ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
    if (outcome != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    const off_t at = is_standard_input(file) ? std::max<off_t>(0, ::lseek(STDIN_FILENO, 0, SEEK_CUR)) : 0;
    return static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - at));
}

}  // namespace

record_blocks::record_blocks(const key_source& source) : files_(source.files), format_(source.format) {
    if (files_.empty()) files_.emplace_back("-");
    for (const std::string& file : files_) {
        const auto size = bytes_left(file);
        total_bytes_ = size && total_bytes_ ? std::optional(*total_bytes_ + *size) : std::nullopt;
    }
}

record_blocks::~record_blocks() { close_current(); }

void record_blocks::close_current() noexcept {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
    descriptor_ = -1;
}

bool record_blocks::open_next() {
    if (next_file_ == files_.size()) return false;
    const std::string& file = files_[next_file_++];
    if (is_standard_input(file)) {
        name_ = "standard input";
        descriptor_ = STDIN_FILENO;
    } else {
        name_ = file;
        descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail_errno(name_, "open", errno);
    }
    check_is_keys(name_, descriptor_);
    is_at_start_ = true;
    return true;
}

std::size_t record_blocks::read_into(record_block& block) {
    if (block.size_bytes == block.buffer.size()) try {
            block.buffer.resize(std::max(block_bytes, block.buffer.size() * 2));
        } catch (const std::bad_alloc&) {
            fail(exit_code::io,
                 fmt::format("{}: out of memory: a key has more than {} bytes; is --format right?", name_,
                             block.size_bytes));
        }
    ssize_t got = 0;
    do
        got = ::read(descriptor_, block.buffer.data() + block.size_bytes,
                     block.buffer.size() - block.size_bytes);
    while (got < 0 && errno == EINTR);
    if (got < 0) fail_errno(name_, "read", errno);
    block.size_bytes += static_cast<std::size_t>(got);
    bytes_read_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
}

std::size_t record_blocks::last_end(const record_block& block, std::size_t searched) const {
    if (format_ == key_format::u64) return block.size_bytes - block.size_bytes % integer_key_bytes;
    const char end = record_end_of(format_)[0];
    for (std::size_t at = block.size_bytes; at > searched; --at)
        if (block.buffer[at - 1] == end) return at;
    return 0;
}

bool record_blocks::next(record_block& block) {
    for (;;) {
        if (descriptor_ < 0 && !open_next()) return false;
        if (block.buffer.size() < rest_.size()) block.buffer.resize(rest_.size());
        std::copy(rest_.begin(), rest_.end(), block.buffer.begin());
        block.size_bytes = rest_.size();
        block.begins_file = std::exchange(is_at_start_, false);
        block.name = name_;
        rest_.clear();
        for (std::size_t searched = block.size_bytes;; searched = block.size_bytes) {
            if (read_into(block) == 0) {
                close_current();
                if (block.size_bytes == 0) break;
                return true;  // the last record needs no terminator
            }
            if (const std::size_t end = last_end(block, searched); end != 0) {
                rest_.assign(block.buffer.begin() + static_cast<std::ptrdiff_t>(end),
                             block.buffer.begin() + static_cast<std::ptrdiff_t>(block.size_bytes));
                block.size_bytes = end;
                return true;
            }
        }
    }
}

}  // namespace membrane::cli
