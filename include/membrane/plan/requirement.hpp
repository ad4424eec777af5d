// What a user asks the planner for: keys, rate, size, bounds and abilities, as plain numbers.
//
//   fpr            the least size with at most this rate; max_bytes is then a bound
//   bits_per_key   the least rate in this size
//   max_bytes      without the two above: the least rate in this many bytes
//   none of them   fpr 1 %
//   keys = 0       unknown: with max_bytes, as many as fit (plan/candidate.hpp); otherwise an empty filter
//
// A kind's own `size` uses keys, fpr and bits_per_key; a kind with several forms may also use the reads and needs to choose one.
// The ranking enforces the rest.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>

#include <membrane/spec/capabilities.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane::plan {

struct requirement {
    std::uint64_t keys = 0;
    std::optional<double> fpr{};
    std::optional<double> bits_per_key{};      // of the filter itself, the file's header not counted
    std::optional<std::uint64_t> max_bytes{};  // of the file
    std::optional<double> average_reads{};     // cache lines of a negative lookup, at most
    std::optional<double> worst_reads{};
    // If not 0, not fewer than `keys`: the filter grows, and the rate is kept up to so many keys.
    std::uint64_t grow_to = 0;
    capabilities needs{};
    bool is_static = false;  // all keys are known in advance and none is added later
    bool is_fixed = false;   // no more keys than `keys` are added: forms that do not grow are smaller
};

// Fields fixed by the user; sizing determines the others.
struct given_fields {
    filter_spec spec;
    std::bitset<max_spec_fields> is_given;
};

// By how much sizing by bits per key may exceed the requested size, because words, lines, tables and lists are whole. For a few
// hundred keys this is as much as the keys themselves, for 100,000 keys it is 0.04 bits per key.
inline constexpr std::uint64_t size_rounding_bytes = 512;
inline std::uint64_t most_size_bytes(const requirement& wanted) {
    const double keys = static_cast<double>(wanted.keys == 0 ? 1 : wanted.keys);
    const double bytes = *wanted.bits_per_key * keys / 8;
    return bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) + size_rounding_bytes : UINT64_MAX;
}

inline constexpr double default_fpr = 0.01;

}  // namespace membrane::plan
