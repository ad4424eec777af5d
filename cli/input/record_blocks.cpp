#include "record_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "stop_signals.hpp"

namespace membrane::cli {

namespace {

// Small enough that the hashes of a block stay in the cache until their use.
constexpr std::size_t block_bytes = std::size_t{1} << 18;

std::optional<std::uint64_t> bytes_left(const std::string& file) {
    struct stat status {};
    const bool is_input = file == "-";
    const int outcome = is_input ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
    if (outcome != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    const off_t at = is_input ? std::max<off_t>(0, ::lseek(STDIN_FILENO, 0, SEEK_CUR)) : 0;
    return static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - at));
}

// Sums in bytes, which vectorise: std::count with its sums of 64 bits takes a tenth of the time of a whole query.
std::uint64_t count_byte(std::span<const char> bytes, char wanted) {
    constexpr std::size_t lanes = 64, most_rows = 255;
    std::uint64_t count = 0;
    while (bytes.size() >= lanes) {
        std::uint8_t sums[lanes]{};
        const std::size_t rows = std::min(bytes.size() / lanes, most_rows);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t i = 0; i < lanes; ++i)
                sums[i] = static_cast<std::uint8_t>(sums[i] + (bytes[row * lanes + i] == wanted ? 1 : 0));
        for (const std::uint8_t sum : sums) count += sum;
        bytes = bytes.subspan(rows * lanes);
    }
    return count + static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), wanted));
}

}  // namespace

record_blocks::record_blocks(const key_source& source, std::function<int()> before_wait)
    : source_(source), before_wait_(std::move(before_wait)) {
    if (source_.files.empty()) source_.files.emplace_back("-");
    for (const std::string& file : source_.files) {
        const auto size = bytes_left(file);
        total_bytes_ = size && total_bytes_ ? std::optional(*total_bytes_ + *size) : std::nullopt;
    }
}

bool record_blocks::open_next() {
    if (next_file_ == source_.files.size()) return false;
    stream_.emplace(source_.files[next_file_++], source_, before_wait_, bytes_read_);
    is_at_start_ = true;
    next_line_ = 1;
    return true;
}

std::size_t record_blocks::read_into(record_block& block) {
    if (block.size_bytes == block.buffer.size()) try {
            block.buffer.resize(std::max(block_bytes, block.buffer.size() * 2));
        } catch (const std::bad_alloc&) {
            fail(exit_code::io,
                 fmt::format("{}: out of memory: a key has more than {} bytes; is --format right?",
                             stream_->name(), block.size_bytes));
        }
    const std::size_t got =
        stream_->read(block.buffer.data() + block.size_bytes, block.buffer.size() - block.size_bytes);
    block.size_bytes += got;
    return got;
}

std::size_t record_blocks::last_end(const record_block& block, std::size_t searched) const {
    if (source_.format == key_format::u64) return block.size_bytes - block.size_bytes % integer_key_bytes;
    const char end = record_end_of(source_.format)[0];
    for (std::size_t at = block.size_bytes; at > searched; --at)
        if (block.buffer[at - 1] == end) return at;
    return 0;
}

std::uint64_t record_blocks::records_in(const record_block& block) const {
    if (source_.format == key_format::u64) return block.size_bytes / integer_key_bytes;
    return count_byte(block.bytes(), record_end_of(source_.format)[0]);
}

// False at the end of the file.
bool record_blocks::fill(record_block& block) {
    for (std::size_t searched = block.size_bytes;; searched = block.size_bytes) {
        if (read_into(block) == 0) {
            if (stop_signals::came()) block.size_bytes = 0;  // the last record may not be complete
            stream_.reset();
            return block.size_bytes != 0;  // the last record needs no terminator
        }
        if (const std::size_t end = last_end(block, searched); end != 0) {
            rest_.assign(block.buffer.begin() + static_cast<std::ptrdiff_t>(end),
                         block.buffer.begin() + static_cast<std::ptrdiff_t>(block.size_bytes));
            block.size_bytes = end;
            return true;
        }
    }
}

bool record_blocks::next(record_block& block) {
    for (;;) {
        if (stop_signals::came() || (!stream_ && !open_next())) return false;
        if (block.buffer.size() < rest_.size()) block.buffer.resize(rest_.size());
        std::copy(rest_.begin(), rest_.end(), block.buffer.begin());
        block.size_bytes = rest_.size();
        block.begins_with_mark = std::exchange(is_at_start_, false) && stream_->had_mark();
        block.name = stream_->name();
        block.first_line = next_line_;
        rest_.clear();
        if (!fill(block)) continue;
        next_line_ += records_in(block);
        return true;
    }
}

}  // namespace membrane::cli
