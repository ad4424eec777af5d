// The module's own commands, behind its prefix: files in and out, merging, and how replicas learn of links.
#include "chain_making.hpp"
#include "families.hpp"
#include "link_text.hpp"
#include "membership.hpp"
#include "reports.hpp"
#include "sketch_key.hpp"
#include "transfer.hpp"

namespace membrane::redis {

namespace {

void mexists(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    if (key.chain() == nullptr) throw command_error{"ERR not found"};
    reply_mexists(asked, {});
}

void scandump(const request& asked) { reply_image_part(asked, {}); }
void loadchunk(const request& asked) { take_image_part(asked, {}); }
void dump(const request& asked) { reply_file_part(asked); }
void load(const request& asked) { take_file_part(asked); }

// Makes a chain or its next link exactly as told.
void link(const request& asked) {
    const link_request wanted = read_link(asked);
    opened_key key(asked.ctx, asked.key(), both_modes);
    const std::uint64_t limit = byte_limit(asked.ctx);
    filter_chain* const chain = key.chain();
    if (chain == nullptr) {
        const filter_chain& made =
            make_chain(asked, key, wanted.options, wanted.spec, wanted.hash, "filter.link");
        if (limit == no_byte_limit) note_sketch_key(made);
        reply_ok(asked.ctx);
        return;
    }
    if (!(chain->options() == wanted.options)) throw command_error{"ERR the chain is of another make"};
    if (auto grown = chain->append(wanted.spec, wanted.hash, limit); !grown)
        throw command_error{failure_text("could not create filter", grown.error())};
    replicate_link(asked.ctx, asked.key(), *chain);
    server.notify(asked.ctx, module_event, "filter.link", asked.key());
    reply_ok(asked.ctx);
}

void merge(const request& asked) {
    opened_key target(asked.ctx, asked.key(), both_modes);
    filter_chain* const present = target.chain();
    std::optional<filter_chain> merged;
    const auto take = [&](const filter_chain& source) {
        if (!merged) {
            auto copied = filter_chain::copy_of(source);
            if (!copied) throw command_error{failure_text("could not create filter", copied.error())};
            merged = std::move(*copied);
        } else if (auto joined = merged->merge(source); !joined) {
            throw command_error{failure_text("cannot merge", joined.error())};
        }
    };
    if (present != nullptr) take(*present);
    for (text* const name : asked.from(2)) {
        const opened_key source(asked.ctx, name, read_mode);
        const filter_chain* const chain = source.chain();
        if (chain == nullptr) throw command_error{"ERR not found"};
        take(*chain);
    }
    if (present != nullptr) *present = std::move(*merged);
    else target.put(std::move(*merged));
    server.replicate_verbatim(asked.ctx);
    server.notify(asked.ctx, module_event, "filter.merge", asked.key());
    reply_ok(asked.ctx);
}

constexpr command_row rows[] = {
    {"PLAN", &run<reply_plan, -3>, -3, "readonly", 0, 0, 0,
     "Which kind of filter fits a number of keys and an error rate", "O(1)"},
    row<reply_stats, 2>("STATS", reads_much, "Fill, error rate now and reads of a filter, link by link",
                        "O(size of the filter)"),
    {"MERGE", &run<merge, -3>, -3, writes_much, 1, -1, 1, "Makes the union of filters of one make",
     "O(size of the filters)"},
    row<mexists, -3>("MEXISTS", reads_much,
                     "Whether keys may be in a filter of any family, which must be there", "O(keys)"),
    row<dump, -3>("DUMP", reads_much, "The .mbr file of a filter, a chunk at a time", "O(chunk)"),
    row<load, 4>("LOAD", writes_much, "Takes a .mbr file in chunks", "O(chunk)"),
    row<scandump, 3>("SCANDUMP", reads_much, "A chain's bytes, a chunk at a time", "O(chunk)"),
    row<loadchunk, 4>("LOADCHUNK", writes_much, "Takes the chunks of SCANDUMP", "O(chunk)"),
    row<link, link_command_words>("LINK", writes_much, "Makes a filter, or the next link of one, as told",
                                  "O(size of the link)"),
};

}  // namespace

std::span<const command_row> own_commands() { return rows; }

}  // namespace membrane::redis
