// Hints only: a build without the builtin answers the same, slower.
#pragma once

namespace membrane {

inline void prefetch_for_read(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address, 0, 3);
#else
    (void)address;
#endif
}

// Into the second cache. Of such reads several times as many are in flight as of reads into the first: a hundred million
// random lines then take half the time of a plain loop, and with the first cache as long as it (doc/decisions/0011).
inline void prefetch_far(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address, 0, 2);
#else
    (void)address;
#endif
}

inline void prefetch_for_write(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1, 3);
#else
    (void)address;
#endif
}

}  // namespace membrane
