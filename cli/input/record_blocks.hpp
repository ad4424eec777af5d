// Splits the input into blocks that end at the end of a record, so that threads can parse them independently. A block grows
// to hold a long record, up to the available memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byte_stream.hpp"
#include "key_source.hpp"

namespace membrane::cli {

struct record_block {
    std::string name;              // of the file, for messages
    std::uint64_t first_line = 1;  // number of its first record in the file
    bool begins_with_mark = false;
    std::vector<char> buffer;
    std::size_t size_bytes = 0;

    std::span<const char> bytes() const { return {buffer.data(), size_bytes}; }
};

class record_blocks {
public:
    // `before_wait` runs before a read that has to wait for a pipe, a socket or a terminal.
    explicit record_blocks(const key_source& source, std::function<int()> before_wait = {});
    record_blocks(const record_blocks&) = delete;
    record_blocks& operator=(const record_blocks&) = delete;

    // False at the end of the last file. A block of a pipe holds the bytes available now. Throws failure for unreadable
    // files.
    bool next(record_block& block);

    // May be called while another thread reads. Compressed files: before unpacking.
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }
    // Unknown if one of the inputs is a pipe.
    std::optional<std::uint64_t> total_bytes() const noexcept { return total_bytes_; }

private:
    bool open_next();
    bool fill(record_block& block);
    std::size_t read_into(record_block& block);
    // The end of the last complete record, searched for behind `searched`; 0 if there is none.
    std::size_t last_end(const record_block& block, std::size_t searched) const;
    std::uint64_t records_in(const record_block& block) const;

    key_source source_;
    std::size_t next_file_ = 0;
    std::function<int()> before_wait_;
    std::optional<byte_stream> stream_;
    bool is_at_start_ = false;
    std::uint64_t next_line_ = 1;
    std::vector<char> rest_;  // the incomplete record at the end of the last block
    std::atomic<std::uint64_t> bytes_read_{0};
    std::optional<std::uint64_t> total_bytes_ = 0;
};

}  // namespace membrane::cli
