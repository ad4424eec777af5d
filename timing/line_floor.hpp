// The floor of the hardware: reading one random 64-byte line of an array of a given size, in a plain loop and with prefetching. No
// filter that reads memory can beat the second; few reach the first. One array serves all rows of the table: each row is compared
// with reads in a part of the array that is as large as its filter.
#pragma once

#include <algorithm>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/part/batch.hpp>

#include "key_set.hpp"
#include "stopwatch.hpp"

namespace membrane::timing {

struct floor_times {
    double plain_ns = 0;
    double prefetched_ns = 0;
};

class line_floor {
public:
    static result<line_floor> create(double most_bytes) {
        const std::uint64_t lines = lines_in(most_bytes);
        auto array = aligned_buffer::zeroed(lines * cache_line_bytes);
        if (!array) return array.error();
        return line_floor(lines, std::move(*array));
    }

    // One line per key, a different one in every turn, so that a repeated key does not find its line in the cache.
    void read(double bytes, const key_set& asked, std::uint64_t turn) const {
        const std::uint64_t lines = std::min(lines_in(bytes), lines_), factor = 2 * turn + 1;
        unsigned sum = 0;
        for (const key_hash& hash : asked.hashes())
            sum += std::to_integer<unsigned>(
                array_.data()[fastrange(hash.low * factor, lines) * cache_line_bytes]);
        keep(sum);
    }

    floor_times measure(double bytes, const key_set& asked) const {
        const std::uint64_t lines = std::min(lines_in(bytes), lines_);
        const auto hashes = asked.hashes();
        const auto line = [&](std::size_t i) {
            return array_.data() + fastrange(hashes[i].low, lines) * cache_line_bytes;
        };
        const std::size_t count = asked.size();
        floor_times taken;
        taken.plain_ns = ns_per(count, [&] { read(bytes, asked, 0); });
        taken.prefetched_ns = ns_per(count, [&] {
            unsigned sum = 0;
            for (std::size_t i = 0; i < count; ++i) {
                if (i + read_lookahead < count) prefetch_far(line(i + read_lookahead));
                sum += std::to_integer<unsigned>(*line(i));
            }
            keep(sum);
        });
        return taken;
    }

private:
    line_floor(std::uint64_t lines, aligned_buffer array) : lines_(lines), array_(std::move(array)) {
        for (std::uint64_t i = 0; i < lines_; ++i)
            array_.data()[i * cache_line_bytes] = std::byte{1};  // touch every page, so that it is mapped
    }
    static std::uint64_t lines_in(double bytes) {
        return static_cast<std::uint64_t>(bytes) / cache_line_bytes + 1;
    }

    std::uint64_t lines_;
    aligned_buffer array_;
};

}  // namespace membrane::timing
