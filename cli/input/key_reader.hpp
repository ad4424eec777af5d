// Reads the keys of files or standard input in batches, in order and in one thread. Batches are views, valid until the next
// batch. key_pipeline.hpp does the same with several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "cli/print/output.hpp"
#include "key_parser.hpp"
#include "record_blocks.hpp"

namespace membrane::cli {

class key_reader {
public:
    static constexpr std::size_t batch_keys = key_parser::batch_keys;

    // `before_wait` runs, after standard output was flushed, when the input has to be waited for (byte_stream.hpp).
    explicit key_reader(const key_source& source, std::function<int()> before_wait = {})
        : format_(source.format),
          blocks_(source,
                  [before_wait = std::move(before_wait)] {
                      out().flush();
                      return before_wait ? before_wait() : -1;
                  }),
          parser_(source) {}

    // The next keys; empty at the end of the last file. Throws failure for bad data and unreadable files.
    std::span<const input_key> next_batch();

    // The hashes of the keys of the last batch.
    std::span<const key_hash> hash_batch(const hasher& hash) { return parser_.hash_batch(hash); }

    struct hashed_batch {
        std::span<const input_key> keys;
        std::span<const key_hash> hashes;
    };
    hashed_batch next_batch(const hasher& hash) {
        const auto keys = next_batch();
        return {keys, hash_batch(hash)};
    }

    // Of the last batch.
    const key_parser& parser() const noexcept { return parser_; }
    bool is_first_batch_of_block() const noexcept { return parser_.keys() == keys_in_batch_; }

    key_format format() const noexcept { return format_; }
    std::string_view record_end() const noexcept { return record_end_of(format_); }
    std::uint64_t keys_read() const noexcept { return keys_read_; }
    // Of the blocks whose last batch was followed by another call.
    const key_notes& notes() const noexcept { return notes_; }
    std::uint64_t bytes_read() const noexcept { return blocks_.bytes_read(); }
    std::optional<std::uint64_t> total_bytes() const noexcept { return blocks_.total_bytes(); }

private:
    key_format format_;
    record_blocks blocks_;
    key_parser parser_;
    record_block block_;
    std::uint64_t keys_read_ = 0;
    std::uint64_t keys_in_batch_ = 0;
    key_notes notes_;
};

}  // namespace membrane::cli
