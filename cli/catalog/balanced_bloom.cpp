// Catalogue rows: the balanced Bloom filter.
#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/balanced_optimum.hpp>
#include <membrane/model/sequential_bloom.hpp>

#include "rows.hpp"
#include "tables.hpp"

namespace membrane::model::rows {

namespace {

constexpr std::string_view rules[]{"load", "coin", "flag", "flag_coin"};
constexpr std::string_view laws[]{"exact", "approximate"};
constexpr catalog_parameter rule = choice("rule", "when a query reads on", rules, 3);
constexpr catalog_parameter law =
    choice("law", "rate of a block: its occupancy law, or the report's (1 - e^(-k load / bits))^k", laws, 0);
constexpr catalog_parameter best_probes = probes.may_be_left_out();
constexpr catalog_parameter key_count =
    whole("n", "keys", "number of keys, for the deviation between filters", 1, 1e12).may_be_left_out();

constexpr catalog_output rates_out[]{
    {"fpr", "rate", "false positive rate"},
    {"fpr_stddev", "rate", "deviation of one filter's own rate from filter to filter; null without n"},
    {"fpr_union", "rate", "upper bound: reading on counted also where a block has hit"},
    {"negative_reads", "blocks", "blocks read by the query of a stranger"},
    {"list_reads", "lookups", "lookups in the list by the query of a stranger"},
    {"positive_reads", "blocks", "blocks read by the query of a key"},
    {"positive_list_reads", "lookups", "lookups in the list by the query of a key"},
    {"insertion_reads", "blocks", "blocks read per inserted key"},
    {"overflow", "share", "share of the keys in the list"},
    {"total_bits_per_key", "bits/key", "blocks, and 64 bits for each key in the list"},
    {"block_fpr", "rate", "rate of a block of the first table"},
    {"continues", "chance", "chance that a block of the first table sends a stranger on"},
    whole_output("k", "bits", "bits that a key sets; the best if none was given"),
    list_output("h", "keys", "load up to which a block takes every key, for each table"),
    list_output("p", "chance", "chance that a block of load h takes a key, for each table"),
    list_output("state_bits", "bits", "bits of a block that are not Bloom filter, for each table")};

outcome rates_of(arguments in, double r, std::span<const sub_table> of_tables) {
    const double filled = in.number("fill");
    balanced_bloom_spec spec{in.whole("block_bits"), 1, in.choice<query_rule>("rule"),
                             in.choice<block_law>("law")};
    if (in.has("k")) {
        spec.k = in.whole("k");
    } else {
        const auto best = balanced_bloom_best_k(r, filled, of_tables, spec);
        if (!best) return best.error();
        spec.k = *best;
    }
    const auto rates = balanced_bloom(r, filled, of_tables, spec);
    if (!rates) return rates.error();
    catalog_value stddev;
    if (in.has("n")) {
        const auto found = balanced_bloom_fpr_stddev_between(r, filled, of_tables, spec, in.whole("n"));
        if (!found) return found.error();
        stddev = *found;
    }
    std::vector<double> thresholds, chances, states;
    for (const sub_table& table : of_tables) {
        thresholds.push_back(static_cast<double>(table.h));
        chances.push_back(table.p);
        states.push_back(static_cast<double>(state_bits(spec.rule, table.h)));
    }
    return values{rates->fpr,
                  stddev,
                  rates->fpr_union,
                  rates->negative_reads,
                  rates->negative_list_reads,
                  rates->positive_reads,
                  rates->positive_list_reads,
                  rates->insertion_reads,
                  rates->overflow,
                  rates->bits_per_key,
                  rates->block_fpr,
                  rates->goes_on,
                  of(spec.k),
                  thresholds,
                  chances,
                  states};
}

constexpr catalog_parameter design_in[]{
    bits_per_key, block_bits, accesses.otherwise(1.2), tables.otherwise(3), best_probes, rule, law,
    fill,         key_count};
outcome design_row(arguments in) {
    const double r = static_cast<double>(in.whole("block_bits")) / in.number("bits_per_key");
    const auto design = multi_level(in.number("a"), in.whole("d"), r);
    if (!design) return design.error();
    return rates_of(in, r, tables_of(*design));
}

constexpr catalog_parameter overflow_in[]{
    bits_per_key, block_bits, overflow_share, tables.otherwise(1), best_probes, rule, law, fill, key_count};
outcome overflow_row(arguments in) {
    const double r = static_cast<double>(in.whole("block_bits")) / in.number("bits_per_key");
    const auto design = multi_level_for_overflow(in.number("gamma"), in.whole("d"), r);
    if (!design) return design.error();
    return rates_of(in, r, tables_of(*design));
}

constexpr catalog_parameter tables_row_in[]{bits_per_key,  block_bits,  table_shares, table_thresholds,
                                            table_chances, best_probes, rule,         law,
                                            fill,          key_count};
outcome tables_row(arguments in) {
    const auto made = tables_in(in);
    if (!made) return made.error();
    return rates_of(in, static_cast<double>(in.whole("block_bits")) / in.number("bits_per_key"), *made);
}

constexpr catalog_parameter sequential_in[]{bits_per_key, block_bits, tables, table_h, table_p,
                                            probes,       rule,       law,    fill};
constexpr catalog_output sequential_out[]{
    {"fpr", "rate", "false positive rate"},
    {"negative_reads", "blocks", "blocks read by the query of a stranger"},
    {"list_reads", "lookups", "lookups in the list by the query of a stranger"},
    {"positive_reads", "blocks", "blocks read by the query of a key"},
    {"insertion_reads", "blocks", "blocks read per inserted key"},
    {"overflow", "share", "share of the keys in the list"},
    {"total_bits_per_key", "bits/key", "blocks, and 64 bits for each key in the list"}};
outcome sequential_row(arguments in) {
    const balanced_bloom_spec spec{in.whole("block_bits"), in.whole("k"), in.choice<query_rule>("rule"),
                                   in.choice<block_law>("law")};
    const double r = static_cast<double>(spec.block_bits) / in.number("bits_per_key");
    const auto rates =
        sequential_bloom(r, in.number("fill"), in.whole("d"), in.whole("h"), in.number("p"), spec);
    if (!rates) return rates.error();
    return values{rates->fpr,
                  rates->negative_reads,
                  rates->negative_list_reads,
                  rates->positive_reads,
                  rates->insertion_reads,
                  rates->overflow,
                  rates->bits_per_key};
}

constexpr catalog_parameter optimum_in[]{
    number("bits_per_key", "bits/key", "size of the filter, blocks and list", 4, 64),
    whole("block_bits", "bits", "size of a block", 64, 1024).otherwise(512),
    number("most_negative_reads", "reads", "bound on blocks and list lookups of a stranger's query", 1, 64)
        .otherwise(1.5),
    rule, whole("most_tables", "tables", "bound on the number of tables", 1, 8).otherwise(4)};
constexpr catalog_output optimum_out[]{
    {"fpr", "rate", "false positive rate"},
    whole_output("d", "tables", "number of tables"),
    list_output("shares", "share", "each table's share of the blocks"),
    list_output("h", "keys", "load up to which a block takes every key, for each table"),
    list_output("p", "chance", "chance that a block of load h takes a key, for each table"),
    whole_output("k", "bits", "bits that a key sets"),
    {"keys_per_block", "keys/block", "keys per block"},
    {"negative_reads", "blocks", "blocks read by the query of a stranger"},
    {"list_reads", "lookups", "lookups in the list by the query of a stranger"},
    {"positive_reads", "blocks", "blocks read by the query of a key"},
    {"insertion_reads", "blocks", "blocks read per inserted key"},
    {"overflow", "share", "share of the keys in the list"},
    {"closed_form_fpr", "rate", "the best closed-form design under the same bounds"}};
outcome optimum_row(arguments in) {
    const auto best = optimize_balanced_bloom({in.number("bits_per_key"), in.whole("block_bits"),
                                               in.number("most_negative_reads"),
                                               in.choice<query_rule>("rule"), in.whole("most_tables")});
    if (!best) return best.error();
    std::vector<double> shares, thresholds, chances;
    for (const sub_table& table : best->tables) {
        shares.push_back(table.share);
        thresholds.push_back(static_cast<double>(table.h));
        chances.push_back(table.p);
    }
    return values{best->rates.fpr,
                  of(best->tables.size()),
                  shares,
                  thresholds,
                  chances,
                  of(best->k),
                  best->keys_per_block,
                  best->rates.negative_reads,
                  best->rates.negative_list_reads,
                  best->rates.positive_reads,
                  best->rates.insertion_reads,
                  best->rates.overflow,
                  best->closed_form_fpr};
}

constexpr catalog_parameter block_in[]{whole("load", "keys", "keys in the block", 0, 65536),
                                       whole("bits", "bits", "bits of its Bloom filter", 1, 65536), probes,
                                       law};
constexpr catalog_output block_out[]{{"fpr", "rate", "false positive rate of the block"}};
outcome block_row(arguments in) {
    const auto found =
        block_fpr(in.whole("load"), in.whole("bits"), in.whole("k"), in.choice<block_law>("law"));
    if (!found) return found.error();
    return values{*found};
}

constexpr char family[] = "balanced Bloom filter";
constexpr catalog_function functions[]{
    {"balanced_bloom", family, "Rate and reads of the multi-level design over Bloom blocks.",
     "balanced, section IX, with all four query rules", design_in, rates_out, design_row},
    {"balanced_bloom_for_overflow", family,
     "The same with a given share of keys in the list (d = 1: SINGLE).", "balanced, section IX", overflow_in,
     rates_out, overflow_row},
    {"balanced_bloom_tables", family, "Rate and reads of any sub-tables over Bloom blocks.",
     "balanced, section IX and theorem 6", tables_row_in, rates_out, tables_row},
    {"sequential_bloom", family, "Rate and reads of the SEQUENTIAL scheme over Bloom blocks.",
     "balanced, section IX; our own", sequential_in, sequential_out, sequential_row},
    {"balanced_bloom_best", family,
     "The balanced Bloom filter of least rate for a size and a bound on reads.", "our own optimum",
     optimum_in, optimum_out, optimum_row},
    {"block_fpr", family, "Rate of one Bloom block that holds so many keys.", "balanced, section IX",
     block_in, block_out, block_row},
};

}  // namespace

std::span<const catalog_function> balanced_bloom_functions() { return functions; }

}  // namespace membrane::model::rows
