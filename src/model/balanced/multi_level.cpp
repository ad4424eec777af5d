#include <membrane/model/multi_level.hpp>

#include <algorithm>
#include <cmath>

#include "model/domain.hpp"
#include "model/poisson_law.hpp"

namespace membrane::model {

namespace {

constexpr std::uint64_t max_tables = 64;

error bad_table_count(std::uint64_t d) {
    return make_error(errc::bad_field, "d").with_found(d).with_range(1, max_tables);
}

// 1 + q + .. + q^(d-1)
double geometric_sum(double q, std::uint64_t d) {
    double sum = 0;
    for (std::uint64_t j = 0; j < d; ++j) sum = 1 + q * sum;
    return sum;
}

// q + .. + q^(d-1) is convex and at q = a - 1 at least a - 1, so Newton's steps decrease to the root.
double root_q(double a, std::uint64_t d) {
    double q = std::min(a - 1, 1.0);
    for (int step = 0; step < 100; ++step) {
        double value = 0;
        double slope = 0;
        for (std::uint64_t j = 1; j < d; ++j) {
            slope = 1 + value + q * slope;
            value = q * (1 + value);
        }
        const double next = q - (value - (a - 1)) / slope;
        if (!(next < q)) break;
        q = std::max(0.0, next);
    }
    return q;
}

result<multi_level_design> finish(multi_level_design design, std::uint64_t d, double r) {
    double share = 1 / geometric_sum(design.q, d);
    for (std::uint64_t j = 0; j < d; ++j) {
        design.alpha.push_back(share);
        share *= design.q;
    }
    const auto found = single_for_bound(design.a, r, design.gamma0);
    if (!found) return found.error();
    design.h = found->h;
    design.p = found->p;
    design.bounded = found->bounded;
    return design;
}

}  // namespace

result<multi_level_design> multi_level(double a, std::uint64_t d, double r) {
    if (d < 1 || d > max_tables) return bad_table_count(d);
    const bool one_table = d == 1 && a == 1;
    if (!one_table && !(a >= 1 && a < static_cast<double>(d)))
        return outside_domain("a", "accesses per key are at least 1 and below d (with one table exactly 1)");
    multi_level_design design;
    design.a = a;
    design.q = one_table ? 0 : root_q(a, d);
    design.gamma0 = std::pow(design.q, static_cast<double>(d));
    return finish(std::move(design), d, r);
}

result<multi_level_design> multi_level_for_overflow(double gamma, std::uint64_t d, double r) {
    if (d < 1 || d > max_tables) return bad_table_count(d);
    if (!(gamma >= 0 && gamma < 1))
        return outside_domain("gamma", "the overflow fraction is at least 0 and below 1");
    multi_level_design design;
    design.gamma0 = gamma;
    design.q = std::pow(gamma, 1 / static_cast<double>(d));
    design.a = geometric_sum(design.q, d);
    return finish(std::move(design), d, r);
}

result<double> multi_level_exhaustion(double a, std::uint64_t d, double gamma) {
    if (d < 1 || d > max_tables) return bad_table_count(d);
    if (!within(a, 1, 64)) return outside_domain("a", "block accesses per key are between 1 and 64");
    if (!(gamma >= 0 && gamma < 1))
        return outside_domain("gamma", "the overflow fraction is at least 0 and below 1");
    // The loads hold r (1 - gamma) keys of a r arrivals.
    const double q = ((a - 1) + gamma) / a;
    return a / geometric_sum(q, d);
}

result<multi_level_state> multi_level_dynamics(double r, double fill, std::span<const sub_table> tables) {
    if (tables.empty() || tables.size() > max_tables)
        return outside_domain("tables", "between 1 and 64 sub-tables");
    if (!within(r, 0, max_block_arrivals))
        return outside_domain("r", "keys per block are between 0 and 16384");
    if (!within(fill, 0, 64)) return outside_domain("fill", "the fill is between 0 and 64 times the design");
    double shares = 0;
    for (const sub_table& table : tables) {
        if (!(table.share > 0)) return outside_domain("tables", "each share of the blocks is positive");
        shares += table.share;
    }
    if (!within(shares, 1 - 1e-9, 1 + 1e-9))
        return outside_domain("tables", "the shares of the blocks sum to 1");
    multi_level_state state;
    double reached = 1;
    for (const sub_table& table : tables) {
        state.reached.push_back(reached);
        state.insertion_reads += reached;
        auto loads = single(fill * reached * r / table.share, table.h, table.p);
        if (!loads) return loads.error();
        reached *= loads->overflow;
        state.tables.push_back(std::move(*loads));
    }
    state.reached.push_back(reached);
    state.overflow = reached;
    return state;
}

std::vector<sub_table> tables_of(const multi_level_design& design) {
    std::vector<sub_table> tables;
    for (const double share : design.alpha) {
        if (share > 0) tables.push_back({share, design.h, design.p});
    }
    return tables;
}

}  // namespace membrane::model
