// All memory of the module comes from the server's allocator: malloc, calloc, realloc and free of the code linked into it (the C++ library
// included, which is linked statically) and its operators new and delete. maxmemory and INFO therefore count it, and an allocation
// that fails gives an error reply instead of terminating the server.
#pragma once

#include <cstdint>

namespace membrane::redis {

// Bytes that this thread has allocated minus those that it has freed, in sizes as rounded by the allocator. The difference of
// two readings is the memory that the code between them keeps. Wraps around zero in a thread that frees the blocks of others.
std::uint64_t allocated_by_this_thread() noexcept;

// The size of the block that the server's allocator makes for so many bytes, an estimate: jemalloc has four sizes for each power of two.
std::uint64_t block_bytes(std::uint64_t bytes) noexcept;

// Adds to `bytes` what the code of its scope keeps.
class memory_meter {
public:
    explicit memory_meter(std::uint64_t& bytes) noexcept
        : bytes_(bytes), before_(allocated_by_this_thread()) {}
    ~memory_meter() { bytes_ += allocated_by_this_thread() - before_; }
    memory_meter(const memory_meter&) = delete;
    memory_meter& operator=(const memory_meter&) = delete;

private:
    std::uint64_t& bytes_;
    std::uint64_t before_;
};

}  // namespace membrane::redis
