// Filters live in the server's memory: the linker redirects the library's calloc and free to the functions of memory.cpp
// (--wrap in CMakeLists.txt), which call the server's allocator. maxmemory and INFO therefore count filters, and an allocation
// that fails gives an error reply instead of terminating the server.
#pragma once

#include <cstdint>

namespace membrane::redis {

// Bytes that this thread has allocated minus those that it has freed, in sizes as rounded by the allocator. The difference of
// two readings is the memory that the code between them keeps. Wraps around zero in a thread that frees the blocks of others.
std::uint64_t allocated_by_this_thread() noexcept;

}  // namespace membrane::redis
