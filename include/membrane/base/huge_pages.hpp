// Asks the system to back a large block of memory with huge pages: a random read then seldom waits for an address
// translation. A hint only: refused or unknown, the memory is the same, read more slowly.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace membrane {

inline void prefer_huge_pages(std::byte* block, std::size_t size_bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
    if (size_bytes < 2 * huge_page_bytes) return;
    // Whole huge pages inside the block, so that no neighbour's memory is advised with it.
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::size_t ahead = (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
    (void)::madvise(block + ahead, (size_bytes - ahead) / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size_bytes;
#endif
}

}  // namespace membrane
