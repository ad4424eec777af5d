// CF.*: keys that can be taken out again and counted. No cuckoo filter behind it, but entries of rank-indexed lines: an
// insertion does not fail at high load, and erasing what was inserted never hides another key.
#include "additions.hpp"
#include "families.hpp"
#include "membership.hpp"
#include "settings.hpp"
#include "transfer.hpp"

namespace membrane::redis {

namespace {

constexpr char added_event[] = "cuckoo.add";
constexpr char erased_event[] = "cuckoo.del";
constexpr char reserved_event[] = "cuckoo.reserve";

chain_request default_request() {
    chain_request wanted;
    wanted.options = default_cf_options();
    return wanted;
}

std::uint32_t read_small(word_reader& words, std::uint64_t least, std::uint64_t most,
                         const char* not_a_number, const char* name) {
    return static_cast<std::uint32_t>(read_count(words.value(not_a_number), least, most, not_a_number, name));
}

void reserve(const request& asked) {
    chain_request wanted = default_request();
    chain_options& options = wanted.options;
    options.first_keys = read_count(asked.word(2), 1, most_planned_keys, "Bad capacity", "capacity");
    for (word_reader words(asked.from(3)); !words.is_done();) {
        if (words.take("BUCKETSIZE"))
            options.bucket_size = read_small(words, 1, 255, "Couldn't parse BUCKETSIZE", "BUCKETSIZE");
        else if (words.take("MAXITERATIONS"))
            options.max_iterations =
                read_small(words, 1, 65535, "Couldn't parse MAXITERATIONS", "MAXITERATIONS");
        else if (words.take("EXPANSION"))
            options.expansion = read_small(words, 0, most_expansion, "Couldn't parse EXPANSION", "EXPANSION");
        else if (words.take("ERROR"))
            options.error_rate = read_rate(words.value("Bad error rate"), "Bad error rate");
        else if (!take_hash_key(words, wanted)) throw command_error{"Unknown argument received"};
    }
    if (options.first_keys < 2 * std::uint64_t{options.bucket_size})
        throw command_error{"Capacity must be in the range [2 * BUCKETSIZE, " +
                            std::to_string(most_planned_keys) + "]"};
    opened_key key(asked.ctx, asked.key(), both_modes);
    if (!key.is_empty()) throw command_error{"ERR item exists"};
    make_chain(asked, key, wanted, reserved_event);
    reply_ok(asked.ctx);
}

filter_chain& existing_or_new(const request& asked, opened_key& key, const chain_request& wanted) {
    filter_chain* const found = key.chain(chain_role::erasable);
    return found != nullptr ? *found : make_chain(asked, key, wanted, reserved_event);
}

enum class repeated : bool { add, skip };

bool add_to(additions& adding, text* item, repeated again) {
    return again == repeated::add ? adding.add(item) : adding.add_if_absent(item);
}

template <repeated Again>
void add(const request& asked) {
    opened_key key(asked.ctx, asked.key(), both_modes);
    additions adding(asked, existing_or_new(asked, key, default_request()), command_keys::one);
    const bool is_added = add_to(adding, asked.words[2], Again);
    adding.finish(added_event);
    reply_bool(asked.ctx, is_added);
}

// 1, 0, or -1 for a key that found no room; INSERT answers with booleans where the protocol has them.
void reply_insertion(context* ctx, repeated again, int answer) {
    const bool has_booleans = (server.context_flags(ctx) & has_resp3_flag) != 0;
    if (again == repeated::add && has_booleans) reply_bool(ctx, answer == 1);
    else server.reply_integer(ctx, answer);
}

template <repeated Again>
void insert(const request& asked) {
    chain_request wanted = default_request();
    bool may_create = true;
    word_reader words(asked.from(2));
    while (!words.take("ITEMS")) {
        if (words.is_done()) {
            server.wrong_arity(asked.ctx);
            return;
        }
        if (words.take("CAPACITY"))
            wanted.options.first_keys =
                read_count(words.value("Bad capacity"), 1, most_planned_keys, "Bad capacity", "capacity");
        else if (words.take("NOCREATE")) may_create = false;
        else throw command_error{"Unknown argument received"};
    }
    const auto items = words.rest();
    if (items.empty()) {
        server.wrong_arity(asked.ctx);
        return;
    }
    opened_key key(asked.ctx, asked.key(), both_modes);
    if (!may_create) key.existing(chain_role::erasable);
    additions adding(asked, existing_or_new(asked, key, wanted), command_keys::several);
    server.reply_array(asked.ctx, static_cast<long>(items.size()));
    for (text* const item : items) {
        int answer = -1;
        try {
            answer = add_to(adding, item, Again) ? 1 : 0;
        } catch (const command_error&) {
            // Told as -1; the keys behind it are tried too, since they may be there already.
        }
        reply_insertion(asked.ctx, Again, answer);
    }
    adding.finish(added_event);
}

void exists(const request& asked) { reply_exists(asked, chain_role::erasable); }
void mexists(const request& asked) { reply_mexists(asked, chain_role::erasable); }

void del(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), both_modes);
    filter_chain& chain = key.existing(chain_role::erasable, "Not found");
    const bool is_erased = chain.erase(chain.hash()(asked.word(2)));
    if (is_erased) {
        server.replicate_verbatim(asked.ctx);
        server.notify(asked.ctx, module_event, erased_event, asked.key());
    }
    reply_bool(asked.ctx, is_erased);
}

void count(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain* const chain = key.chain(chain_role::erasable);
    reply_number(asked.ctx, chain == nullptr ? 0 : chain->estimate(chain->hash()(asked.word(2))));
}

std::uint64_t bucket_count(const filter_chain& chain) {
    std::uint64_t buckets = 0;
    for (const chain_link& link : chain.links()) buckets += (link.filter.size_bytes() + 63) / 64;
    return buckets;
}

void info(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain& chain = key.existing(chain_role::erasable);
    reply_map(asked.ctx, 8);
    reply_pair(asked.ctx, "Size", chain.memory_bytes());
    reply_pair(asked.ctx, "Number of buckets", bucket_count(chain));
    reply_pair(asked.ctx, "Number of filters", std::uint64_t{chain.links().size()});
    reply_pair(asked.ctx, "Number of items inserted", chain.keys());
    reply_pair(asked.ctx, "Number of items deleted", chain.erased());
    reply_pair(asked.ctx, "Bucket size", std::uint64_t{chain.options().bucket_size});
    reply_pair(asked.ctx, "Expansion rate", chain.options().expansion);
    reply_pair(asked.ctx, "Max iterations", std::uint64_t{chain.options().max_iterations});
}

void scandump(const request& asked) { reply_image_part(asked, chain_role::erasable); }
void loadchunk(const request& asked) { take_image_part(asked, chain_role::erasable); }

constexpr command_row rows[] = {
    row<reserve, -3>("CF.RESERVE", writes_much, "Creates an empty filter for a number of keys",
                     "O(size of the filter)"),
    row<add<repeated::add>, 3>("CF.ADD", writes, "Adds a key, once more if it is there already", "O(1)"),
    row<add<repeated::skip>, 3>("CF.ADDNX", writes, "Adds a key unless it may be there already", "O(1)"),
    row<insert<repeated::add>, -4>("CF.INSERT", writes_much, "Adds keys to a filter that may be created",
                                   "O(keys)"),
    row<insert<repeated::skip>, -4>("CF.INSERTNX", writes_much, "Adds the keys that are not there yet",
                                    "O(keys)"),
    row<exists, 3>("CF.EXISTS", reads, "Whether a key may be present", "O(1)"),
    row<mexists, -3>("CF.MEXISTS", reads_much, "Whether keys may be present", "O(keys)"),
    row<del, 3>("CF.DEL", removes, "Takes a key out once; only for keys that were added", "O(1)"),
    row<count, 3>("CF.COUNT", reads, "How often a key was added, or more", "O(1)"),
    row<info, 2>("CF.INFO", reads, "Tells about a filter", "O(1)"),
    row<scandump, 3>("CF.SCANDUMP", reads_much, "The filter's bytes, a chunk at a time", "O(chunk)"),
    row<loadchunk, 4>("CF.LOADCHUNK", writes_much, "Takes the chunks of SCANDUMP", "O(chunk)"),
};

}  // namespace

chain_options default_cf_options() {
    return {.role = chain_role::erasable,
            .error_rate = settings.cf_error_rate,
            .expansion = settings.cf_expansion,
            .first_keys = settings.cf_initial_size,
            .bucket_size = 2,
            .max_iterations = 20};
}

std::span<const command_row> cf_commands() { return rows; }

}  // namespace membrane::redis
