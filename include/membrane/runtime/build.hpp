// Building a filter from a spool of hashes. build_from does all steps; a caller that wants to print or to check between the
// steps calls them itself, in this order:
//   spool.finish()                     how many keys there are
//   choose(kind, given, wanted)        the spec (planner.hpp)
//   working_bytes(spec, keys)          the memory to compare with a limit
//   any_filter::create(spec, hash)
//   fill(filter, spool, threads, progress)
#pragma once

#include <cstdint>

#include <membrane/base/function_ref.hpp>
#include <membrane/base/result.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/plan/requirement.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/hash_spool.hpp>

namespace membrane {

using progress_report = function_ref<void(std::uint64_t done, std::uint64_t total)>;

// Whether filters of this spec are constructed offline: all keys are placed jointly, in several rounds.
bool is_built_offline(const filter_spec& spec);

// The memory that building takes: the filter and, for offline construction, the hashes and scratch memory. size_overflow if
// it does not fit into 64 bits.
result<std::uint64_t> working_bytes(const filter_spec& spec, std::uint64_t keys);

// Puts all hashes of a finished spool into an empty filter of any kind. `progress` is called with keys.
result<void> fill(any_filter& filter, const hash_spool& spool, unsigned threads = 0,
                  progress_report progress = {});

struct build_request {
    const kind_entry* kind = nullptr;  // null: the planner chooses
    plan::requirement wanted;          // keys = 0: as many as the spool holds
    plan::given_fields given;
    hasher hash;
    std::uint64_t max_bytes = no_byte_limit;  // of working_bytes; too_large above it
    unsigned threads = 0;                     // 0: as many as the machine has
};
result<any_filter> build_from(hash_spool& spool, const build_request& request, progress_report progress = {});

}  // namespace membrane
