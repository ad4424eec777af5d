// Entries dealt to the regions of a table, so that each region can be filled while it is in the cache, by any thread. One
// pass counts, one writes: the entries take their own size in memory once, and nothing else grows with their number.
// Within a region they stand part after part, each in the order of its part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/exceptions.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/threads.hpp>

MEMBRANE_TARGET_BEGIN

template <class Entry>
class dealt_entries {
    static_assert(std::is_trivially_copyable_v<Entry> && cache_line_bytes % sizeof(Entry) == 0);

public:
    // `for_part(part, visit)`: visit(region, entry) for every entry of a part, in the same order each time. Throws
    // std::bad_alloc.
    template <class ForPart>
    dealt_entries(std::size_t regions, unsigned parts, const ForPart& for_part) : ends_(regions) {
        std::vector<std::vector<std::size_t>> next(parts);
        run_threads(parts, [&](unsigned part) {
            std::vector<std::size_t> counts(regions);
            for_part(part, [&](std::size_t region, const Entry&) { ++counts[region]; });
            next[part] = std::move(counts);
        });
        std::size_t sum = 0;
        for (std::size_t region = 0; region < regions; ++region) {
            for (unsigned part = 0; part < parts; ++part) sum += std::exchange(next[part][region], sum);
            ends_[region] = sum;
        }
        auto memory = aligned_buffer::zeroed(sum * sizeof(Entry));
        if (!memory) throw_bad_alloc();
        memory_ = std::move(*memory);
        run_threads(parts, [&](unsigned part) {
            std::size_t* const at = next[part].data();
            Entry* const to = entries();
            for_part(part, [&](std::size_t region, const Entry& entry) { to[at[region]++] = entry; });
        });
    }

    std::size_t regions() const noexcept { return ends_.size(); }
    std::span<Entry> region(std::size_t number) noexcept {
        const std::size_t first = number == 0 ? 0 : ends_[number - 1];
        return {entries() + first, ends_[number] - first};
    }

    // use(region, entries, thread) for every region, by as many threads.
    template <class Use>
    void for_each_region(unsigned threads, const Use& use) {
        std::atomic<std::size_t> next{0};
        run_threads(threads, [&](unsigned thread) {
            for (std::size_t number = next++; number < regions(); number = next++)
                use(number, region(number), thread);
        });
    }

private:
    Entry* entries() noexcept { return reinterpret_cast<Entry*>(memory_.data()); }

    std::vector<std::size_t> ends_;
    aligned_buffer memory_;
};

MEMBRANE_TARGET_END
