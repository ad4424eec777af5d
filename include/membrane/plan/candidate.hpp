// Sizes one kind for a requirement, for any of the directions of a sizing question:
//
//   keys and fpr             -> bytes           the kind's own sizing
//   keys and bits per key    -> rate            the kind's own sizing
//   keys and bytes           -> rate            the largest filter whose file has at most that many bytes
//   bytes and fpr, or bytes and bits per key -> keys   the most keys whose file has at most that many bytes
//   k, or any other field, fixed by hand -> the rest   `given`
//
// If the kind's first answer exceeds the bound on reads and k is not given, fewer probes are tried: they need an emptier array,
// in which a stranger's lookup finds an unset cell sooner.
#pragma once

#include <cstdint>
#include <optional>

#include <membrane/plan/kind_plan.hpp>
#include <membrane/spec/kind_rules.hpp>

namespace membrane::plan {

// The planner's view of a kind; the runtime makes these from its registry.
struct kind_row {
    kind_rules rules;
    kind_plan plan;
    capabilities (*able)(const filter_spec&) = nullptr;
    // The spec that a filter of a kind that grows has with so many keys.
    filter_spec (*grown)(const filter_spec&, std::uint64_t keys) = nullptr;
    std::uint64_t header_bytes = 0;  // of its file
};

// What a filter that grows has become with the number of keys that it was asked to grow to.
struct grown_filter {
    std::uint64_t keys = 0;
    double fpr = 0;
    double bits_per_key = 0;
    std::uint64_t file_bytes = 0;
};

struct sized_filter {
    filter_spec spec;
    std::uint64_t keys = 0;
    double fpr = 0;           // predicted
    double bits_per_key = 0;  // everything included: the whole file
    std::uint64_t size_bytes = 0;
    std::uint64_t file_bytes = 0;
    bool has_reads = false;  // whether the kind's model predicts reads
    lookup_costs reads;
    capabilities can;
    std::optional<grown_filter> grown{};  // with requirement::grow_to
};

// Errors: those of the kind's sizing; bad_field "keys" if neither keys nor max_bytes is given; too_large if not even one key, or
// not the given number of keys, fits into max_bytes.
result<sized_filter> size_kind(const kind_row& kind, const requirement& wanted, const given_fields& given);

}  // namespace membrane::plan
