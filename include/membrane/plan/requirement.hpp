// What a user asks for, in the four directions that a sizing question can take. Plain numbers.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>

#include <membrane/spec/filter_spec.hpp>

namespace membrane::plan {

struct requirement {
    std::uint64_t keys = 0;
    std::optional<double> fpr;
    std::optional<double> bits_per_key;  // if neither is given: fpr 1 %
};

// Fields that the user fixed by hand; sizing fills in the rest.
struct given_fields {
    filter_spec spec;
    std::bitset<max_spec_fields> is_given;
};

inline constexpr double default_fpr = 0.01;
inline constexpr double least_fpr = 1e-18;  // 60 probes; 64 are the most that a kind has

}  // namespace membrane::plan
