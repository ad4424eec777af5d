// Prefetch hints. A compiler without the builtin compiles them to nothing.
#pragma once

namespace membrane {

namespace prefetch_detail {
// gcc sees no side effect in a function that only prefetches and drops calls of it that are not inlined yet. An empty asm
// statement that takes the address keeps the call.
inline void keep([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__)
    asm volatile("" : : "r"(address));
#endif
}
}  // namespace prefetch_detail

inline void prefetch_for_read(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address, 0, 3);
    prefetch_detail::keep(address);
#else
    (void)address;
#endif
}

// Into the second-level cache. The core can have several times as many of these in flight as prefetches into the first level:
// for 1e8 random lines this halves the time of a plain loop, whereas prefetching into the first level gains nothing
// (doc/decisions/0011).
inline void prefetch_far(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address, 0, 2);
    prefetch_detail::keep(address);
#else
    (void)address;
#endif
}

inline void prefetch_for_write(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1, 3);
    prefetch_detail::keep(address);
#else
    (void)address;
#endif
}

}  // namespace membrane
