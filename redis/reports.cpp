#include "reports.hpp"

#include <membrane/runtime/planner.hpp>

#include "keys.hpp"
#include "settings.hpp"

namespace membrane::redis {

namespace {

void reply_candidate(context* ctx, const plan::candidate& each) {
    const plan::sized_filter& filter = *each.filter;
    reply_map(ctx, 6);
    reply_pair(ctx, "kind", each.kind);
    reply_pair(ctx, "bytes", filter.size_bytes);
    reply_pair(ctx, "bits per key", filter.bits_per_key);
    reply_pair(ctx, "error rate", filter.fpr);
    reply_pair(ctx, "reads", filter.reads.negative.average);
    reply_pair(ctx, "why", each.why);
}

const char* role_name(chain_role role) {
    switch (role) {
        case chain_role::membership: return "BF";
        case chain_role::erasable: return "CF";
        case chain_role::counts: return "CMS";
    }
    return "";
}

// For as many keys as the contents show: the number in the header of a loaded filter is whatever its maker wrote, and a model
// may take as long as it is large.
double reads_of(const any_filter& link) {
    const auto costs = link.kind().plan.predicted_costs;
    if (costs == nullptr) return 0;
    const double most = 8 * static_cast<double>(link.size_bytes());
    const double size = link.estimated_size();
    const auto keys = static_cast<std::uint64_t>(size >= 0 && size <= most ? size : most);
    return costs(link.spec(), keys).negative.average;
}

void reply_link(context* ctx, const any_filter& link) {
    reply_map(ctx, 7);
    reply_pair(ctx, "kind", link.kind().rules.name);
    reply_pair(ctx, "keys", link.keys());
    reply_pair(ctx, "capacity", link.spec().planned_keys);
    reply_pair(ctx, "bytes", link.size_bytes());
    reply_pair(ctx, "fill", link.fill());
    reply_pair(ctx, "error rate now", link.estimated_fpr_now());
    reply_pair(ctx, "reads", reads_of(link));
}

}  // namespace

void reply_plan(const request& asked) {
    plan::requirement wanted;
    wanted.keys = read_count(asked.word(1), 1, most_planned_keys, "ERR bad capacity", "capacity");
    wanted.fpr = read_rate(asked.word(2), "ERR bad error rate");
    for (word_reader words(asked.from(3)); !words.is_done();) {
        if (words.take("ERASE")) wanted.needs.erase = true;
        else if (words.take("COUNT")) wanted.needs.count = true;
        else if (words.take("MERGE")) wanted.needs.merge = true;
        else throw command_error{"ERR unknown argument received"};
    }
    const auto ranked = rank_kinds(wanted);
    if (!ranked) throw command_error{failure_text("could not plan", ranked.error())};
    long fitting = 0;
    for (const plan::candidate& each : ranked->candidates) fitting += each.fits && each.filter ? 1 : 0;
    server.reply_array(asked.ctx, fitting);
    for (const plan::candidate& each : ranked->candidates)
        if (each.fits && each.filter) reply_candidate(asked.ctx, each);
}

void reply_stats(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain* const chain = key.chain();
    if (chain == nullptr) throw command_error{"ERR not found"};
    double error_now = 0, lines_read = 0;
    for (const chain_link& link : chain->links()) {
        error_now += (1 - error_now) * link.filter.estimated_fpr_now();
        lines_read += reads_of(link.filter);
    }
    reply_map(asked.ctx, 10);
    reply_pair(asked.ctx, "family", std::string_view(role_name(chain->options().role)));
    reply_pair(asked.ctx, "keys", chain->keys());
    reply_pair(asked.ctx, "capacity", chain->planned_keys());
    reply_pair(asked.ctx, "memory bytes", chain->memory_bytes());
    reply_pair(asked.ctx, "expansion", chain->options().expansion);
    reply_pair(asked.ctx, "error rate bound", chain->options().error_rate);
    reply_pair(asked.ctx, "error rate now", error_now);
    reply_pair(asked.ctx, "reads", lines_read);
    reply_pair(asked.ctx, "hash", name_of(chain->hash().id));
    reply_text(asked.ctx, "links");
    server.reply_array(asked.ctx, static_cast<long>(chain->links().size()));
    for (const chain_link& link : chain->links()) reply_link(asked.ctx, link.filter);
}

}  // namespace membrane::redis
