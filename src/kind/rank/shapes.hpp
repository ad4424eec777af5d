// Shapes of rank-indexed filters for a number of keys, with any part fixed by the user.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <optional>

#include <membrane/kind/rank/spec.hpp>
#include <membrane/model/rank_optimum.hpp>
#include <membrane/plan/requirement.hpp>

namespace membrane::plan {

inline constexpr double rank_overflow_chance = 1e-10;

model::rank_shape rank_shape_of(const filter_spec& spec);
void set_rank_shape(filter_spec& spec, const model::rank_shape& shape);

// The parts that the user fixed, and the number of keys.
struct rank_wishes {
    std::uint64_t keys;  // at least 1
    std::uint64_t value_bits;
    filter_spec spec;
    std::bitset<max_spec_fields> is_given;

    bool gives(std::size_t field) const { return is_given[field]; }
    // Whether cells or extensions are given, which best_rank_cells would otherwise choose.
    bool gives_cells() const;
    std::uint64_t most_fingerprint_bits() const { return std::min<std::uint64_t>(56, 64 - value_bits); }
};

// The smallest cells and extensions for B, L and R that hold the keys except with the overflow probability; empty if the given
// ones do not.
std::optional<model::rank_shape> with_cells(model::rank_shape base, const rank_wishes& wishes);

// The smallest shape with at most this rate; the shape with the lowest rate that fits into that many bits, or the smallest
// possible one.
std::optional<model::rank_shape> smallest_rank_shape(double fpr, const rank_wishes& wishes);
std::optional<model::rank_shape> best_rank_shape_within(double size_bits, const rank_wishes& wishes);

}  // namespace membrane::plan
