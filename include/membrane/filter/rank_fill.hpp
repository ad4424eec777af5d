// Fills an empty table of rank-indexed lines from all its entries at once: each line is written once, in the order of the
// lines. The same bytes as insertions one by one, in any order and with any number of threads.
//
// Entries are dealt to regions of 1024 lines (the writes of a pass stay few streams, a region stays in the cache), a region
// is sorted by line, a line by entry. Takes 8 bytes of memory an entry; throws std::bad_alloc where there is none.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <membrane/bucket/rank_line.hpp>
#include <membrane/filter/rank_address.hpp>

namespace membrane {

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
    others.reserve(threads);
    unsigned started = 1;
    try {
        for (; started < threads; ++started) others.emplace_back(guarded, started);
    } catch (const std::system_error&) {
        // The parts that got no thread follow here.
    }
    guarded(0);
    for (unsigned part = started; part < threads; ++part) guarded(part);
    for (std::thread& other : others) other.join();
    if (has_failed) throw std::bad_alloc();
}

class rank_table_filler {
public:
    rank_table_filler(std::byte* table, std::uint64_t lines, const rank_line_shape& shape, bool keeps_equal,
                      unsigned threads)
        : table_(table),
          lines_(lines),
          shape_(shape),
          keeps_equal_(keeps_equal),
          threads_(std::max(1u, threads)) {}

    // `at(i)` is the address of entry i < count. Returns what the lines could not keep.
    template <class At>
    std::vector<rank_address> fill(std::size_t count, const At& at) const {
        const std::size_t regions = static_cast<std::size_t>((lines_ - 1) / region_lines + 1);
        std::vector<std::size_t> next(regions * threads_ + 1);
        const auto part = [&](unsigned thread, const auto& visit) {
            for (std::size_t i = count * thread / threads_; i < count * (thread + 1) / threads_; ++i) {
                const rank_address entry = at(i);
                visit(next[static_cast<std::size_t>(entry.line / region_lines) * threads_ + thread], entry);
            }
        };
        run_threads(threads_, [&](unsigned thread) {
            part(thread, [](std::size_t& place, const rank_address&) { ++place; });
        });
        std::size_t sum = 0;
        for (std::size_t& place : next) sum += std::exchange(place, sum);
        std::vector<std::size_t> region_ends(regions);
        for (std::size_t i = 0; i < regions; ++i) region_ends[i] = next[(i + 1) * threads_];
        std::vector<std::uint64_t> dealt(count);
        run_threads(threads_, [&](unsigned thread) {
            part(thread,
                 [&](std::size_t& place, const rank_address& entry) { dealt[place++] = packed(entry); });
        });
        std::vector<std::vector<rank_address>> left(threads_);
        std::atomic<std::size_t> next_region{0};
        run_threads(threads_, [&](unsigned thread) {
            region_scratch scratch;
            for (std::size_t i = next_region++; i < regions; i = next_region++) {
                const std::size_t first = i == 0 ? 0 : region_ends[i - 1];
                fill_region(i * region_lines, {dealt.data() + first, region_ends[i] - first}, scratch,
                            left[thread]);
            }
        });
        for (unsigned i = 1; i < threads_; ++i) left[0].insert(left[0].end(), left[i].begin(), left[i].end());
        return std::move(left[0]);
    }

private:
    static constexpr std::uint64_t region_lines = 1024;

    struct region_scratch {
        std::vector<std::uint64_t> sorted;
        std::vector<std::size_t> ends;
    };

    unsigned line_shift() const { return 6 + shape_.fingerprint_bits(); }
    std::uint64_t packed(const rank_address& at) const {
        const std::uint64_t entry = at.entry.chain << shape_.fingerprint_bits() | at.entry.fingerprint;
        return at.line % region_lines << line_shift() | entry;
    }

    void fill_region(std::uint64_t first_line, std::span<const std::uint64_t> entries,
                     region_scratch& scratch, std::vector<rank_address>& left) const {
        scratch.sorted.resize(std::max(scratch.sorted.size(), entries.size()));
        scratch.ends.assign(region_lines + 1, 0);
        for (const std::uint64_t entry : entries) ++scratch.ends[(entry >> line_shift()) + 1];
        for (std::size_t i = 1; i <= region_lines; ++i) scratch.ends[i] += scratch.ends[i - 1];
        for (const std::uint64_t entry : entries)
            scratch.sorted[scratch.ends[entry >> line_shift()]++] = entry & low_bits(line_shift());
        std::size_t begin = 0;
        for (std::uint64_t i = 0; i < region_lines && first_line + i < lines_; ++i) {
            const std::size_t end = scratch.ends[i];
            fill_line(first_line + i, {scratch.sorted.data() + begin, end - begin}, left);
            begin = end;
        }
    }

    void fill_line(std::uint64_t number, std::span<std::uint64_t> entries,
                   std::vector<rank_address>& left) const {
        if (entries.empty()) return;
        std::sort(entries.begin(), entries.end());
        if (!keeps_equal_)
            entries = entries.first(
                static_cast<std::size_t>(std::unique(entries.begin(), entries.end()) - entries.begin()));
        rank_line line(shape_, table_ + number * rank_line_bytes);
        const std::size_t kept = std::min<std::size_t>(entries.size(), shape_.cells());
        line.fill(entries.first(kept));
        if (kept == entries.size()) return;
        line.set_forwarded(true);
        for (const std::uint64_t entry : entries.subspan(kept))
            left.push_back(
                {number, {entry >> shape_.fingerprint_bits(), entry & low_bits(shape_.fingerprint_bits())}});
    }

    std::byte* table_;
    std::uint64_t lines_;
    rank_line_shape shape_;
    bool keeps_equal_;
    unsigned threads_;
};

}  // namespace membrane
