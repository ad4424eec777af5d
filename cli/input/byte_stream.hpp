// The bytes of one input file, pipe or terminal, unpacked if they are compressed: gzip and zstd are recognised by their first bytes.
// A leading UTF-8 byte order mark is dropped; files of filters and UTF-16 text are refused, because they hold no keys that could be read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "key_source.hpp"

namespace membrane::cli {

// Turns compressed bytes into plain ones.
class decompressor {
public:
    virtual ~decompressor() = default;
    struct progress {
        std::size_t used = 0;  // of the compressed bytes
        std::size_t made = 0;
    };
    // Throws failure about `name` for damaged bytes.
    virtual progress unpack(const char* from, std::size_t size, char* to, std::size_t room,
                            const std::string& name) = 0;
    // Whether the bytes so far are whole, so that the input may end here.
    virtual bool is_whole() const = 0;
};

class byte_stream {
public:
    // `before_wait` runs before a read that has to wait, and returns the milliseconds after which it wants to run again if there is still
    // nothing to read, or -1. `raw_bytes` counts what was read before unpacking.
    byte_stream(const std::string& file, const key_source& source, const std::function<int()>& before_wait,
                std::atomic<std::uint64_t>& raw_bytes);
    byte_stream(const byte_stream&) = delete;
    byte_stream& operator=(const byte_stream&) = delete;
    ~byte_stream();

    // 0 at the end, and when a signal ended the input (stop_signals.hpp). Throws failure, and closed_pipe if the reader of standard output
    // went away while the input is waited for.
    std::size_t read(char* to, std::size_t room);

    const std::string& name() const noexcept { return name_; }  // for messages
    bool had_mark() const noexcept { return had_mark_; }

private:
    bool wait();  // false if a signal came
    std::size_t read_raw(char* to, std::size_t room);
    std::size_t read_plain(char* to, std::size_t room);
    void look_at_start(const key_source& source);

    std::string name_;
    int descriptor_;
    bool may_wait_ = false;  // anything but a regular file
    bool had_mark_ = false;
    const std::function<int()>& before_wait_;
    std::atomic<std::uint64_t>& raw_bytes_;
    std::vector<char> pending_;   // read, but not yet used
    std::size_t used_ = 0;        // of them
    std::string unpacked_start_;  // the first unpacked bytes, while they are not used
    std::unique_ptr<decompressor> unpacker_;
    bool may_have_more_ = false;  // the last call filled its room
};

// For bytes that begin as gzip or zstd does; empty for others.
std::unique_ptr<decompressor> decompressor_for(const char* start, std::size_t size);

}  // namespace membrane::cli
