// Threads that run one at a time and change over only where a schedule says so: at an atomic access of the filter, or when a thread waits
// for another. `stepping` is the Steps of a filter (part/threads/shared_words.hpp) under such a schedule. So every order in which the accesses of
// two threads can come is explored on purpose, and a failure comes back.
#pragma once

#include <cstdint>
#include <functional>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace membrane::test {

// At the step with this number, counted over all threads, `to` goes on.
struct change_over {
    std::uint64_t step;
    std::size_t to;
};

class step_schedule {
public:
    // Runs the bodies to their ends; thread 0 begins. `stays_away`: a thread that a change-over has left gets no further turn until the others
    // have ended, as if it had been stopped; the others must then not wait for it (is_stuck()).
    explicit step_schedule(std::vector<change_over> change_overs, bool stays_away = false)
        : change_overs_(std::move(change_overs)), stays_away_(stays_away) {}

    void run(const std::vector<std::function<void()>>& bodies) {
        threads_ = std::vector<state>(bodies.size());
        std::vector<std::thread> running;
        for (std::size_t i = 0; i < bodies.size(); ++i)
            running.emplace_back([&, i] {
                threads_[i].turn.acquire();
                here() = this;
                own() = i;
                bodies[i]();
                here() = nullptr;
                threads_[i].has_ended = true;
                if (const auto next = next_after(i); next != i) threads_[next].turn.release();
            });
        threads_[0].turn.release();
        for (std::thread& each : running) each.join();
    }
    std::uint64_t steps() const { return steps_; }
    // A thread waited for one that had been stopped, which was then let go on.
    bool is_stuck() const { return is_stuck_; }

    // ---- called by the filter

    static void on_step() noexcept {
        if (here() != nullptr) here()->step(own());
    }
    static void on_wait() noexcept {
        if (here() != nullptr) here()->wait(own());
    }

private:
    struct state {
        state() = default;
        state(state&&) noexcept {}
        std::binary_semaphore turn{0};
        bool has_ended = false, is_stopped = false;
    };
    static step_schedule*& here() noexcept {
        static thread_local step_schedule* schedule = nullptr;
        return schedule;
    }
    static std::size_t& own() noexcept {
        static thread_local std::size_t number = 0;
        return number;
    }

    void step(std::size_t from) noexcept {
        const std::uint64_t now = steps_++;
        if (next_ == change_overs_.size() || change_overs_[next_].step > now) return;
        const std::size_t to = change_overs_[next_++].to;
        if (to == from || threads_[to].has_ended) return;
        threads_[from].is_stopped = stays_away_;
        switch_to(to, from);
    }
    void wait(std::size_t from) noexcept {
        const std::size_t to = next_after(from);
        if (to != from) switch_to(to, from);
    }
    // Another thread that may run; of those that are stopped only if there is no other.
    std::size_t next_after(std::size_t from) noexcept {
        for (const bool stopped_too : {false, true})
            for (std::size_t i = 1; i < threads_.size(); ++i) {
                const std::size_t other = (from + i) % threads_.size();
                if (threads_[other].has_ended || (threads_[other].is_stopped && !stopped_too)) continue;
                if (threads_[other].is_stopped && !threads_[from].has_ended) is_stuck_ = true;
                threads_[other].is_stopped = false;
                return other;
            }
        return from;
    }
    void switch_to(std::size_t to, std::size_t from) noexcept {
        threads_[to].turn.release();
        threads_[from].turn.acquire();
    }

    std::vector<change_over> change_overs_;
    bool stays_away_;
    std::vector<state> threads_;
    std::size_t next_ = 0;
    std::uint64_t steps_ = 0;
    bool is_stuck_ = false;
};

// A lock for each line, so that a small filter has several.
struct stepping {
    static constexpr std::uint64_t lines_in_group = 1;
    static void step() noexcept { step_schedule::on_step(); }
    static void wait(unsigned) noexcept { step_schedule::on_wait(); }
};

}  // namespace membrane::test
