// Search for the best balanced rank-indexed filter for a rate or a size, with a bound on the lines that a stranger's lookup reads.
//
// Searches R, Z (L gets the rest of the line, at most 63), x1, and T2's share and shape. In an fixed filter the rate
// determines T2's load, up to the load that is the best trade of lines against list entries. In an erasable filter T2's share
// is searched directly, because the sizes of its clumps depend on it.
#pragma once

#include <membrane/base/result.hpp>
#include <membrane/model/balanced_rank.hpp>

namespace membrane::model {

struct balanced_rank_requirement {
    rank_model_form form = rank_model_form::fixed;
    double negative_reads = 2;  // bound; a lookup never reads more than 2 lines
    std::uint64_t list_entry_bits = 64;
    // The price of reading a second line, in bits per key: of two designs of nearly equal size the one with fewer second reads
    // is chosen. For a given rate it is also part of the objective when the load of a line is chosen.
    double second_line_bits = 0;
    std::uint64_t least_fingerprint_bits = 1;  // if a rate is given
};

struct balanced_rank_optimum {
    balanced_rank_shape shape;
    balanced_rank_numbers numbers;
};

// Fewest bits per key for a rate (if second_line_bits is 0). bad_field "fpr" unless 1e-9 <= fpr <= 0.1, "negative_reads" unless
// above 1.001, "list_entry_bits" unless 1 .. 1024.
result<balanced_rank_optimum> best_balanced_rank_for_fpr(double fpr,
                                                         const balanced_rank_requirement& wanted = {});
// Least rate for a size. bad_field "bits_per_key" if the rate would be outside that range.
result<balanced_rank_optimum> best_balanced_rank_for_bits(double bits_per_key,
                                                          const balanced_rank_requirement& wanted = {});

}  // namespace membrane::model
