#include <membrane/model/rank_reads.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "model/tail_sums.hpp"

namespace membrane::model {

namespace {

constexpr std::uint64_t line_bits = 512;
constexpr std::uint64_t most_sampled_buckets = 1500;
// Entries of all sampled buckets together. Buckets of the paper have a hundred entries, the largest legal ones 12,288: of those a few tell
// as much, because a bucket's lookups vary less the more entries it has.
constexpr std::uint64_t most_sampled_entries = std::uint64_t{1} << 20;

class drawn_numbers {
public:
    std::uint64_t below(std::uint64_t limit) {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t word = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        word ^= word >> 31;
        return static_cast<std::uint64_t>(std::ldexp(static_cast<double>(word >> 11), -53) *
                                          static_cast<double>(limit));
    }

private:
    std::uint64_t state_ = 1;
};

// Loads of the sampled buckets: quantiles of Binomial(n, 1 / B), capped at the cells of a bucket (more are refused).
std::vector<std::uint64_t> sampled_loads(double n, double buckets, std::uint64_t cells) {
    const auto most = static_cast<double>(cells);
    const double mean = n / buckets;
    const double deviation = std::sqrt(mean);
    const auto sampled_buckets = static_cast<std::uint64_t>(std::min<double>(
        most_sampled_buckets, std::ceil(most_sampled_entries / std::max(1.0, std::min(mean, most)))));
    if (buckets == 1 || mean - 9 * deviation >= most)
        return std::vector<std::uint64_t>(sampled_buckets, static_cast<std::uint64_t>(std::min(mean, most)));
    std::vector<std::uint64_t> loads;
    double load = std::max(0.0, std::floor(mean - 9 * deviation));
    double below = 0;
    for (std::uint64_t i = 0; i < sampled_buckets; ++i) {
        const double wanted = (static_cast<double>(i) + 0.5) / static_cast<double>(sampled_buckets);
        for (; load < std::min(n, mean + 9 * deviation + 9); ++load) {
            const double here = std::exp(log_binomial_at(n, 1 / buckets, load));
            if (below + here >= wanted) break;
            below += here;
        }
        loads.push_back(static_cast<std::uint64_t>(std::min(load, most)));
    }
    return loads;
}

struct places {
    explicit places(const rank_shape& made)
        : shape(made), cell_bits(made.fingerprint_bits + made.value_bits) {
        const auto width = [](std::uint64_t count) {
            return count < 2 ? 0 : static_cast<std::uint64_t>(std::bit_width(count - 1));
        };
        counts = {made.buckets, made.extensions, made.last_extensions};
        cells = {made.cells, made.extensions == 0 ? 0 : made.extension_cells,
                 made.last_extensions == 0 ? 0 : made.last_cells};
        link_bits = {1 + width(counts[1]), 1 + width(counts[2]), 0};
        std::uint64_t end = 0;
        for (std::size_t level = 0; level < 3; ++level) {
            item_bits[level] =
                (level == 0 ? made.chains : 0) + cells[level] * (1 + cell_bits) + link_bits[level];
            first[level] = end + (level == 0 ? 0 : counts[level]);
            end = first[level] + counts[level] * item_bits[level];
        }
    }

    rank_shape shape;
    std::uint64_t cell_bits;
    std::array<std::uint64_t, 3> counts{}, cells{}, link_bits{}, item_bits{}, first{};
};

// The lines of a bucket and its extensions that one lookup has touched so far; a line that two of them share is one.
class touched_lines {
public:
    touched_lines(const places& all, const std::array<std::uint64_t, 3>& starts) {
        std::uint64_t ends[3]{};  // line behind each item
        for (std::size_t level = 0; level < 3; ++level) {
            // A level without buckets has links of no length, which are touched like the others.
            items_.push_back({starts[level] / line_bits, 0});
            ends[level] = (starts[level] + all.item_bits[level]) / line_bits + 1;
        }
        std::sort(items_.begin(), items_.end(), [](const item& a, const item& b) { return a.line < b.line; });
        std::sort(std::begin(ends), std::end(ends));
        const std::uint64_t* end = std::end(ends) - items_.size();
        for (std::size_t i = 1; i < items_.size(); ++i, ++end)
            items_[i].slot = items_[i - 1].slot + std::min(items_[i].line, *end) - items_[i - 1].line;
        touched_.resize(static_cast<std::size_t>(
            std::min(items_.back().slot + *end - items_.back().line, most_touched_lines)));
    }

    void touch(std::uint64_t bit, std::uint64_t count) {
        for (const std::uint64_t line : {bit / line_bits, (bit + count - 1) / line_bits}) {
            std::uint64_t& lookup = touched_[slot_of(line)];
            count_ += lookup != lookup_ ? 1 : 0;
            lookup = lookup_;
        }
    }
    double count() const { return static_cast<double>(count_); }
    void begin_lookup() {
        ++lookup_;
        count_ = 0;
    }

private:
    // A filter's buckets have at most 1600 lines with their extensions; shapes that no filter has are not looked at beyond these.
    static constexpr std::uint64_t most_touched_lines = 1 << 16;

    struct item {
        std::uint64_t line, slot;  // its first line, and the place of that in touched_
    };
    std::size_t slot_of(std::uint64_t line) const {
        std::size_t i = items_.size() - 1;
        while (i != 0 && items_[i].line > line) --i;
        return static_cast<std::size_t>(
            std::min<std::uint64_t>(items_[i].slot + (line - items_[i].line), touched_.size() - 1));
    }

    std::vector<item> items_;
    std::vector<std::uint64_t> touched_;  // the last lookup that touched the line
    std::uint64_t lookup_ = 0, count_ = 0;
};

class sampled_bucket {
public:
    sampled_bucket(const places& all, std::uint64_t load, std::uint64_t number, drawn_numbers& random)
        : all_(all), chains_(all.shape.chains) {
        for (std::uint64_t i = 0; i < load; ++i) ++chains_[random.below(chains_.size())];
        at_[0] = all.first[0] + number * all.item_bits[0];
        for (std::size_t level = 1; level < 3; ++level)
            if (all.counts[level] != 0)
                at_[level] = all.first[level] + random.below(all.counts[level]) * all.item_bits[level];
        const std::uint64_t longest = *std::max_element(chains_.begin(), chains_.end());
        for (std::uint64_t level = 0, begin = 0; level < longest; ++level) {
            std::uint64_t size = 0;
            for (const std::uint64_t length : chains_) size += length > level ? 1 : 0;
            levels_.push_back({begin, size});
            begin += size;
        }
    }

    struct sums {
        double negative = 0, chains = 0, positive = 0, entries = 0;
    };
    void add_to(sums& total) {
        const double match = std::ldexp(1.0, -static_cast<int>(all_.shape.fingerprint_bits));
        std::vector<std::uint64_t> rank(levels_.size());  // rank of the next entry in each level
        touched_lines lines(all_, at_);
        for (const std::uint64_t length : chains_) {
            lines.begin_lookup();
            lines.touch(at_[0], chains_.size());
            double walks_on = 1;  // probability that no earlier fingerprint matched
            double stopped = 0;   // lines of the lookups that ended, weighted by their probability
            std::size_t segment = 0;
            for (std::uint64_t level = 0; level < length; ++level) {
                const auto [begin, size] = levels_[level];
                reach(segment, begin + size, lines);
                touch_cell(begin + rank[level]++, lines);
                total.positive += stopped + walks_on * lines.count();
                stopped += walks_on * match * lines.count();
                walks_on *= 1 - match;
                touch_index(begin, lines);
                touch_index(begin + size - 1, lines);
            }
            total.negative += stopped + walks_on * lines.count();
            total.chains += 1;
            total.entries += static_cast<double>(length);
        }
    }

private:
    struct stretch {
        std::uint64_t begin, size;
    };

    // Follows the pointers until the segments include cell `end`.
    void reach(std::size_t& segment, std::uint64_t end, touched_lines& lines) const {
        std::uint64_t cells = 0;
        for (std::size_t i = 0; i <= segment; ++i) cells += all_.cells[i];
        for (; end > cells && segment < 2; cells += all_.cells[++segment])
            lines.touch(index_at(segment) + all_.cells[segment], all_.link_bits[segment]);
    }
    std::uint64_t index_at(std::size_t segment) const {
        return at_[segment] + (segment == 0 ? chains_.size() : 0);
    }
    std::size_t segment_of(std::uint64_t& cell) const {
        std::size_t segment = 0;
        for (; segment < 2 && cell >= all_.cells[segment]; ++segment) cell -= all_.cells[segment];
        return segment;
    }
    void touch_cell(std::uint64_t cell, touched_lines& lines) const {
        const std::size_t segment = segment_of(cell);
        lines.touch(index_at(segment) + all_.cells[segment] + all_.link_bits[segment] + cell * all_.cell_bits,
                    all_.cell_bits);
    }
    void touch_index(std::uint64_t cell, touched_lines& lines) const {
        const std::size_t segment = segment_of(cell);
        lines.touch(index_at(segment) + cell, 1);
    }

    const places& all_;
    std::vector<std::uint64_t> chains_;
    std::array<std::uint64_t, 3> at_{};
    std::vector<stretch> levels_;
};

}  // namespace

result<rank_reads> rank_lookup_reads(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = rank_bits_per_key(shape, n); !checked) return checked.error();
    const places all(shape);
    drawn_numbers random;
    std::vector<std::uint64_t> loads =
        sampled_loads(static_cast<double>(n), static_cast<double>(shape.buckets),
                      std::accumulate(all.cells.begin(), all.cells.end(), std::uint64_t{0}));
    for (std::size_t i = loads.size(); i > 1; --i) std::swap(loads[i - 1], loads[random.below(i)]);
    sampled_bucket::sums total;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        // Few buckets are all sampled in turn; of many, those with different offsets in a line.
        const std::uint64_t number = shape.buckets <= loads.size() ? i % shape.buckets : i;
        sampled_bucket(all, loads[i], number, random).add_to(total);
    }
    rank_reads reads;
    reads.negative = total.negative / total.chains;
    reads.positive = total.entries > 0 ? total.positive / total.entries : reads.negative;
    for (std::size_t level = 0; level < 3; ++level)
        if (all.cells[level] != 0) {
            const std::uint64_t lines = (all.item_bits[level] + line_bits - 2) / line_bits + 1;
            reads.worst += static_cast<double>(lines);
        }
    return reads;
}

}  // namespace membrane::model
