// Time per operation of a loop, and a way to keep its result alive.
#pragma once

#include <chrono>
#include <cstdint>

namespace bench {

template <class Work>
double ns_per(std::uint64_t operations, Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / static_cast<double>(operations);
}

// The compiler must believe that somebody reads this.
template <class Value>
void keep(const Value& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace bench
