// The bytes of the input in blocks that end where a record ends, so that blocks can be taken apart by different threads.
// A record may be as long as memory allows; a block then grows to hold it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "key_source.hpp"

namespace membrane::cli {

struct record_block {
    std::string name;  // of the file, for messages
    bool begins_file = false;
    std::vector<char> buffer;
    std::size_t size_bytes = 0;

    std::span<const char> bytes() const { return {buffer.data(), size_bytes}; }
};

class record_blocks {
public:
    explicit record_blocks(const key_source& source);
    record_blocks(const record_blocks&) = delete;
    record_blocks& operator=(const record_blocks&) = delete;
    ~record_blocks();

    // False at the end of the last file. A block of a pipe holds what has come so far. Throws failure for files that
    // cannot be read.
    bool next(record_block& block);

    // May be asked while another thread reads.
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }
    // Unknown if there is a pipe.
    std::optional<std::uint64_t> total_bytes() const noexcept { return total_bytes_; }

private:
    bool open_next();
    void close_current() noexcept;
    std::size_t read_into(record_block& block);
    // Where the last whole record of the block ends, which is not before `searched`; 0: none ends.
    std::size_t last_end(const record_block& block, std::size_t searched) const;

    std::vector<std::string> files_;
    key_format format_;
    std::size_t next_file_ = 0;
    std::string name_;
    int descriptor_ = -1;
    bool is_at_start_ = false;
    std::vector<char> rest_;  // of the last block: the beginning of a record
    std::atomic<std::uint64_t> bytes_read_{0};
    std::optional<std::uint64_t> total_bytes_ = 0;
};

}  // namespace membrane::cli
