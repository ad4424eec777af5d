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

inline void prefetch_for_write(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1, 3);
#else
    (void)address;
#endif
}

}  // namespace membrane
