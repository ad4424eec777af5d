// The module's own commands, MBR.*: plans and statistics, merging, files, and the command that replicates links.
#include <optional>
#include <string_view>
#include <utility>

#include <membrane/runtime/planner.hpp>

#include "chain_updates.hpp"
#include "settings.hpp"
#include "shared_commands.hpp"

namespace membrane::redis::own {

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

// Cache lines that a lookup of a stranger reads. The number of keys is estimated from the payload, and limited: the header of a
// loaded filter can claim any number, and the time of the model may grow with it.
double predicted_reads(const any_filter& link) {
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
    reply_pair(ctx, "reads", predicted_reads(link));
}

// PLAN keys error_rate [ERASE] [COUNT] [MERGE]
void reply_plan(const command_call& call) {
    plan::requirement wanted;
    wanted.keys = read_count(call.argument(1), 1, max_planned_keys, "ERR bad capacity", "capacity");
    wanted.fpr = read_rate(call.argument(2), "ERR bad error rate");
    for (option_reader options(call.arguments_from(3)); !options.is_done();) {
        if (options.take("ERASE")) wanted.needs.erase = true;
        else if (options.take("COUNT")) wanted.needs.count = true;
        else if (options.take("MERGE")) wanted.needs.merge = true;
        else throw command_error{"ERR unknown argument received"};
    }
    const auto ranked = rank_kinds(wanted);
    if (!ranked) throw command_error{error_text("could not plan", ranked.error())};
    long fitting = 0;
    for (const plan::candidate& each : ranked->candidates) fitting += each.fits && each.filter ? 1 : 0;
    server.reply_array(call.ctx, fitting);
    for (const plan::candidate& each : ranked->candidates)
        if (each.fits && each.filter) reply_candidate(call.ctx, each);
}

// STATS key
void reply_stats(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_chain& chain = key.existing();
    double error_now = 0, lines_read = 0;
    for (const chain_link& link : chain.links()) {
        error_now += (1 - error_now) * link.filter.estimated_fpr_now();
        lines_read += predicted_reads(link.filter);
    }
    reply_map(call.ctx, 10);
    reply_pair(call.ctx, "family", std::string_view(role_name(chain.options().role)));
    reply_pair(call.ctx, "keys", chain.keys());
    reply_pair(call.ctx, "capacity", chain.planned_keys());
    reply_pair(call.ctx, "memory bytes", chain.memory_bytes());
    reply_pair(call.ctx, "expansion", chain.options().expansion);
    reply_pair(call.ctx, "error rate bound", chain.options().error_rate);
    reply_pair(call.ctx, "error rate now", error_now);
    reply_pair(call.ctx, "reads", lines_read);
    reply_pair(call.ctx, "hash", name_of(chain.hash().id));
    reply_text(call.ctx, "links");
    server.reply_array(call.ctx, static_cast<long>(chain.links().size()));
    for (const chain_link& link : chain.links()) reply_link(call.ctx, link.filter);
}

void mexists(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    key.existing();
    reply_mexists(call, {});
}

void scandump(const command_call& call) { reply_image_chunk(call, {}); }
void loadchunk(const command_call& call) { load_image_chunk(call, {}); }

void merge(const command_call& call) {
    opened_key target(call.ctx, call.key(), read_write_mode);
    filter_chain* const present = target.chain();
    std::optional<filter_chain> merged;
    const auto merge_in = [&](const filter_chain& source) {
        if (!merged) {
            auto copied = filter_chain::copy_of(source);
            if (!copied) throw command_error{error_text("could not create filter", copied.error())};
            merged = std::move(*copied);
        } else if (auto joined = merged->merge(source); !joined) {
            throw command_error{error_text("cannot merge", joined.error())};
        }
    };
    if (present != nullptr) merge_in(*present);
    for (server_string* const name : call.arguments_from(2)) {
        const opened_key source(call.ctx, name, read_mode);
        merge_in(source.existing());
    }
    if (present != nullptr) *present = std::move(*merged);
    else target.put(std::move(*merged));
    server.replicate_verbatim(call.ctx);
    server.notify(call.ctx, module_event, "filter.merge", call.key());
    reply_ok(call.ctx);
}

constexpr command_row rows[] = {
    {"PLAN", &run_command<reply_plan, -3>, -3, "readonly", 0, 0, 0,
     "Which kind of filter fits a number of keys and an error rate", "O(1)"},
    row<reply_stats, 2>("STATS", slow_read, "Fill, error rate now and reads of a filter, link by link",
                        "O(size of the filter)"),
    {"MERGE", &run_command<merge, -3>, -3, slow_write, 1, -1, 1,
     "Replaces a filter by the union of filters with equal spec and hash key", "O(size of the filters)"},
    row<mexists, -3>("MEXISTS", slow_read,
                     "Whether keys may be in a filter of any family; an error if it does not exist",
                     "O(keys)"),
    row<reply_file_chunk, -3>("DUMP", slow_read, "The .mbr file of a filter, a chunk at a time", "O(chunk)"),
    row<load_file_chunk, 4>("LOAD", slow_write, "Loads a .mbr file in chunks", "O(chunk)"),
    row<scandump, 3>("SCANDUMP", slow_read, "A chain's bytes, a chunk at a time", "O(chunk)"),
    row<loadchunk, 4>("LOADCHUNK", slow_write, "Loads the chunks of SCANDUMP", "O(chunk)"),
    row<run_link_command, link_command_arity>(
        "LINK", slow_write, "Creates a filter or its next link from a spec; for replication and AOF",
        "O(size of the link)"),
};

}  // namespace

std::span<const command_row> commands() { return rows; }

}  // namespace membrane::redis::own
