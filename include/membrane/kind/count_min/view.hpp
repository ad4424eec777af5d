// count_min: estimates how often a key was inserted, never too low. (Cormode and Muthukrishnan 2005; two-hash rows: Kirsch and
// Mitzenmacher, "Less hashing, same performance", section 9.) An update that would overflow a counter is refused as a whole.
//
//   payload:  copies x depth rows of `width` little-endian counters | zeros up to a multiple of 64 bytes | top section
//
// A key has one counter in each row; the estimate is the least of them.
//   rows=two_hash   row j of copy c: column (start + j * stride) modulo the prime width, start and stride from streams of c
//   rows=classic    each row has a stream of its own
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/count_min/cell_array.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/kind/count_min/top_section.hpp>
#include <membrane/part/probe/probe_ring.hpp>

MEMBRANE_TARGET_BEGIN

template <class Cell, bool TwoHash>
class count_min_view {
public:
    count_min_view(const filter_spec& spec, std::byte* payload) noexcept
        : cells_(payload),
          payload_(payload),
          cell_bytes_(*count_min_cell_bytes(spec)),
          width_(spec[count_min_field::width]),
          depth_(spec[count_min_field::depth]),
          copies_(spec[count_min_field::copies]),
          is_conservative_(spec[count_min_field::conservative] != 0),
          top_(spec, payload + cell_bytes_) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto cells = count_min_cell_bytes(spec);
        const auto top = top_section::size_bytes(spec);
        return cells && top ? checked_add(*cells, *top) : std::nullopt;
    }

    bool insert(key_hash hash) noexcept { return add(hash, 1); }

    // False, and nothing changed, if a counter would overflow.
    bool add(key_hash hash, std::uint64_t weight) noexcept {
        if (is_conservative_) {
            const std::uint64_t least = estimate(hash);
            if (!cells_.fits(least, weight)) return false;
            for_each_cell(hash, [&](std::uint64_t cell) {
                cells_.put(cell, std::max(cells_.get(cell), least + weight));
                return true;
            });
            return true;
        }
        if (!for_each_cell(hash, [&](std::uint64_t cell) { return cells_.fits(cells_.get(cell), weight); }))
            return false;
        for_each_cell(hash, [&](std::uint64_t cell) {
            cells_.put(cell, cells_.get(cell) + weight);
            return true;
        });
        return true;
    }

    std::uint64_t estimate(key_hash hash) const noexcept {
        std::uint64_t least = UINT64_MAX;
        for_each_cell(hash, [&](std::uint64_t cell) {
            least = std::min(least, cells_.get(cell));
            return true;
        });
        return least;
    }
    static constexpr std::uint64_t largest_estimate = static_cast<Cell>(~Cell{0});

    bool may_contain(key_hash hash) const noexcept {
        return for_each_cell(hash, [&](std::uint64_t cell) { return cells_.get(cell) != 0; });
    }

    void prefetch(key_hash hash) const noexcept {
        for_each_cell(hash, [&](std::uint64_t cell) {
            cells_.prefetch(cell);
            return true;
        });
    }
    void prefetch_insert(key_hash hash) const noexcept { prefetch(hash); }

    // The bytes that a lookup reads if it stops at the first zero, in order: visit(offset in the payload).
    template <class Visit>
    void trace_lookup(key_hash hash, Visit&& visit) const noexcept {
        for_each_cell(hash, [&](std::uint64_t cell) {
            visit(cell * sizeof(Cell));
            return cells_.get(cell) != 0;
        });
    }

    // Adds the other's counts, each multiplied by `weight`. The most counted keys of both are merged.
    result<void> merge(const count_min_view& other, std::uint64_t weight = 1) {
        for (std::uint64_t i = 0; i < width_ * rows(); ++i) {
            const auto more = checked_multiply(other.cells_.get(i), weight);
            if (!more || !cells_.fits(cells_.get(i), *more))
                return make_error(errc::counter_overflow, "counter").with_found(i);
        }
        std::vector<counted_key> candidates = top_.entries();
        const std::vector<counted_key> others = other.top_.entries();
        candidates.insert(candidates.end(), others.begin(), others.end());
        for (std::uint64_t i = 0; i < width_ * rows(); ++i)
            cells_.put(i, cells_.get(i) + weight * other.cells_.get(i));
        // Duplicates are found by sorting, not with a hash table: the hashes in a hostile file may all collide in one bucket.
        for (counted_key& entry : candidates) entry.estimate = estimate(entry.hash);
        std::stable_sort(candidates.begin(), candidates.end(), is_counted_more);
        const auto is_same = [](const counted_key& a, const counted_key& b) { return a.hash == b.hash; };
        candidates.erase(std::unique(candidates.begin(), candidates.end(), is_same), candidates.end());
        top_.assign(candidates);
        return {};
    }

    top_section& top() noexcept { return top_; }
    const top_section& top() const noexcept { return top_; }

    double fill() const noexcept {
        return static_cast<double>(used(0, width_ * rows())) / static_cast<double>(width_ * rows());
    }
    // The probability that all counters of a non-member are above zero.
    double estimated_fpr_now() const noexcept {
        double all = 1;
        for (std::uint64_t row = 0; row < rows(); ++row) all *= row_fill(row);
        return all;
    }
    // The number of distinct keys by linear counting (zero counters of a row), averaged over the rows.
    double estimated_size() const noexcept {
        if (width_ == 1) return fill() > 0 ? 1 : 0;
        const double width = static_cast<double>(width_);
        double sum = 0;
        for (std::uint64_t row = 0; row < rows(); ++row)
            sum += std::log(std::max(0.5 / width, 1 - row_fill(row))) / std::log1p(-1 / width);
        return sum / static_cast<double>(rows());
    }

    result<void> check_payload() const {
        if (!are_all_zero({payload_ + width_ * rows() * sizeof(Cell), payload_ + cell_bytes_}))
            return make_error(errc::reserved_not_zero, "padding behind the counters");
        return top_.check();
    }

private:
    std::uint64_t rows() const noexcept { return depth_ * copies_; }

    // Visits the key's counter of each row until visit(cell) returns false; returns whether all returned true.
    template <class Visit>
    bool for_each_cell(key_hash hash, Visit&& visit) const noexcept {
        if constexpr (TwoHash) {
            const flat_ring ring(width_);
            std::uint64_t row_start = 0;
            for (std::uint64_t copy = 0; copy < copies_; ++copy) {
                auto at = ring.start(remix(hash, stream::row_start + copy));
                const auto step = ring.stride(remix(hash, stream::row_stride + copy));
                for (std::uint64_t j = 0; j < depth_; ++j) {
                    if (!visit(row_start + at)) return false;
                    at = ring.sum(at, step);
                    row_start += width_;
                }
            }
        } else {
            for (std::uint64_t row = 0; row < depth_; ++row)
                if (!visit(row * width_ + fastrange(remix(hash, stream::row + row), width_))) return false;
        }
        return true;
    }

    std::uint64_t used(std::uint64_t first, std::uint64_t last) const noexcept {
        std::uint64_t count = 0;
        for (std::uint64_t i = first; i < last; ++i) count += cells_.get(i) != 0 ? 1 : 0;
        return count;
    }
    double row_fill(std::uint64_t row) const noexcept {
        return static_cast<double>(used(row * width_, (row + 1) * width_)) / static_cast<double>(width_);
    }

    cell_array<Cell> cells_;
    std::byte* payload_;
    std::uint64_t cell_bytes_;
    std::uint64_t width_;
    std::uint64_t depth_;
    std::uint64_t copies_;
    bool is_conservative_;
    top_section top_;
};

struct count_min_family {
    using types = std::tuple<count_min_view<std::uint32_t, false>, count_min_view<std::uint64_t, false>,
                             count_min_view<std::uint32_t, true>, count_min_view<std::uint64_t, true>>;
    static std::size_t variant_of(const filter_spec& spec) {
        return (spec[count_min_field::rows] == rows::two_hash ? 2 : 0) +
               (spec[count_min_field::cell_bits] == 64 ? 1 : 0);
    }

    static constexpr kind_id id = kind_id::count_min;
    static constexpr std::string_view name = "count_min";
    static constexpr std::string_view meaning = "counts keys: estimates never below the truth";
    static constexpr std::span<const field_rule> fields = count_min_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_count_min_spec(spec); }
};

MEMBRANE_TARGET_END
