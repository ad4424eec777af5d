// TOPK.*: the most frequent items of a stream. Arguments and replies are those of RedisBloom; the counts are those of a count-min
// sketch, which never forgets, so that no frequent item is missed.
#include <optional>
#include <string>
#include <vector>

#include "settings.hpp"
#include "stack_updates.hpp"

namespace membrane::redis::topk {

namespace {

constexpr char missing_key[] = "TopK: key does not exist";
constexpr char counted_event[] = "topk.add";

std::uint64_t read_size(std::string_view text, std::uint64_t most, const char* invalid) {
    const auto number = number_from<std::int64_t>(text);
    if (!number || *number < 1 || static_cast<std::uint64_t>(*number) > most) throw command_error{invalid};
    return static_cast<std::uint64_t>(*number);
}

// RESERVE key k [width depth decay] [HASHKEY hex]
void reserve(const command_call& call) {
    topk_options options;
    options.k = read_size(call.argument(2), topk_options::most_k, "TopK: invalid k");
    stack_request wanted;
    std::size_t next = 3;
    if (call.arguments.size() > 3 && !is_word(call.argument(3), "HASHKEY")) {
        if (call.arguments.size() < 6) {
            server.wrong_arity(call.ctx);
            return;
        }
        options.width = read_size(call.argument(3), topk_options::most_width, "TopK: invalid width");
        options.depth = read_size(call.argument(4), topk_options::most_depth, "TopK: invalid depth");
        const auto decay = number_from<double>(call.argument(5));
        if (!decay || !(*decay > 0 && *decay <= 1))
            throw command_error{"TopK: invalid decay value. must be '<= 1' & '> 0'"};
        options.decay = *decay;
        next = 6;
    }
    option_reader rest(call.arguments_from(next));
    if (!rest.is_done() && !take_hash_key(rest, wanted.key)) throw command_error{"TopK: unknown argument"};
    if (!rest.is_done()) {
        server.wrong_arity(call.ctx);
        return;
    }
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (!key.is_empty()) throw command_error{"TopK: key already exists"};
    const auto hash = new_filter_key(wanted.key);
    if (!hash) throw command_error{error_text("could not create filter", hash.error())};
    auto made = topk_sketch::create(options, {hash_id::siphash13, *hash}, byte_limit(call.ctx));
    if (!made) throw_creation_error(made.error());
    key.put(std::move(*made));
    // With the hash key, so that replicas drop the same items.
    server.replicate(call.ctx, command_name("TOPK.RESERVE").c_str(), "slllccc", call.key(),
                     static_cast<long long>(options.k), static_cast<long long>(options.width),
                     static_cast<long long>(options.depth), exact_text(options.decay).c_str(), "HASHKEY",
                     to_hex(*hash).c_str());
    server.notify(call.ctx, module_event, "topk.reserve", call.key());
    reply_ok(call.ctx);
}

struct addition {
    server_string* item;
    std::uint64_t times;
};

// Replies with the items that left the list. An item that cannot be counted gets an error; only the others are replicated.
void add_all(const command_call& call, const std::vector<addition>& additions) {
    const opened_key key(call.ctx, call.key(), read_write_mode);
    topk_sketch& sketch = key.topk(missing_key);
    const std::uint64_t limit = byte_limit(call.ctx);
    server.reply_array(call.ctx, static_cast<long>(additions.size()));
    std::vector<std::string> counts;
    std::vector<const addition*> counted;
    for (const addition& each : additions) {
        const auto dropped = sketch.add(view_of(each.item), each.times, limit);
        if (!dropped) {
            reply_error(call.ctx, "TopK: the item cannot be counted: " + describe(dropped.error()));
            continue;
        }
        counted.push_back(&each);
        if (*dropped) reply_text(call.ctx, **dropped);
        else server.reply_null(call.ctx);
    }
    if (counted.empty()) return;
    if (counted.size() == additions.size()) {
        server.replicate_verbatim(call.ctx);
    } else {
        for (const addition* const each : counted)
            server.replicate(call.ctx, command_name("TOPK.INCRBY").c_str(), "ssl", call.key(), each->item,
                             static_cast<long long>(each->times));
    }
    server.notify(call.ctx, module_event, counted_event, call.key());
}

void add(const command_call& call) {
    std::vector<addition> additions;
    for (server_string* const item : call.arguments_from(2)) additions.push_back({item, 1});
    add_all(call, additions);
}

void incrby(const command_call& call) {
    constexpr std::int64_t most_times = 100000;
    const auto pairs = call.arguments_from(2);
    if (pairs.size() % 2 != 0) {
        server.wrong_arity(call.ctx);
        return;
    }
    std::vector<addition> additions;
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        const auto times = number_from<std::int64_t>(view_of(pairs[i + 1]));
        if (!times || *times < 1 || *times > most_times)
            throw command_error{
                "TopK: increment must be an integer greater or equal to 1 and smaller or equal to 100,000"};
        additions.push_back({pairs[i], static_cast<std::uint64_t>(*times)});
    }
    add_all(call, additions);
}

void query(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const topk_sketch& sketch = key.topk(missing_key);
    const auto items = call.arguments_from(2);
    server.reply_array(call.ctx, static_cast<long>(items.size()));
    for (server_string* const item : items) reply_bool(call.ctx, sketch.is_listed(view_of(item)));
}

void count(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const topk_sketch& sketch = key.topk(missing_key);
    const auto items = call.arguments_from(2);
    server.reply_array(call.ctx, static_cast<long>(items.size()));
    for (server_string* const item : items) reply_number(call.ctx, sketch.count_of(view_of(item)));
}

void list(const command_call& call) {
    const bool has_counts = call.arguments.size() == 3;
    if (call.arguments.size() > 3 || (has_counts && !is_word(call.argument(2), "WITHCOUNT"))) {
        if (call.arguments.size() > 3) server.wrong_arity(call.ctx);
        else throw command_error{"WITHCOUNT keyword expected"};
        return;
    }
    const opened_key key(call.ctx, call.key(), read_mode);
    const auto items = key.topk(missing_key).sorted();
    server.reply_array(call.ctx, static_cast<long>(items.size() * (has_counts ? 2 : 1)));
    for (const topk_sketch::item* const each : items) {
        reply_text(call.ctx, each->text);
        if (has_counts) reply_number(call.ctx, each->count);
    }
}

void info(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const topk_options& options = key.topk(missing_key).options();
    reply_map(call.ctx, 4);
    reply_pair(call.ctx, "k", options.k);
    reply_pair(call.ctx, "width", options.width);
    reply_pair(call.ctx, "depth", options.depth);
    reply_pair(call.ctx, "decay", options.decay);
}

constexpr command_row rows[] = {
    row<reserve, -3>("topk.reserve", slow_write, key_use::creates,
                     "key:key k:int [width:int depth:int decay:double] [HASHKEY digits]",
                     "Creates an empty list of the most frequent items", "O(width * depth)"),
    row<add, -3>("topk.add", slow_write, key_use::changes, "key:key item...",
                 "Counts items; the reply has those that left the list", "O((depth + log k) * items)"),
    row<incrby, -4>("topk.incrby", slow_write, key_use::changes, "key:key (item increment:int)...",
                    "Counts items several times", "O((depth + log k) * items)"),
    row<query, -3>("topk.query", fast_read, key_use::reads, "key:key item...",
                   "Whether items are in the list", "O(items)"),
    row<count, -3>("topk.count", fast_read, key_use::reads, "key:key item...",
                   "How often items were counted, or more", "O(depth * items)"),
    row<list, -2>("topk.list", slow_read, key_use::reads, "key:key [WITHCOUNT]",
                  "The most frequent items, the most frequent first", "O(k log k)"),
    row<info, 2>("topk.info", fast_read, key_use::reads, "key:key", "k, width, depth and decay of a list",
                 "O(1)"),
};

}  // namespace

std::span<const command_row> commands() { return rows; }

}  // namespace membrane::redis::topk
