// The module's own commands, MBR.*: plans and statistics, merging, files, and the command that replicates links.
#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/plan.hpp"
#include "commands/shared.hpp"
#include "settings.hpp"
#include "stack_updates.hpp"

namespace membrane::redis::own {

namespace {

const char* role_name(stack_role role) {
    switch (role) {
        case stack_role::membership: return "BF";
        case stack_role::erasable: return "CF";
        case stack_role::counts: return "CMS";
    }
    return "";
}

// Reports read no filter as a whole, so that they take no longer for large ones. Beyond this size, the rate and the fill of kinds that
// count bits are those that are expected with its number of keys.
constexpr std::uint64_t most_counted_bytes = std::uint64_t{4} << 20;

double rate_now(const few_numbers& few) {
    return static_cast<double>(few.keys()) / static_cast<double>(few.universe());
}

double rate_now(const stack_link& link) {
    const any_filter& filter = link.filter;
    if (link.grows) {
        // Keys with the same number are few below the promise.
        const double universe = static_cast<double>(filter.universe());
        return -std::expm1(static_cast<double>(filter.keys()) * std::log1p(-1 / universe));
    }
    if (filter.size_bytes() <= most_counted_bytes) return filter.estimated_fpr_now();
    return filter.kind().plan.predicted_fpr(filter.spec(), filter.keys());
}

double fill_of(const stack_link& link) {
    const any_filter& filter = link.filter;
    if (!link.grows && filter.size_bytes() <= most_counted_bytes) return filter.fill();
    const std::uint64_t room = filter.spec().planned_keys;
    return room == 0 ? 0 : static_cast<double>(filter.keys()) / static_cast<double>(room);
}

// Cache lines that a lookup of a stranger reads, on average over a sample: the models of some kinds take seconds for some layouts.
double sampled_reads(const stack_link& link) {
    constexpr std::uint64_t samples = 1000;
    if (link.filter.is_growing()) return 1;
    std::uint64_t lines = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
        const auto read = link.filter.lookup_lines(link.filter.hash()(i));
        // Kinds without a trace, and filters that grow at the moment.
        if (!read) return 1;
        lines += *read;
    }
    return static_cast<double>(lines) / static_cast<double>(samples);
}

// Of a list of few numbers.
void reply_few(context* ctx, const few_numbers& few) {
    reply_map(ctx, 7);
    reply_pair(ctx, "kind", std::string_view("list of numbers"));
    reply_pair(ctx, "keys", few.keys());
    reply_pair(ctx, "capacity", few.promised_keys());
    reply_pair(ctx, "bytes", few.size_bytes());
    reply_pair(ctx, "fill",
               static_cast<double>(few.size_bytes()) / static_cast<double>(few_numbers::most_bytes));
    reply_pair(ctx, "error rate now", rate_now(few));
    reply_pair(ctx, "reads", 1.0);
}

void reply_link(context* ctx, const stack_link& link) {
    const any_filter& filter = link.filter;
    reply_map(ctx, 7);
    reply_pair(ctx, "kind", filter.kind().rules.name);
    reply_pair(ctx, "keys", filter.keys());
    reply_pair(ctx, "capacity", filter.promised_keys());
    reply_pair(ctx, "bytes", filter.size_bytes());
    reply_pair(ctx, "fill", fill_of(link));
    reply_pair(ctx, "error rate now", rate_now(link));
    reply_pair(ctx, "reads", sampled_reads(link));
}

// STATS key
void reply_stats(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack& stack = key.existing();
    const few_numbers* const few = stack.few();
    double error_now = few == nullptr ? 0 : rate_now(*few), lines_read = few == nullptr ? 0 : 1;
    for (const stack_link& link : stack.links()) {
        error_now += (1 - error_now) * rate_now(link);
        lines_read += sampled_reads(link);
    }
    reply_map(call.ctx, 10);
    reply_pair(call.ctx, "family", std::string_view(role_name(stack.options().role)));
    reply_pair(call.ctx, "keys", stack.keys());
    reply_pair(call.ctx, "capacity", stack.promised_keys());
    reply_pair(call.ctx, "memory bytes", stack.size_bytes());
    reply_pair(call.ctx, "expansion", stack.options().expansion);
    reply_pair(call.ctx, "error rate bound", stack.options().error_rate);
    reply_pair(call.ctx, "error rate now", error_now);
    reply_pair(call.ctx, "reads", lines_read);
    reply_pair(call.ctx, "hash", name_of(stack.hash().id));
    reply_text(call.ctx, "links");
    server.reply_array(call.ctx, static_cast<long>(stack.filters()));
    if (few != nullptr) reply_few(call.ctx, *few);
    for (const stack_link& link : stack.links()) reply_link(call.ctx, link);
}

void mexists(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    key.existing();
    reply_mexists(call, {});
}

void scandump(const command_call& call) { reply_image_chunk(call, {}); }
void loadchunk(const command_call& call) { load_image_chunk(call, {}); }

// The target is copied once, so that an error leaves it as it was.
void merge(const command_call& call) {
    opened_key target(call.ctx, call.key(), read_write_mode);
    filter_stack* const present = target.stack();
    const auto names = call.arguments_from(2);
    std::vector<const filter_stack*> sources;
    if (present != nullptr) sources.push_back(present);
    for (server_string* const name : names) {
        const opened_key source(call.ctx, name, read_mode);
        sources.push_back(&source.existing());
    }
    auto merged = filter_stack::copy_of(*sources.front());
    if (!merged) throw command_error{error_text("could not create filter", merged.error())};
    if (auto joined = merged->merge(std::span(sources).subspan(1)); !joined)
        throw command_error{error_text("cannot merge", joined.error())};
    if (merged->filter_bytes() > byte_limit(call.ctx))
        throw command_error{"ERR Insufficient memory: the merged filter has more than max-bytes"};
    if (present != nullptr) *present = std::move(*merged);
    else target.put(std::move(*merged));
    server.replicate_verbatim(call.ctx);
    server.notify(call.ctx, module_event, "filter.merge", call.key());
    reply_ok(call.ctx);
}

constexpr command_row rows[] = {
    {"plan", &run_command<reply_plan, -3>, -3, "readonly", key_use::none,
     "keys:int error_rate:double [ERASE] [COUNT] [MERGE]",
     "Which kind of filter fits a number of keys and an error rate", "O(1)"},
    row<reply_stats, 2>("stats", slow_read, key_use::reads, "key:key",
                        "Fill, error rate now and reads of a filter, link by link", "O(number of links)"),
    {"merge", &run_command<merge, -3>, -3, slow_write, key_use::merges_rest, "target:key source:key...",
     "Replaces a filter by the union of filters with equal spec and hash key", "O(size of the filters)"},
    row<mexists, -3>("mexists", slow_read, key_use::reads, "key:key item...",
                     "Whether keys may be in a filter of any family; an error if it does not exist",
                     "O(keys)"),
    row<reply_file_chunk, -3>("dump", slow_read, key_use::reads, "key:key iterator:int [LINK link:int]",
                              "The .mbr file of a filter, a chunk at a time", "O(chunk)"),
    row<load_file_chunk, 4>("load", slow_write, key_use::adds, "key:key iterator:int data",
                            "Loads a .mbr file in chunks", "O(chunk)"),
    row<scandump, 3>("scandump", slow_read, key_use::reads, "key:key iterator:int",
                     "A stack's bytes, a chunk at a time", "O(chunk)"),
    row<loadchunk, 4>("loadchunk", slow_write, key_use::adds, "key:key iterator:int data",
                      "Loads the chunks of SCANDUMP", "O(chunk)"),
    row<run_link_command, link_command_arity>(
        "link", slow_write, key_use::adds,
        "key:key role:int error_rate:double expansion:int first_keys:int bucket_size:int max_iterations:int "
        "has_given_kind:int hash hash_key kind planned_keys:int planned_fpr:double",
        "Creates a filter or its next link from a spec; for replication and AOF", "O(size of the link)"),
};

}  // namespace

std::span<const command_row> commands() { return rows; }

}  // namespace membrane::redis::own
