// Advises the kernel to back a large block with 2 MB pages, so that random reads rarely miss the TLB. A hint: if the kernel
// refuses it, the memory works the same, but lookups are slower.
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
    // Only whole huge pages inside the block, so that neighbouring allocations are not advised.
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::size_t ahead = (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
    (void)::madvise(block + ahead, (size_bytes - ahead) / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size_bytes;
#endif
}

}  // namespace membrane
