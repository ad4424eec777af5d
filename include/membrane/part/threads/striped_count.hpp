// A count that many threads change: each thread in a cache line of its own, nearly always.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <membrane/base/aligned_buffer.hpp>

namespace membrane {

class striped_count {
public:
    explicit striped_count(std::uint64_t start = 0) noexcept : start_(start) {}

    void add_one() noexcept { stripe().fetch_add(1, std::memory_order_relaxed); }
    void take_one() noexcept { stripe().fetch_sub(1, std::memory_order_relaxed); }
    // Exact for whoever keeps all threads from changing it; otherwise without some of the changes under way.
    std::uint64_t sum() const noexcept {
        std::int64_t changes = 0;
        for (const cell& each : cells_) changes += each.count.load(std::memory_order_relaxed);
        if (changes < 0) return start_ - std::min(start_, static_cast<std::uint64_t>(-changes));
        return start_ + std::min(static_cast<std::uint64_t>(changes), UINT64_MAX - start_);
    }

private:
    struct alignas(cache_line_bytes) cell {
        std::atomic<std::int64_t> count{0};
    };
    std::atomic<std::int64_t>& stripe() noexcept {
        static std::atomic<std::size_t> threads{0};
        static thread_local std::size_t own = 0;  // 0: none yet
        if (own == 0) own = threads.fetch_add(1, std::memory_order_relaxed) % 16 + 1;
        return cells_[own - 1].count;
    }

    std::uint64_t start_;
    std::array<cell, 16> cells_{};
};

}  // namespace membrane
