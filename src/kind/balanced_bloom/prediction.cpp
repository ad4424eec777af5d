#include "kind/balanced_bloom/prediction.hpp"

#include <algorithm>
#include <vector>

#include <membrane/kind/balanced_bloom/spec.hpp>
#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/sequential_bloom.hpp>

namespace membrane::plan {

namespace {

// The largest standard deviation of a rate (half of the filters 0, half 1): for filters too full for any model.
constexpr double most_scatter = 0.5;

std::uint64_t usable_bits(const filter_spec& spec) {
    return spec[balanced_field::block_bits] -
           model::state_bits(static_cast<model::query_rule>(spec[balanced_field::rule]),
                             spec[balanced_field::h(0)]);
}

}  // namespace

model::balanced_setup balanced_setup_of(const filter_spec& spec) {
    model::balanced_setup setup;
    setup.block_bits = spec[balanced_field::block_bits];
    setup.k = spec[balanced_field::k];
    setup.rule = static_cast<model::query_rule>(spec[balanced_field::rule]);
    setup.tries = spec[balanced_field::d];
    for (std::size_t i = 0; i < balanced_tables(spec); ++i)
        setup.tables.push_back(
            {static_cast<double>(spec[balanced_field::blocks(i)]), spec[balanced_field::h(i)],
             static_cast<double>(spec[balanced_field::p(i)]) / static_cast<double>(coin_unit)});
    setup.list_room = static_cast<double>(spec[balanced_field::list_slots]);
    if (has_access_budget(spec)) setup.budget = static_cast<double>(access_budget(spec));
    return setup;
}

bool never_refuses(const filter_spec& spec, std::uint64_t keys) {
    return balanced_tables(spec) == 1 && keys <= spec[balanced_field::h(0)];
}

double balanced_fpr(const filter_spec& spec, std::uint64_t keys) {
    if (keys == 0) return 0;
    if (never_refuses(spec, keys))
        return model::blocked_bloom_fpr(keys, spec[balanced_field::blocks(0)], usable_bits(spec),
                                        spec[balanced_field::k]);
    const auto state = model::balanced_process(static_cast<double>(keys), balanced_setup_of(spec));
    return state ? state->fpr : 1;
}

double balanced_fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    if (keys == 0) return 0;
    if (never_refuses(spec, keys))
        return model::blocked_bloom_fpr_stddev_between(keys, spec[balanced_field::blocks(0)],
                                                       usable_bits(spec), spec[balanced_field::k]);
    const model::balanced_setup setup = balanced_setup_of(spec);
    const model::balanced_bloom_spec block{setup.block_bits, setup.k, setup.rule, model::block_law::exact};
    if (setup.tables.size() == 1) {
        const auto state = model::balanced_process(static_cast<double>(keys), setup);
        if (!state) return most_scatter;
        const auto scatter =
            model::sequential_bloom_fpr_stddev_between(state->arrivals[0], setup.tries, setup.tables[0].h,
                                                       setup.tables[0].p, block, setup.tables[0].blocks);
        return scatter ? *scatter : most_scatter;
    }
    const double blocks = static_cast<double>(balanced_blocks(spec));
    std::vector<model::sub_table> tables;
    for (const model::process_table& table : setup.tables)
        tables.push_back({table.blocks / blocks, table.h, table.p});
    const auto scatter =
        model::balanced_bloom_fpr_stddev_between(static_cast<double>(keys) / blocks, 1, tables, block, keys);
    return scatter ? *scatter : most_scatter;
}

// Blocks are aligned to their size, and a word of the list is nearly always in the line of its home. A member reads what its
// insertion read, or less if a later key's bits cover it.
lookup_costs balanced_costs(const filter_spec& spec, std::uint64_t keys) {
    if (keys == 0 || never_refuses(spec, keys)) return one_line;
    const auto state = model::balanced_process(static_cast<double>(keys), balanced_setup_of(spec));
    if (!state) return one_line;
    const double worst = static_cast<double>(spec[balanced_field::d]) + 1;
    const double inserted = (state->accesses + state->listed) / static_cast<double>(keys);
    return {{state->negative_reads + state->negative_list_reads, worst},
            {std::max(1.0, inserted), worst},
            {std::max(1.0, inserted), worst}};
}

}  // namespace membrane::plan
