// All kinds sized for a requirement, best first, each with the reason for its rank.
//
// Kinds that do not meet the requirement come last, with what they lack. The others are ordered by
//
//   bits per key / log2(1 / rate)  x  (1 + line_weight (reads - 1) + group_weight (groups - 1))
//
// bits per key include the file's header; reads are the average cache lines of a negative lookup. One more line weighs as much as
// `line_weight` more space, one more group of positions in a line that is read anyway as much as `group_weight`. Dividing by
// log2(1 / rate) makes filters of different rates comparable (each halving of the rate costs about the same number of bits); a
// rate below the requested one earns nothing. Reasons: doc/decisions/0005.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/plan/candidate.hpp>

namespace membrane::plan {

inline constexpr double line_weight = 0.1;
inline constexpr double group_weight = 0.02;

struct candidate {
    std::string_view kind;
    bool fits = false;
    std::optional<sized_filter> filter;  // empty if the kind cannot be sized for the requirement
    double score = 0;                    // of kinds that fit; lower is better
    std::string why;                     // one sentence, without a full stop
    std::optional<std::uint64_t>
        least_bytes{};  // the smallest possible size, of a kind that is larger than allowed
};

// A structure that this library does not have, by its published size.
struct outsider {
    std::string_view name;
    double fpr = 0;
    double bits_per_key = 0;
    double reads = 0;
    std::string why;
};

struct ranking {
    std::vector<candidate> candidates;
    std::optional<outsider> smaller_outside;  // for a static set: a structure smaller than our best
    double least_bits_per_key = 0;            // log2(1 / rate), the lower bound for every filter
    std::string advice;                       // if none fits: what to change
    std::string warning;                      // if a bound costs several times the size: how many times

    const candidate* chosen() const {
        return candidates.empty() || !candidates.front().fits ? nullptr : &candidates.front();
    }
};

// An error only for an invalid requirement; "no kind fits" is a valid answer.
result<ranking> rank(const requirement& wanted, std::span<const kind_row> kinds,
                     const given_fields& given = {});

}  // namespace membrane::plan
