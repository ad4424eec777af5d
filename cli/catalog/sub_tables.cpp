// Catalogue rows: the multi-level scheme, at the design point and off it.
#include <membrane/model/balanced_bound.hpp>
#include <membrane/model/multi_level.hpp>

#include "model/domain.hpp"
#include "rows.hpp"
#include "tables.hpp"

namespace membrane::model::rows {

result<std::vector<sub_table>> tables_in(arguments in) {
    const auto shares = in.list("shares");
    const auto thresholds = in.list("h");
    const auto chances = in.list("p");
    if (thresholds.size() != shares.size()) return outside_domain("h", "as many values as shares");
    if (chances.size() != shares.size()) return outside_domain("p", "as many values as shares");
    double sum = 0;
    for (const double share : shares) sum += share;
    std::vector<sub_table> made;
    for (std::size_t j = 0; j < shares.size(); ++j) {
        if (thresholds[j] != std::floor(thresholds[j])) return outside_domain("h", "not a whole number");
        made.push_back({shares[j] / sum, static_cast<std::uint64_t>(thresholds[j]), chances[j]});
    }
    return made;
}

namespace {

constexpr catalog_output design_out[]{{"a", "blocks/key", "blocks read per inserted key"},
                                      {"q", "share", "share of a table's arrivals that it refuses"},
                                      {"gamma0", "share", "share of the keys that end in the list"},
                                      list_output("alpha", "share", "each table's share of the blocks"),
                                      whole_output("h", "keys", "load up to which a block takes every key"),
                                      {"p", "chance", "chance that a block of load h takes a key"}};

outcome values_of(const result<multi_level_design>& design) {
    if (!design) return design.error();
    return values{design->a, design->q, design->gamma0, design->alpha, of(design->h), design->p};
}

constexpr catalog_parameter design_in[]{accesses, tables, keys_per_block};
outcome multi_level_row(arguments in) {
    return values_of(multi_level(in.number("a"), in.whole("d"), in.number("r")));
}

constexpr catalog_parameter for_overflow_in[]{overflow_share, tables, keys_per_block};
outcome for_overflow_row(arguments in) {
    return values_of(multi_level_for_overflow(in.number("gamma"), in.whole("d"), in.number("r")));
}

constexpr catalog_parameter exhaustion_in[]{accesses, tables, overflow_share};
constexpr catalog_output exhaustion_out[]{
    {"t0", "share", "share of the keys that the budget of accesses lasts for"}};
outcome exhaustion_row(arguments in) {
    const auto share = multi_level_exhaustion(in.number("a"), in.whole("d"), in.number("gamma"));
    if (!share) return share.error();
    return values{*share};
}

constexpr catalog_output state_out[]{
    list_output("reached", "share", "share of the keys that arrive at each table, and at the list"),
    {"overflow", "share", "share of the keys in the list"},
    {"insertion_reads", "blocks/key", "blocks read per inserted key"},
    list_output("mean", "keys/block", "mean load in each table"),
    list_output("variance", "keys^2", "variance of the load in each table"),
    list_output("refusal", "chance", "chance that each table refuses the next arrival")};

outcome state_of(double r, double filled, std::span<const sub_table> of_tables) {
    const auto state = multi_level_dynamics(r, filled, of_tables);
    if (!state) return state.error();
    std::vector<double> means, variances, refusals;
    for (const single_state& table : state->tables) {
        means.push_back(mean_load(table.loads));
        variances.push_back(load_variance(table.loads));
        refusals.push_back(table.refusal);
    }
    return values{state->reached, state->overflow, state->insertion_reads, means, variances, refusals};
}

constexpr catalog_parameter at_in[]{accesses, tables, keys_per_block, fill};
outcome at_row(arguments in) {
    const auto design = multi_level(in.number("a"), in.whole("d"), in.number("r"));
    if (!design) return design.error();
    return state_of(in.number("r"), in.number("fill"), tables_of(*design));
}

constexpr catalog_parameter any_in[]{keys_per_block, fill, table_shares, table_thresholds, table_chances};
outcome any_row(arguments in) {
    const auto made = tables_in(in);
    if (!made) return made.error();
    return state_of(in.number("r"), in.number("fill"), *made);
}

constexpr char family[] = "balanced placement";
constexpr catalog_function functions[]{
    {"multi_level", family, "The multi-level design with so many accesses per key.",
     "balanced, theorem 5; closed form our own", design_in, design_out, multi_level_row},
    {"multi_level_for_overflow", family, "The multi-level design with a given share of keys in the list.",
     "balanced, theorem 5", for_overflow_in, design_out, for_overflow_row},
    {"multi_level_exhaustion", family, "How many keys a budget of accesses lasts for (multi-level).",
     "balanced, section VI", exhaustion_in, exhaustion_out, exhaustion_row},
    {"multi_level_at", family, "Overflow, reads and loads of the multi-level design at any fill.",
     "balanced, theorem 6", at_in, state_out, at_row},
    {"multi_level_tables", family, "Overflow, reads and loads of any sub-tables at any fill.",
     "balanced, theorem 6", any_in, state_out, any_row},
};

}  // namespace

std::span<const catalog_function> sub_table_functions() { return functions; }

}  // namespace membrane::model::rows
