// Runs parts of a job in several threads. If the system refuses a thread, the calling thread runs the remaining parts itself;
// the result is the same.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <thread>
#include <vector>

#include <membrane/base/exceptions.hpp>

namespace membrane {

// `asked` threads, or one per hardware thread if `asked` is 0.
inline unsigned thread_count(unsigned asked) noexcept {
    return asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

// Calls work(0) .. work(threads - 1), one call per thread; threads >= 1. Throws std::bad_alloc if any of the calls threw.
template <class Work>
void run_threads(unsigned threads, const Work& work) {
    std::atomic<bool> has_failed{false};
    const auto guarded = [&](unsigned part) noexcept {
        MEMBRANE_TRY { work(part); }
        MEMBRANE_CATCH(...) { has_failed = true; }
    };
    std::vector<std::thread> others;
    unsigned started = 1;
    MEMBRANE_TRY {
        others.reserve(threads);
        for (; started < threads; ++started) others.emplace_back(guarded, started);
    }
    MEMBRANE_CATCH(const std::exception&) {
        // The loop below runs the parts that got no thread.
    }
    guarded(0);
    for (unsigned part = started; part < threads; ++part) guarded(part);
    for (std::thread& other : others) other.join();
    if (has_failed) throw_bad_alloc();
}

}  // namespace membrane
