// Advises the kernel to back a large block with 2 MB pages, so that random reads rarely miss the TLB. A hint: if the kernel
// refuses it, the memory works the same, but lookups are slower.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace membrane {

inline void prefer_huge_pages(std::byte* block, std::size_t size_bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
    if (size_bytes < 2 * huge_page_bytes) return;
    // All pages of the block: advising only a part would split its mapping in two, and realloc could no longer move it by remapping.
    const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t before = reinterpret_cast<std::uintptr_t>(block) % page_bytes;
    const std::size_t pages = (before + size_bytes + page_bytes - 1) / page_bytes;
    (void)::madvise(block - before, pages * page_bytes, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size_bytes;
#endif
}

}  // namespace membrane
