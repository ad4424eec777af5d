// The best balanced rank-indexed filter for a rate or a size, under a bound on the lines that a stranger's query reads.
//
// Searched are R, Z (with L what is left of the line, at most 63), x1, and T2's share and shape. For an insert-only
// filter the rate leaves T2 a certain load, and beyond that there is one best load for the trade of lines against list
// entries; for an erasable one T2's share is searched directly, since its clumps depend on it.
#pragma once

#include <membrane/base/result.hpp>
#include <membrane/model/balanced_rank.hpp>

namespace membrane::model {

struct balanced_rank_requirement {
    balanced_rank_form form = balanced_rank_form::insert_only;
    double negative_reads = 2;  // at most; a query never reads more than 2 lines
    std::uint64_t list_entry_bits = 64;
    // What reading a second line is worth, in bits per key: of two designs almost equal in size the one that sends fewer
    // queries on is taken. For a rate the load of a line is weighed by it, too.
    double second_line_bits = 0;
    std::uint64_t least_fingerprint_bits = 1;  // for a rate
};

struct balanced_rank_optimum {
    balanced_rank_shape shape;
    balanced_rank_numbers numbers;
};

// Fewest bits per key for a rate, where a second line is worth nothing. bad_field and "fpr" unless 1e-9 <= fpr <= 0.1, "negative_reads" unless above 1.001,
// "list_entry_bits" unless 1 .. 1024.
result<balanced_rank_optimum> best_balanced_rank_for_fpr(double fpr,
                                                         const balanced_rank_requirement& wanted = {});
// Least rate for a size. bad_field and "bits_per_key" if it belongs to a rate outside that range.
result<balanced_rank_optimum> best_balanced_rank_for_bits(double bits_per_key,
                                                          const balanced_rank_requirement& wanted = {});

}  // namespace membrane::model
