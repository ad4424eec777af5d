// Every kind sized for a requirement, the best first, each with the reason for its place.
//
// A kind that does not meet the requirement comes after all that do, with what it lacks. Those that do are ordered by
//
//   bits per key / log2(1 / rate)  x  (1 + line_weight (reads - 1) + group_weight (groups - 1))
//
// bits per key with the file's header, reads the average cache lines of a negative lookup: a line more weighs as much as
// `line_weight` more space, a group of places that is looked at in a line that is read anyway as `group_weight`. Dividing by log2(1 / rate) makes filters of different rates comparable (each halving of the rate
// costs about the same bits); a rate below the one that was asked for earns nothing. doc/decisions/0005 has the reasons.
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
    std::optional<sized_filter> filter;  // empty if the kind cannot be sized for this at all
    double score = 0;                    // of those that fit; less is better
    std::string why;                     // one sentence, without a full stop
    std::optional<std::uint64_t>
        least_bytes{};  // of a kind that cannot be as small as asked: what it would take
};

// A structure that is not ours, by its published size.
struct outsider {
    std::string_view name;
    double fpr = 0;
    double bits_per_key = 0;
    double reads = 0;
    std::string why;
};

struct ranking {
    std::vector<candidate> candidates;
    std::optional<outsider> smaller_outside;  // for a static set: what would be smaller than our best
    double least_bits_per_key = 0;            // log2(1 / rate): no filter can do with less
    std::string advice;                       // if none fits: what to change

    const candidate* chosen() const {
        return candidates.empty() || !candidates.front().fits ? nullptr : &candidates.front();
    }
};

// Only what is wrong in the requirement itself is an error; that no kind fits is an answer.
result<ranking> rank(const requirement& wanted, std::span<const kind_row> kinds,
                     const given_fields& given = {});

}  // namespace membrane::plan
