// CF.*: membership with erasure and counts. The structure is not a cuckoo filter but balanced_rank: insertions do not fail at
// high load, and erasing inserted keys never causes a false negative.
#include <algorithm>
#include <optional>
#include <string>

#include "commands/shared.hpp"
#include "settings.hpp"
#include "stack_updates.hpp"

namespace membrane::redis::cf {

namespace {

constexpr char added_event[] = "cuckoo.add";
constexpr char erased_event[] = "cuckoo.del";
constexpr char reserved_event[] = "cuckoo.reserve";

stack_request default_request() {
    stack_request wanted;
    wanted.options = default_cf_options();
    return wanted;
}

constexpr char reserve_arity[] = "ERR wrong number of arguments for 'cf.reserve' command";

std::uint32_t read_small(option_reader& options, std::int64_t least, std::int64_t most, const char* name) {
    const auto number = number_from<std::int64_t>(options.value(reserve_arity));
    if (!number) throw command_error{"Couldn't parse " + std::string(name)};
    if (*number < least || *number > most)
        throw command_error{std::string(name) + ": value must be in the range [" + std::to_string(least) +
                            ", " + std::to_string(most) + "]"};
    return static_cast<std::uint32_t>(*number);
}

std::int64_t read_capacity(std::string_view text) {
    const auto keys = number_from<std::int64_t>(text);
    if (!keys) throw command_error{"Bad capacity"};
    return *keys;
}

// `least` is the text for two buckets, which a command can choose or a setting does.
std::uint64_t checked_capacity(std::int64_t keys, std::uint32_t bucket_size, const char* least) {
    if (keys < 2 * std::int64_t{bucket_size} || keys > static_cast<std::int64_t>(max_planned_keys))
        throw command_error{"Capacity must be in the range [" + std::string(least) + ", " +
                            std::to_string(max_planned_keys) + "]"};
    return static_cast<std::uint64_t>(keys);
}

void reserve(const command_call& call) {
    stack_request wanted = default_request();
    stack_options& chosen = wanted.options;
    const std::int64_t keys = read_capacity(call.argument(2));
    for (option_reader options(call.arguments_from(3)); !options.is_done();) {
        if (options.take("BUCKETSIZE")) chosen.bucket_size = read_small(options, 1, 255, "BUCKETSIZE");
        else if (options.take("MAXITERATIONS"))
            chosen.max_iterations = read_small(options, 1, 65535, "MAXITERATIONS");
        else if (options.take("EXPANSION"))
            chosen.expansion = read_small(options, 0, max_expansion, "EXPANSION");
        else if (options.take("ERROR"))
            chosen.error_rate = read_rate(options.value("Bad error rate"), "Bad error rate");
        else if (!take_own_option(options, wanted)) throw command_error{"Unknown argument received"};
    }
    chosen.first_keys = checked_capacity(keys, chosen.bucket_size, "2 * BUCKETSIZE");
    check_growth(wanted);
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (!key.is_empty()) throw command_error{"ERR item exists"};
    create_stack(call, key, wanted, reserved_event);
    reply_ok(call.ctx);
}

enum class if_present : bool { add_again, skip };

bool add_to(key_adder& adder, server_string* item, if_present mode) {
    return mode == if_present::add_again ? adder.add(item) : adder.add_if_absent(item);
}

template <if_present Mode>
void add(const command_call& call) {
    opened_key key(call.ctx, call.key(), read_write_mode);
    key_adder adder(call, existing_or_new(call, key, default_request(), reserved_event),
                    call.arguments_from(2));
    const bool is_added = add_to(adder, call.arguments[2], Mode);
    adder.finish(added_event);
    reply_bool(call.ctx, is_added);
}

// `answer`: 1, 0, or -1 for a key without room. In RESP3, INSERT replies with booleans and INSERTNX with integers.
void reply_insertion(context* ctx, if_present mode, int answer) {
    if (mode == if_present::add_again && has_resp3(ctx)) reply_bool(ctx, answer == 1);
    else server.reply_integer(ctx, answer);
}

template <if_present Mode>
void insert(const command_call& call) {
    stack_request wanted = default_request();
    bool may_create = true;
    constexpr const char* arity = Mode == if_present::add_again
                                      ? "ERR wrong number of arguments for 'cf.insert' command"
                                      : "ERR wrong number of arguments for 'cf.insertnx' command";
    option_reader options(call.arguments_from(2));
    while (!options.take("ITEMS")) {
        if (options.is_done()) throw command_error{arity};
        if (options.take("CAPACITY"))
            wanted.options.first_keys = checked_capacity(read_capacity(options.value(arity)),
                                                         wanted.options.bucket_size, "cf-bucket-size * 2");
        else if (options.take("NOCREATE")) may_create = false;
        else if (!take_own_option(options, wanted)) throw command_error{"Unknown argument received"};
    }
    check_growth(wanted);
    const auto items = options.rest();
    if (items.empty()) throw command_error{arity};
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (!may_create) key.existing(stack_role::erasable);
    key_adder adder(call, existing_or_new(call, key, wanted, reserved_event), items);
    server.reply_array(call.ctx, static_cast<long>(items.size()));
    for (server_string* const item : items) {
        int answer = -1;
        try {
            answer = add_to(adder, item, Mode) ? 1 : 0;
        } catch (const command_error&) {
            // The reply is -1. The remaining keys are tried too, because they may be present already.
        }
        reply_insertion(call.ctx, Mode, answer);
    }
    adder.finish(added_event);
}

void exists(const command_call& call) { reply_exists(call, stack_role::erasable); }
void mexists(const command_call& call) { reply_mexists(call, stack_role::erasable); }

void del(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_write_mode);
    filter_stack& stack = key.existing(stack_role::erasable, "Not found");
    const bool is_erased = stack.erase(stack.hash()(call.argument(2)));
    if (is_erased) {
        server.replicate_verbatim(call.ctx);
        server.notify(call.ctx, module_event, erased_event, call.key());
    }
    reply_bool(call.ctx, is_erased);
}

void count(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack* const stack = key.stack(stack_role::erasable);
    reply_number(call.ctx, stack == nullptr ? 0 : stack->estimate(stack->hash()(call.argument(2))));
}

// Lines of 64 bytes; clients may divide by it.
std::uint64_t bucket_count(const filter_stack& stack) {
    return std::max<std::uint64_t>(1, (stack.filter_bytes() + 63) / 64);
}

void info(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack& stack = key.existing(stack_role::erasable);
    reply_map(call.ctx, 8);
    reply_pair(call.ctx, "Size", stack.size_bytes());
    reply_pair(call.ctx, "Number of buckets", bucket_count(stack));
    reply_pair(call.ctx, "Number of filters", std::uint64_t{stack.filters()});
    reply_pair(call.ctx, "Number of items inserted", stack.keys());
    reply_pair(call.ctx, "Number of items deleted", stack.erased());
    reply_pair(call.ctx, "Bucket size", std::uint64_t{stack.options().bucket_size});
    reply_pair(call.ctx, "Expansion rate", stack.options().expansion);
    reply_pair(call.ctx, "Max iterations", std::uint64_t{stack.options().max_iterations});
}

// Gives back the memory that is not needed for the keys that are there.
void compact(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_write_mode);
    key.existing(stack_role::erasable, "Cuckoo filter was not found").shrink();
    server.replicate_verbatim(call.ctx);
    reply_ok(call.ctx);
}

// RedisBloom replies so for an empty filter; MBR.SCANDUMP dumps it.
void scandump(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack* const stack = key.stack(stack_role::erasable);
    if (stack == nullptr || stack->keys() != 0 || call.argument(2) != "0") {
        reply_image_chunk(call, stack_role::erasable);
        return;
    }
    server.reply_array(call.ctx, 2);
    reply_number(call.ctx, 0);
    server.reply_null(call.ctx);
}
void loadchunk(const command_call& call) { load_image_chunk(call, stack_role::erasable); }

constexpr command_row rows[] = {
    row<reserve, -3>("cf.reserve", slow_write, key_use::creates,
                     "key:key capacity:int [BUCKETSIZE bucketsize:int] [MAXITERATIONS maxiterations:int] "
                     "[EXPANSION expansion:int] [ERROR error:double] [GROWTO keys:int] [HASHKEY digits]",
                     "Creates an empty filter for a number of keys", "O(size of the filter)"),
    row<add<if_present::add_again>, 3>("cf.add", fast_write, key_use::adds, "key:key item",
                                       "Adds a key, also if it is present already", "O(1)"),
    row<add<if_present::skip>, 3>("cf.addnx", fast_write, key_use::adds, "key:key item",
                                  "Adds a key unless it may be present already", "O(1)"),
    row<insert<if_present::add_again>, -4>(
        "cf.insert", slow_write, key_use::adds,
        "key:key [CAPACITY capacity:int] [NOCREATE] [GROWTO keys:int] [HASHKEY digits] ITEMS item...",
        "Adds keys to a filter that may be created", "O(keys)"),
    row<insert<if_present::skip>, -4>(
        "cf.insertnx", slow_write, key_use::adds,
        "key:key [CAPACITY capacity:int] [NOCREATE] [GROWTO keys:int] [HASHKEY digits] ITEMS item...",
        "Adds the keys that are not present yet", "O(keys)"),
    row<exists, 3>("cf.exists", fast_read, key_use::reads, "key:key item", "Whether a key may be present",
                   "O(1)"),
    row<mexists, -3>("cf.mexists", slow_read, key_use::reads, "key:key item...",
                     "Whether keys may be present", "O(keys)"),
    row<del, 3>("cf.del", fast_erase, key_use::erases, "key:key item",
                "Erases a key once; only for keys that were added", "O(1)"),
    row<count, 3>("cf.count", fast_read, key_use::reads, "key:key item", "How often a key was added, or more",
                  "O(1)"),
    row<info, 2>("cf.info", fast_read, key_use::reads, "key:key", "Information about a filter", "O(1)"),
    row<compact, 2>("cf.compact", slow_write, key_use::changes, "key:key",
                    "Gives back memory that erased keys have left", "O(size of the filter)"),
    row<scandump, 3>("cf.scandump", slow_read, key_use::reads, "key:key iterator:int",
                     "The filter's bytes, a chunk at a time", "O(chunk)"),
    row<loadchunk, 4>("cf.loadchunk", slow_write, key_use::adds, "key:key iterator:int data",
                      "Loads the chunks of SCANDUMP", "O(chunk)"),
};

}  // namespace

std::span<const command_row> commands() { return rows; }

}  // namespace membrane::redis::cf
