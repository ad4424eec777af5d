// The physical floor: reading one random 64-byte line of an array of a given size, in a plain loop and with the
// lines asked for ahead. No filter that must touch memory can beat the second; few reach the first.
#pragma once

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/filter/batch.hpp>

#include "stopwatch.hpp"
#include "subject.hpp"

namespace bench {

class floor_subject : public subject {
public:
    explicit floor_subject(double bytes)
        : lines_(static_cast<std::uint64_t>(bytes) / 64 + 1),
          array_(*membrane::aligned_buffer::zeroed(lines_ * 64)) {
        for (std::uint64_t i = 0; i < lines_; ++i) array_.data()[i * 64] = std::byte{1};  // own every page
    }

    std::string name() const override { return "one line read (floor)"; }
    double size_bytes() const override { return static_cast<double>(lines_ * 64); }
    double predicted_fpr() const override { return 0; }

    timings run(const key_set& members, const key_set&) override {
        timings taken{};
        const auto line = [&](std::size_t i) {
            return array_.data() + membrane::fastrange(members.hashes[i].low, lines_) * 64;
        };
        const std::size_t count = members.hashes.size();
        taken[miss_one] = ns_per(count, [&] {
            unsigned sum = 0;
            for (std::size_t i = 0; i < count; ++i) sum += std::to_integer<unsigned>(*line(i));
            keep(sum);
        });
        taken[miss_batch] = ns_per(count, [&] {
            unsigned sum = 0;
            for (std::size_t i = 0; i < count; ++i) {
                if (i + membrane::batch_lookahead < count)
                    membrane::prefetch_for_read(line(i + membrane::batch_lookahead));
                sum += std::to_integer<unsigned>(*line(i));
            }
            keep(sum);
        });
        return taken;
    }

private:
    std::uint64_t lines_;
    membrane::aligned_buffer array_;
};

}  // namespace bench
