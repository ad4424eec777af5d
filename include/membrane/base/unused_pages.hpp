// Returns the pages of a part of a block to the kernel. The block stays allocated; these bytes are undefined afterwards, and take no memory
// until they are written again.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace membrane {

inline void return_pages(std::byte* first, std::size_t size_bytes) noexcept {
#if defined(__linux__) && defined(MADV_DONTNEED)
    const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t misplaced = reinterpret_cast<std::uintptr_t>(first) % page_bytes;
    const std::size_t before = misplaced == 0 ? 0 : page_bytes - misplaced;
    if (size_bytes < before + page_bytes) return;
    (void)::madvise(first + before, (size_bytes - before) / page_bytes * page_bytes, MADV_DONTNEED);
#else
    (void)first;
    (void)size_bytes;
#endif
}

}  // namespace membrane
