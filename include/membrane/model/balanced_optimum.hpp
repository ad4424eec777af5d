// Search for the balanced Bloom filter with the least rate for a given size: number and sizes of tables, h and p of each, k.
//
// The size counts everything: blocks with their load counters and flags, and 64 bits for each key in the list. The bound on reads
// counts the blocks and list lookups of a stranger's lookup; a bound of 1 leaves one table that refuses no key. The report's
// design (equal load distributions in all tables, a = 1.2, d = 3) minimises a block's cost for a given number of accesses at
// *insertion*. A lookup pays for every table it reads, so other table sizes, other h and p per table and fewer tables are better.
// The search starts at the best closed-form design over (a, d, k) and then varies arrivals and h + p of each table; the result
// is never worse than the best closed-form design of its grid.
#pragma once

#include <cstdint>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/model/balanced_bloom.hpp>

namespace membrane::model {

struct balanced_request {
    double bits_per_key = 16;  // everything included
    std::uint64_t block_bits = 512;
    double most_negative_reads = 1.5;  // blocks and list lookups of a stranger, on average
    query_rule rule = query_rule::flag_coin;
    std::uint64_t most_tables = 4;
};

struct balanced_optimum {
    std::vector<sub_table> tables;
    std::uint64_t k = 1;
    double keys_per_block = 0;
    balanced_bloom_rates rates;
    double closed_form_fpr = 1;  // the best closed-form design under the same constraints
};

// Uses a further table only if it lowers the rate by 0.1 %. Takes 20 to 100 ms.
// bad_field "bits_per_key" (4 .. 64), "block_bits" (64 .. 1024), "most_negative_reads" (at least 1), "most_tables"
// (1 .. 8).
result<balanced_optimum> optimize_balanced_bloom(const balanced_request& request);

}  // namespace membrane::model
