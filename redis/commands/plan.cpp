// MBR.PLAN: which filter fits. Only kinds that are sized without the planner, so that the server does not wait; `membrane plan` ranks
// all kinds by their exact models.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <membrane/kind/balanced_rank/sizing.hpp>
#include <membrane/kind/blocked_bloom/sizing.hpp>
#include <membrane/kind/bloom/spec.hpp>
#include <membrane/kind/counting_bloom/spec.hpp>
#include <membrane/runtime/registry.hpp>

#include "commands/plan.hpp"
#include "settings.hpp"

namespace membrane::redis::own {

namespace {

struct plan_needs {
    bool erase = false, count = false, merge = false;
};

struct plan_candidate {
    std::string_view name;  // as KIND takes it, or the command
    filter_spec spec;
    double reads;  // cache lines of a stranger's lookup
    std::string_view why;
    std::uint64_t bytes = 0;
};

// A lookup goes on while it finds bits set, a cache line for each.
double bloom_reads(const filter_spec& spec, double keys) {
    const double probes = static_cast<double>(spec[flat_field::k]);
    const double fill = -std::expm1(-probes * keys / static_cast<double>(spec[flat_field::size]));
    return fill < 1 ? (1 - std::pow(fill, probes)) / (1 - fill) : probes;
}

// One line, and one of the second table for some.
double rank_reads(const filter_spec& spec, double keys) {
    const auto loads = layout_choice::loads_of(keys / static_cast<double>(spec[balanced_rank_field::lines]),
                                               static_cast<unsigned>(spec[balanced_rank_field::cells]));
    return 1 + loads.goes_on + loads.overflows / (2 * static_cast<double>(spec[balanced_rank_field::chains]));
}

void offer(std::vector<plan_candidate>& found, const plan_needs& needs, std::string_view name,
           const result<filter_spec>& spec, double (*reads)(const filter_spec&, double), double keys,
           std::string_view why) {
    if (!spec) return;
    const capabilities can = capabilities_of(*spec);
    if ((needs.erase && !can.erase) || (needs.count && !can.count) ||
        (needs.merge && !can.merge && !can.grow))
        return;
    const auto bytes = find_entry(spec->kind)->rules.payload_bytes(*spec);
    if (bytes) found.push_back({name, *spec, reads(*spec, keys), why, *bytes});
}

}  // namespace

// PLAN keys error_rate [ERASE] [COUNT] [MERGE]
void reply_plan(const command_call& call) {
    const std::uint64_t keys =
        read_count(call.argument(1), 1, max_planned_keys, "ERR bad capacity", "capacity");
    const double rate = read_rate(call.argument(2), "ERR bad error rate");
    plan_needs needs;
    for (option_reader options(call.arguments_from(3)); !options.is_done();) {
        if (options.take("ERASE")) needs.erase = true;
        else if (options.take("COUNT")) needs.count = true;
        else if (options.take("MERGE")) needs.merge = true;
        else throw command_error{"ERR unknown argument received"};
    }
    std::vector<plan_candidate> found;
    const double n = static_cast<double>(keys);
    offer(found, needs, "BF.RESERVE NONSCALING", balanced_rank_growable_spec_for(keys, rate), rank_reads, n,
          "keeps the error rate for these keys; merges with filters of any size");
    offer(found, needs, "balanced_rank:form=fixed", balanced_rank_fixed_spec_for(keys, rate), rank_reads, n,
          "the fewest bits in one cache line; does not grow");
    offer(found, needs, "CF.RESERVE", balanced_rank_erasable_spec_for(keys, rate), rank_reads, n,
          "keys can be erased and counted");
    offer(
        found, needs, "blocked_bloom", blocked_bloom_spec_for(keys, rate),
        [](const filter_spec&, double) { return 1.0; }, n,
        "one cache line a lookup; beyond its keys the error rate rises, and no key is refused");
    offer(found, needs, "bloom", bloom_spec_for(keys, rate), bloom_reads, n,
          "as other Bloom filters; beyond its keys the error rate rises, and no key is refused");
    offer(found, needs, "counting_bloom", counting_bloom_spec_for(keys, rate), bloom_reads, n,
          "a Bloom filter of counters: keys can be erased and counted");
    std::sort(found.begin(), found.end(),
              [](const plan_candidate& a, const plan_candidate& b) { return a.bytes < b.bytes; });
    server.reply_array(call.ctx, static_cast<long>(found.size()));
    for (const plan_candidate& each : found) {
        reply_map(call.ctx, 6);
        reply_pair(call.ctx, "kind", each.name);
        reply_pair(call.ctx, "bytes", each.bytes);
        reply_pair(call.ctx, "bits per key", 8 * static_cast<double>(each.bytes) / n);
        reply_pair(call.ctx, "error rate", rate);
        reply_pair(call.ctx, "reads", each.reads);
        reply_pair(call.ctx, "why", each.why);
    }
}

}  // namespace membrane::redis::own
