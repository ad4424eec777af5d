// Runs parts of a job in several threads. If the system refuses a thread, the calling thread runs the remaining parts itself;
// the result is the same.
//
// On POSIX systems by pthread: <thread> also includes <stop_token>, <semaphore> and <ostream>, 0.4 s of compile time for every
// file that includes a filter.
#pragma once

#include <atomic>
#include <new>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <unistd.h>
#define MEMBRANE_HAS_PTHREAD 1
#else
#include <thread>
#endif

namespace membrane {

namespace thread_detail {
#if defined(MEMBRANE_HAS_PTHREAD)
using handle = pthread_t;
inline bool start(handle& made, void* (*entry)(void*), void* job) noexcept {
    return pthread_create(&made, nullptr, entry, job) == 0;
}
inline void join(handle& made) noexcept { pthread_join(made, nullptr); }
inline unsigned hardware_threads() noexcept {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<unsigned>(online) : 1;
}
#else
using handle = std::thread;
inline bool start(handle& made, void* (*entry)(void*), void* job) noexcept {
    try {
        made = std::thread(entry, job);
        return true;
    } catch (...) {
        return false;
    }
}
inline void join(handle& made) noexcept { made.join(); }
inline unsigned hardware_threads() noexcept {
    const unsigned count = std::thread::hardware_concurrency();
    return count != 0 ? count : 1;
}
#endif
}  // namespace thread_detail

// `asked` threads, or one per hardware thread if `asked` is 0.
inline unsigned thread_count(unsigned asked) noexcept {
    return asked != 0 ? asked : thread_detail::hardware_threads();
}

// Calls work(0) .. work(threads - 1), one call per thread; threads >= 1. Throws std::bad_alloc if any of the calls threw.
template <class Work>
void run_threads(unsigned threads, const Work& work) {
    struct job {
        const Work& work;
        std::atomic<unsigned> next_part{0};
        std::atomic<bool> has_failed{false};

        void run_next_part() noexcept {
            try {
                work(next_part++);
            } catch (...) {
                has_failed = true;
            }
        }
        static void* entry(void* shared) noexcept {
            static_cast<job*>(shared)->run_next_part();
            return nullptr;
        }
    };
    job shared{work};
    std::vector<thread_detail::handle> others;
    try {
        if (threads > 1) others.resize(threads - 1);
    } catch (const std::bad_alloc&) {
        others.clear();
    }
    unsigned started = 0;
    while (started < others.size() && thread_detail::start(others[started], job::entry, &shared)) ++started;
    // The calling thread's own part, and the parts that got no thread.
    for (unsigned left = threads - started; left != 0; --left) shared.run_next_part();
    for (unsigned i = 0; i < started; ++i) thread_detail::join(others[i]);
    if (shared.has_failed) throw std::bad_alloc();
}

}  // namespace membrane
