// Filters of the module live in the server's memory: the library's own allocations are led to the server's allocator when
// the module is linked (--wrap in CMakeLists.txt), so that maxmemory and INFO know of them. Failing to get memory is an
// answer, not the end of the server.
#pragma once

#include <cstdint>

namespace membrane::redis {

// Bytes of all blocks that this thread was given so far, as the allocator rounded them, less those that it gave back; below
// zero, by wrapping, where others had taken them. Two readings tell what something keeps.
std::uint64_t allocated_by_this_thread() noexcept;

}  // namespace membrane::redis
