// Time per operation of a loop, and a barrier that keeps its result alive.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace membrane::timing {

// Accumulates the time of several pieces of work.
class stopwatch {
public:
    template <class Work>
    void time(std::uint64_t operations, Work&& work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
        ns_ += taken.count();
        operations_ += operations;
    }
    double ns_per_operation() const { return operations_ == 0 ? 0 : ns_ / static_cast<double>(operations_); }

private:
    double ns_ = 0;
    std::uint64_t operations_ = 0;
};

template <class Work>
double ns_per(std::uint64_t operations, Work&& work) {
    stopwatch watch;
    watch.time(operations, work);
    return watch.ns_per_operation();
}

// Processor time of the process: for work of one thread beside other programs, from about a millisecond on.
template <class Work>
double processor_ns_per(std::uint64_t operations, Work&& work) {
    const std::clock_t start = std::clock();
    work();
    const auto taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return operations == 0 ? 0 : 1e9 * taken / static_cast<double>(operations);
}

// Makes the compiler assume that the value is read.
template <class Value>
void keep(const Value& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace membrane::timing
