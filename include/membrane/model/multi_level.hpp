// The multi-level scheme: d sub-tables, each a SINGLE scheme; a key that one refuses goes to the next, at last to a list.
//
// At the design point every sub-table has the same load distribution, the lower bound's, and everything but (h, p) is in closed form:
//   q = the root of 1 + q + .. + q^(d-1) = a;  overflow gamma0 = q^d;  share alpha_j = q^(j-1) / a.
// Neither q nor gamma0 depends on r. The domain is 1 <= a < d, or a = d = 1 (where any overflow is possible: use
// multi_level_for_overflow). Off the design point, sub-tables of any size with any h and p are computed level by level: the keys
// that a table refuses arrive at the next. Source: balanced Bloom filters, theorems 5 and 6; the closed form is our own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/model/single.hpp>

namespace membrane::model {

struct multi_level_design {
    double a = 1;               // block accesses per inserted key
    double q = 0;               // fraction of a table's arrivals that it refuses
    double gamma0 = 0;          // fraction of the keys that end in the list
    std::vector<double> alpha;  // each table's share of the blocks
    std::uint64_t h = 0;
    double p = 0;
    bool bounded = true;  // false: a = 1 without overflow, no key is ever refused
};

// bad_field "a", "d" (1 .. 64), "r"; an `a` of at least d is refused.
result<multi_level_design> multi_level(double a, std::uint64_t d, double r);
// The design with a given overflow: q = gamma^(1/d), a = (1 - gamma) / (1 - q). bad_field "gamma", "d", "r".
result<multi_level_design> multi_level_for_overflow(double gamma, std::uint64_t d, double r);

// The fraction t0 of the keys for which a budget of a accesses per key lasts if the list may take gamma of them: above 1 the
// budget is not used up, below 1 it ends before all keys are in. t0 = 1 at gamma0; the scheme is optimal for every
// gamma >= gamma0. bad_field "a", "d", "gamma".
result<double> multi_level_exhaustion(double a, std::uint64_t d, double gamma);

struct sub_table {
    double share = 1;  // of the blocks
    std::uint64_t h = 0;
    double p = 0;
};

struct multi_level_state {
    std::vector<double> reached;       // fraction of the keys that arrive at table j; one more for the list
    std::vector<single_state> tables;  // load laws
    double overflow = 0;               // reached.back()
    double insertion_reads = 0;        // blocks read per inserted key
};

// r = keys per block at the design fill, over all tables; fill = fraction of those keys that are in.
// bad_field "tables" (none, more than 64, a share that is not positive, or shares that do not sum to 1), "r", "fill",
// "h", "p", or "x" when a table with h above 8192 would see more than 16384 arrivals per block.
result<multi_level_state> multi_level_dynamics(double r, double fill, std::span<const sub_table> tables);

std::vector<sub_table> tables_of(const multi_level_design& design);

}  // namespace membrane::model
