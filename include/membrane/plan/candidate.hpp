// One kind sized for a requirement: the four directions of a sizing question, for any kind.
//
//   keys and fpr             -> bytes           the kind's own sizing
//   keys and bits per key    -> rate            the kind's own sizing
//   keys and bytes           -> rate            the largest filter whose file has at most so many bytes
//   bytes and fpr, or bytes and bits per key -> keys   the most keys whose file has at most so many bytes
//   k, or any other field, fixed by hand -> the rest   `given`
//
// A bound on reads that the kind's first answer breaks is met with fewer probes, where the kind has a field `k` that was not
// given: fewer probes want an emptier array, and a stranger meets an unused cell sooner.
#pragma once

#include <cstdint>

#include <membrane/plan/kind_plan.hpp>
#include <membrane/spec/kind_rules.hpp>

namespace membrane::plan {

// A kind as the planner sees it; the runtime makes these from its registry.
struct kind_row {
    kind_rules rules;
    kind_plan plan;
    capabilities (*able)(const filter_spec&) = nullptr;
    std::uint64_t header_bytes = 0;  // of its file
};

struct sized_filter {
    filter_spec spec;
    std::uint64_t keys = 0;
    double fpr = 0;           // predicted
    double bits_per_key = 0;  // everything included: the whole file
    std::uint64_t size_bytes = 0;
    std::uint64_t file_bytes = 0;
    bool has_reads = false;  // whether the kind predicts what it reads
    lookup_costs reads;
    capabilities can;
};

// Errors: what the kind's sizing refuses; bad_field "keys" if neither keys nor max_bytes is given; too_large if not even one
// key, or the keys at all, fit into max_bytes.
result<sized_filter> size_kind(const kind_row& kind, const requirement& wanted, const given_fields& given);

}  // namespace membrane::plan
