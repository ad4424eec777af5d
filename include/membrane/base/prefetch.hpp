// Hints only: a build without the builtin answers the same, slower.
#pragma once

namespace membrane {

namespace prefetch_detail {
// A function that does nothing but ask for memory has no effect that a compiler counts: gcc drops calls of it that it has not
// inlined yet. An empty instruction that "uses" the address keeps them.
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

// Into the second cache. Of such reads several times as many are in flight as of reads into the first: a hundred million
// random lines then take half the time of a plain loop, and with the first cache as long as it (doc/decisions/0011).
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
