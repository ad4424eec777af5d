// What an input may cost: 64 MiB and four times its own size, in all allocations of the process that are alive at once. More ends the
// program, as any other flaw does. AddressSanitizer's hooks count; without it nothing is counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                              void (*)(const volatile void*)) __attribute__((weak));
std::size_t __sanitizer_get_allocated_size(const volatile void*) __attribute__((weak));
}

namespace membrane::fuzz {

class memory_limit {
public:
    explicit memory_limit(std::size_t input_bytes) {
        static const bool is_hooked = __sanitizer_install_malloc_and_free_hooks != nullptr &&
                                      __sanitizer_install_malloc_and_free_hooks(&taken, &given_back) != 0;
        alive = 0;
        most = (std::int64_t{64} << 20) + 4 * static_cast<std::int64_t>(input_bytes);
        is_counting = is_hooked;
    }
    memory_limit(const memory_limit&) = delete;
    memory_limit& operator=(const memory_limit&) = delete;
    ~memory_limit() { is_counting = false; }

private:
    static void taken(const volatile void*, std::size_t bytes) {
        if (!is_counting) return;
        const std::int64_t now = alive += static_cast<std::int64_t>(bytes);
        if (now <= most) return;
        is_counting = false;
        std::fprintf(stderr, "%lld bytes of memory at once, at most %lld are allowed\n",
                     static_cast<long long>(now), static_cast<long long>(most));
        std::abort();
    }
    // Called before the block is freed.
    static void given_back(const volatile void* block) {
        if (is_counting && block != nullptr)
            alive -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(block));
    }

    static inline std::atomic<bool> is_counting = false;
    static inline std::atomic<std::int64_t> alive = 0, most = 0;
};

}  // namespace membrane::fuzz
