// Catalogue rows: the placement schemes: lower bound, SINGLE, SEQUENTIAL.
#include <algorithm>
#include <array>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/balanced_bound.hpp>
#include <membrane/model/sequential.hpp>
#include <membrane/model/single.hpp>

#include "model/domain.hpp"
#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr catalog_parameter free_share = overflow_share.otherwise(0);

constexpr catalog_parameter bound_in[]{accesses, keys_per_block, free_share};
constexpr catalog_output bound_out[]{
    whole_output("k0", "keys", "largest load that is fully used; null if loads are not bounded"),
    {"e0", "keys", "sum of i Pr(X = i) over i <= k0"},
    {"p0", "chance", "Pr(X <= k0)"},
    list_output("p", "share", "share of the blocks with load 0, 1, ..."),
    {"mean", "keys/block", "mean load"},
    {"variance", "keys^2", "variance of the load: the least that any scheme can have"}};

outcome lower_bound(arguments in) {
    const auto bound = balanced_lower_bound(in.number("a"), in.number("r"), in.number("gamma"));
    if (!bound) return bound.error();
    return values{bound->k0 ? of(*bound->k0) : catalog_value(),
                  bound->e0,
                  bound->p0,
                  bound->loads,
                  mean_load(bound->loads),
                  load_variance(bound->loads)};
}

constexpr catalog_parameter cost_in[]{
    accesses, keys_per_block, free_share,
    list("costs", "", "cost of a block of load 0, 1, ...; convex, up to load k0 + 1", -1e300, 1e300)};
constexpr catalog_output cost_out[]{{"cost", "", "least mean cost of a block"}};

outcome lower_bound_cost(arguments in) {
    const auto bound = balanced_lower_bound(in.number("a"), in.number("r"), in.number("gamma"));
    if (!bound) return bound.error();
    const auto costs = in.list("costs");
    if (costs.size() < bound->loads.size())
        return outside_domain("costs", "one cost for every load up to k0 + 1 (lower_bound lists the loads)");
    for (std::size_t i = 2; i < bound->loads.size(); ++i) {
        if (costs[i] - costs[i - 1] < costs[i - 1] - costs[i - 2])
            return outside_domain("costs", "the bound is one for convex costs only");
    }
    return values{mean_cost(bound->loads, [&](std::uint64_t load) { return costs[load]; })};
}

constexpr catalog_parameter arrivals = number("x", "keys/block", "arrivals per block", 0, 16384);
constexpr catalog_parameter single_in[]{arrivals, table_h, table_p};
constexpr catalog_output single_out[]{
    list_output("f", "share", "share of the blocks with load 0 .. h + 1"),
    {"overflow", "share", "share of the arrivals that were refused"},
    {"refusal", "chance", "chance that the next arrival is refused"},
    {"mean", "keys/block", "mean load"},
    {"variance", "keys^2", "variance of the load"},
    {"flagged_at_h", "share", "blocks of load h that refused somebody"},
    {"flagged_at_top", "share", "blocks of load h + 1 that refused somebody"},
    {"continue_load", "chance", "chance that a block sends a stranger on, by the rule `load`"},
    {"continue_coin", "chance", "the same by the rule `coin`"},
    {"continue_flag", "chance", "the same by the rule `flag`"},
    {"continue_flag_coin", "chance", "the same by the rule `flag_coin`"}};

outcome single_row(arguments in) {
    const double p = in.number("p");
    const auto state = single(in.number("x"), in.whole("h"), p);
    if (!state) return state.error();
    values found{state->loads,
                 state->overflow,
                 state->refusal,
                 mean_load(state->loads),
                 load_variance(state->loads),
                 state->flagged_at_h,
                 state->flagged_at_top};
    for (const query_rule rule :
         {query_rule::load, query_rule::coin, query_rule::flag, query_rule::flag_coin})
        found.emplace_back(continue_probability(*state, p, rule));
    return found;
}

constexpr catalog_parameter coin_in[]{
    arrivals, table_h, number("at_top", "share", "share of the blocks that are to have load h + 1", 0, 1)};
constexpr catalog_output coin_out[]{{"p", "chance", "chance that a block of load h takes a key"}};

outcome single_coin_row(arguments in) {
    const auto p = single_coin(in.number("x"), in.whole("h"), in.number("at_top"));
    if (!p) return p.error();
    return values{*p};
}

constexpr catalog_output scheme_out[]{whole_output("h", "keys", "load up to which a block takes every key"),
                                      {"p", "chance", "chance that a block of load h takes a key"}};

outcome single_design_row(arguments in) {
    const auto design = single_for_bound(in.number("a"), in.number("r"), in.number("gamma"));
    if (!design) return design.error();
    return values{of(design->h), design->p};
}

constexpr catalog_parameter sequential_in[]{accesses, tables, keys_per_block};
constexpr catalog_output sequential_out[]{
    {"gamma0", "share", "least overflow with which the lower bound is reached"},
    whole_output("h", "keys", "load up to which a block takes every key"),
    {"p", "chance", "chance that a block of load h takes a key"}};

outcome sequential_row(arguments in) {
    const auto design = sequential(in.number("a"), in.whole("d"), in.number("r"));
    if (!design) return design.error();
    return values{design->gamma0, of(design->h), design->p};
}

constexpr catalog_parameter time_in[]{number("accesses", "blocks/key", "blocks read per key", 0, 64), tables,
                                      keys_per_block, table_h, table_p};
constexpr catalog_output time_out[]{
    {"time", "share", "keys that are in by then, as a share of the design's"}};

outcome sequential_time_row(arguments in) {
    const auto time =
        sequential_time(in.number("accesses"), in.whole("d"), in.number("r"), in.whole("h"), in.number("p"));
    if (!time) return time.error();
    return values{*time};
}

constexpr catalog_parameter exhaustion_in[]{accesses, tables, keys_per_block, overflow_share};
constexpr catalog_output exhaustion_out[]{
    {"t0", "share", "share of the keys that the budget of accesses lasts for"}};

outcome sequential_exhaustion_row(arguments in) {
    const auto share =
        sequential_exhaustion(in.number("a"), in.whole("d"), in.number("r"), in.number("gamma"));
    if (!share) return share.error();
    return values{*share};
}

constexpr catalog_parameter state_in[]{keys_per_block, fill, tables, table_h, table_p};
constexpr catalog_output state_out[]{{"accesses", "blocks/key", "blocks read so far, per key of the design"},
                                     {"overflow", "share", "keys in the list so far, per key of the design"},
                                     list_output("f", "share", "share of the blocks with load 0 .. h + 1")};

outcome sequential_state_row(arguments in) {
    const auto state =
        sequential_dynamics(in.number("r"), in.number("fill"), in.whole("d"), in.whole("h"), in.number("p"));
    if (!state) return state.error();
    return values{state->accesses, state->overflow, state->loads.loads};
}

constexpr char family[] = "balanced placement";
constexpr catalog_function functions[]{
    {"lower_bound", family, "The best load law that any balancing scheme can reach.",
     "balanced, theorem 1; variance: appendix C", bound_in, bound_out, lower_bound},
    {"lower_bound_cost", family, "The least mean cost of a block, for any convex cost of a load.",
     "balanced, theorem 1", cost_in, cost_out, lower_bound_cost},
    {"single", family, "Loads after x arrivals per block of the SINGLE scheme, and its query rules.",
     "balanced, theorem 2, section IX", single_in, single_out, single_row},
    {"single_coin", family, "The p of the SINGLE scheme that gives a share of blocks at load h + 1.",
     "balanced, theorem 2", coin_in, coin_out, single_coin_row},
    {"single_design", family, "The h and p of the SINGLE scheme that reach the lower bound.",
     "balanced, theorem 2", bound_in, scheme_out, single_design_row},
    {"sequential", family, "The SEQUENTIAL scheme that reaches the lower bound with the least overflow.",
     "balanced, theorem 4", sequential_in, sequential_out, sequential_row},
    {"sequential_time", family, "How many keys are in when the SEQUENTIAL scheme has read so many blocks.",
     "balanced, appendix A", time_in, time_out, sequential_time_row},
    {"sequential_exhaustion", family, "How many keys a budget of accesses lasts for (SEQUENTIAL).",
     "balanced, section IV", exhaustion_in, exhaustion_out, sequential_exhaustion_row},
    {"sequential_state", family, "Loads and overflow of the SEQUENTIAL scheme at any fill.",
     "balanced, appendix A", state_in, state_out, sequential_state_row},
};

}  // namespace

std::span<const catalog_function> placement_functions() { return functions; }

}  // namespace membrane::model::rows
