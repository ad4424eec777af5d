// Work in several threads at once. Threads that cannot be had are done without: the work is then made one part after the
// other, with the same result.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <thread>
#include <vector>

namespace membrane {

// As many as asked for; 0 asks for as many as the machine runs at once.
inline unsigned thread_count(unsigned asked) noexcept {
    return asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

// work(0) .. work(threads - 1), each in a thread as far as there are any; throws std::bad_alloc if one of them threw.
template <class Work>
void run_threads(unsigned threads, const Work& work) {
    std::atomic<bool> has_failed{false};
    const auto guarded = [&](unsigned part) noexcept {
        try {
            work(part);
        } catch (...) {
            has_failed = true;
        }
    };
    std::vector<std::thread> others;
    unsigned started = 1;
    try {
        others.reserve(threads);
        for (; started < threads; ++started) others.emplace_back(guarded, started);
    } catch (const std::exception&) {
        // The parts that got no thread follow here.
    }
    guarded(0);
    for (unsigned part = started; part < threads; ++part) guarded(part);
    for (std::thread& other : others) other.join();
    if (has_failed) throw std::bad_alloc();
}

}  // namespace membrane
