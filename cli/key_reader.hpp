// Keys from files or standard input, in batches, without an allocation per key: views into one large read buffer,
// good until the next batch is asked for. A key may be as long as memory allows.
//
//   lines   one key a line; only the LF is taken off, so CR, NUL and bytes that are no UTF-8 belong to the key
//   nul     the same with NUL as the end
//   u64     records of 8 bytes, little-endian, hashed as integers
//   hex     lines of hexadecimal digits: the bytes of the key
//
// The last line counts also without its end, and an empty line is the empty key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

#include "exit_code.hpp"

namespace membrane::cli {

enum class key_format { lines, nul, u64, hex };

struct key_source {
    std::vector<std::string> files;  // "-" or none at all: standard input
    key_format format = key_format::lines;
    std::optional<char> delimiter;  // the key is one field of the line
    int field = 1;                  // from 1, or from -1 backwards
};

struct input_key {
    std::string_view record;  // as read, without its end
    std::string_view bytes;   // what is hashed
};

class key_reader {
public:
    static constexpr std::size_t batch_keys = 1024;

    explicit key_reader(const key_source& source);
    key_reader(const key_reader&) = delete;
    key_reader& operator=(const key_reader&) = delete;
    ~key_reader();

    // The next keys; empty at the end of the last file. Throws failure for bad data and for files that cannot be read.
    std::span<const input_key> next_batch();

    // The hashes of the keys of the last batch.
    std::span<const key_hash> hash_batch(const hasher& hash);

    struct hashed_batch {
        std::span<const input_key> keys;
        std::span<const key_hash> hashes;
    };
    hashed_batch next_batch(const hasher& hash) {
        const auto keys = next_batch();
        return {keys, hash_batch(hash)};
    }

    key_format format() const noexcept { return source_.format; }
    std::string_view record_end() const noexcept;  // what follows a record in an output of the same format
    std::uint64_t keys_read() const noexcept { return keys_read_; }
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }
    std::optional<std::uint64_t> total_bytes() const noexcept {
        return total_bytes_;
    }  // unknown if there is a pipe

private:
    bool open_next();
    void close_current() noexcept;
    void refill();
    void take_records();
    void take_integers();
    void take_rest();
    void take(std::string_view record);
    std::string_view field_of(std::string_view record) const;
    std::string_view decode_hex(std::string_view digits);
    [[noreturn]] void fail_here(std::string_view what) const;

    key_source source_;
    std::size_t next_file_ = 0;
    std::string name_;
    int descriptor_ = -1;
    bool is_at_end_ = true;
    std::uint64_t record_number_ = 0;

    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::size_t searched_ = 0;  // bytes from begin_ that are known to hold no end of a record

    std::vector<input_key> batch_;
    std::vector<key_hash> hashes_;
    std::vector<char> decoded_;
    std::optional<failure> pending_;
    std::uint64_t keys_read_ = 0, bytes_read_ = 0;
    std::optional<std::uint64_t> total_bytes_;
};

}  // namespace membrane::cli
