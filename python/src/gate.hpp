// Who may use a filter now. A call that keeps the GIL runs alone among those that keep it; batches give the GIL up, so that a filter says
// how many batches read it and whether one writes it. A call that would disturb a batch waits for it, without the GIL.
//
// All members are read and written with the GIL held. The mutex and the condition are for those who wait without it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "python.hpp"

namespace membrane_python {

class gate {
public:
    bool is_open_for_reading() const noexcept { return !is_written_; }
    bool is_open_for_writing() const noexcept { return !is_written_ && readers_ == 0; }

    // For a call that keeps the GIL: waits until nothing disturbs it. False: an exception is set, for example KeyboardInterrupt.
    bool wait_to_read() {
        while (!is_open_for_reading())
            if (!wait()) return false;
        return true;
    }
    bool wait_to_write() {
        if (is_open_for_writing()) return true;
        ++waiting_writers_;
        bool is_fine = true;
        while (is_fine && !is_open_for_writing()) is_fine = wait();
        if (--waiting_writers_ == 0) announce();  // to readers that let this writer go first
        return is_fine;
    }

    // For a batch that gives the GIL up between begin and end. New readers let waiting writers go first.
    bool begin_reading() {
        while (is_written_ || waiting_writers_ != 0)
            if (!wait()) return false;
        take_for_reading();
        return true;
    }
    // Without waiting: it is open.
    void take_for_reading() noexcept { ++readers_; }
    void take_for_writing() noexcept { is_written_ = true; }
    void end_reading() {
        --readers_;
        announce();
    }
    bool begin_writing() {
        if (!wait_to_write()) return false;
        take_for_writing();
        return true;
    }
    void end_writing() {
        is_written_ = false;
        announce();
    }

private:
    bool wait() {
        const std::uint64_t seen = changes_;
        Py_BEGIN_ALLOW_THREADS;
        {
            // Released before the GIL is taken again: announce() takes the mutex with the GIL held.
            std::unique_lock hold(waiting_);
            // Woken at least so often, so that signals are handled.
            changed_.wait_for(hold, std::chrono::milliseconds(50), [&] { return changes_ != seen; });
        }
        Py_END_ALLOW_THREADS;
        return PyErr_CheckSignals() == 0;
    }
    void announce() {
        {
            const std::lock_guard hold(waiting_);
            ++changes_;
        }
        changed_.notify_all();
    }

    unsigned readers_ = 0;
    unsigned waiting_writers_ = 0;
    bool is_written_ = false;
    std::uint64_t changes_ = 0;  // written with the GIL and the mutex held, read with either
    std::mutex waiting_;
    std::condition_variable changed_;
};

}  // namespace membrane_python
