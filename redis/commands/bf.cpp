// BF.*: membership. Arguments and replies are those of RedisBloom.
#include <optional>
#include <string>

#include "commands/shared.hpp"
#include "settings.hpp"
#include "stack_updates.hpp"

namespace membrane::redis::bf {

namespace {

constexpr char added_event[] = "bloom.add";
constexpr char reserved_event[] = "bloom.reserve";

stack_request default_request() {
    stack_request wanted;
    wanted.options = default_bf_options();
    return wanted;
}

std::uint64_t read_expansion(std::string_view text, const char* not_a_number) {
    return read_count(text, 0, max_expansion, not_a_number, "expansion");
}

// The options EXPANSION and NONSCALING.
class expansion_option {
public:
    bool take(option_reader& options, const char* bad_expansion, const char* no_expansion) {
        if (options.take("NONSCALING")) return is_nonscaling_ = true;
        if (!options.take("EXPANSION")) return false;
        expansion_ = read_expansion(options.value(no_expansion), bad_expansion);
        return true;
    }
    // RESERVE refuses both options, INSERT does not.
    void check() const {
        if (is_nonscaling_ && expansion_.value_or(0) != 0)
            throw command_error{"Nonscaling filters cannot expand"};
    }
    void apply(stack_options& options) const {
        if (is_nonscaling_) options.expansion = 0;
        else if (expansion_) options.expansion = *expansion_;
    }

private:
    bool is_nonscaling_ = false;
    std::optional<std::uint64_t> expansion_;
};

void reserve(const command_call& call) {
    stack_request wanted = default_request();
    wanted.options.error_rate = read_rate(call.argument(2), "ERR bad error rate");
    wanted.options.first_keys =
        read_count(call.argument(3), 1, max_planned_keys, "ERR bad capacity", "capacity");
    expansion_option expansion;
    for (option_reader options(call.arguments_from(4)); !options.is_done();)
        if (!expansion.take(options, "ERR bad expansion", "ERR no expansion") &&
            !take_kind(options, wanted) && !take_own_option(options, wanted))
            throw command_error{"ERR unknown argument received"};
    expansion.check();
    expansion.apply(wanted.options);
    check_growth(wanted);
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (!key.is_empty()) throw command_error{"ERR item exists"};
    create_stack(call, key, wanted, reserved_event);
    reply_ok(call.ctx);
}

void add(const command_call& call) {
    opened_key key(call.ctx, call.key(), read_write_mode);
    key_adder adder(call, existing_or_new(call, key, default_request(), reserved_event),
                    call.arguments_from(2));
    const bool is_new = adder.add_if_absent(call.arguments[2]);
    adder.finish(added_event);
    reply_bool(call.ctx, is_new);
}

// Replies with an array of one answer per key. The first key for which there is no room ends the array with an error.
void add_all(const command_call& call, filter_stack& stack, std::span<server_string* const> items) {
    key_adder adder(call, stack, items);
    server.reply_array(call.ctx, postponed_length);
    long answers = 0;
    try {
        for (server_string* const item : items) {
            reply_bool(call.ctx, adder.add_if_absent(item));
            ++answers;
        }
    } catch (const command_error& problem) {
        reply_error(call.ctx, problem.message);
        ++answers;
    }
    server.set_array_length(call.ctx, answers);
    adder.finish(added_event);
}

void madd(const command_call& call) {
    opened_key key(call.ctx, call.key(), read_write_mode);
    add_all(call, existing_or_new(call, key, default_request(), reserved_event), call.arguments_from(2));
}

void insert(const command_call& call) {
    constexpr char arity[] = "ERR wrong number of arguments for 'bf.insert' command";
    stack_request wanted = default_request();
    expansion_option expansion;
    bool may_create = true;
    option_reader options(call.arguments_from(2));
    while (!options.take("ITEMS")) {
        if (options.is_done()) throw command_error{arity};
        if (options.take("CAPACITY"))
            wanted.options.first_keys =
                read_count(options.value(arity), 1, max_planned_keys, "Bad capacity", "capacity");
        else if (options.take("ERROR"))
            wanted.options.error_rate = read_rate(options.value(arity), "Bad error rate");
        else if (options.take("NOCREATE")) may_create = false;
        else if (!expansion.take(options, "Bad expansion", arity) && !take_kind(options, wanted) &&
                 !take_own_option(options, wanted))
            throw command_error{"Unknown argument received"};
    }
    expansion.apply(wanted.options);
    check_growth(wanted);
    const auto items = options.rest();
    if (items.empty()) throw command_error{arity};
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (!may_create) key.existing(stack_role::membership);
    add_all(call, existing_or_new(call, key, wanted, reserved_event), items);
}

void exists(const command_call& call) { reply_exists(call, stack_role::membership); }
void mexists(const command_call& call) { reply_mexists(call, stack_role::membership); }

struct info_field {
    std::string_view name;   // as an argument
    std::string_view title;  // in the reply
    void (*reply)(context*, const filter_stack&);
};
constexpr info_field info_fields[] = {
    {"CAPACITY", "Capacity",
     [](context* ctx, const filter_stack& stack) { reply_number(ctx, stack.capacity()); }},
    {"SIZE", "Size", [](context* ctx, const filter_stack& stack) { reply_number(ctx, stack.size_bytes()); }},
    {"FILTERS", "Number of filters",
     [](context* ctx, const filter_stack& stack) { reply_number(ctx, stack.filters()); }},
    {"ITEMS", "Number of items inserted",
     [](context* ctx, const filter_stack& stack) { reply_number(ctx, stack.keys()); }},
    {"EXPANSION", "Expansion rate",
     [](context* ctx, const filter_stack& stack) {
         if (stack.options().expansion == 0) server.reply_null(ctx);
         else reply_number(ctx, stack.options().expansion);
     }},
};

void info(const command_call& call) {
    if (call.arguments.size() > 3) {
        server.wrong_arity(call.ctx);
        return;
    }
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack& stack = key.existing(stack_role::membership);
    if (call.arguments.size() == 3) {
        for (const info_field& field : info_fields) {
            if (!is_word(call.argument(2), field.name)) continue;
            if (has_resp3(call.ctx)) {
                reply_map(call.ctx, 1);
                reply_text(call.ctx, field.title);
            } else {
                server.reply_array(call.ctx, 1);
            }
            field.reply(call.ctx, stack);
            return;
        }
        throw command_error{"Invalid information value"};
    }
    reply_map(call.ctx, std::size(info_fields));
    for (const info_field& field : info_fields) {
        reply_text(call.ctx, field.title);
        field.reply(call.ctx, stack);
    }
}

void card(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack* const stack = key.stack(stack_role::membership);
    reply_number(call.ctx, stack == nullptr ? 0 : stack->keys());
}

void scandump(const command_call& call) { reply_image_chunk(call, stack_role::membership); }
void loadchunk(const command_call& call) { load_image_chunk(call, stack_role::membership); }

constexpr command_row rows[] = {
    row<reserve, -4>("bf.reserve", slow_write, key_use::creates,
                     "key:key error_rate:double capacity:int [EXPANSION expansion:int] [NONSCALING] [GROWTO "
                     "keys:int] [KIND kind] [HASHKEY digits]",
                     "Creates an empty filter for a number of keys and an error rate",
                     "O(size of the filter)"),
    row<add, 3>("bf.add", fast_write, key_use::adds, "key:key item",
                "Adds a key; creates the filter if there is none", "O(k)"),
    row<madd, -3>("bf.madd", slow_write, key_use::adds, "key:key item...",
                  "Adds keys; creates the filter if there is none", "O(k * keys)"),
    row<insert, -4>("bf.insert", slow_write, key_use::adds,
                    "key:key [CAPACITY capacity:int] [ERROR error:double] [EXPANSION expansion:int] "
                    "[NOCREATE] [NONSCALING] [GROWTO keys:int] [KIND kind] [HASHKEY digits] ITEMS item...",
                    "Adds keys to a filter that may be created with given numbers", "O(k * keys)"),
    row<exists, 3>("bf.exists", fast_read, key_use::reads, "key:key item",
                   "Whether a key may have been added", "O(k)"),
    row<mexists, -3>("bf.mexists", slow_read, key_use::reads, "key:key item...",
                     "Whether keys may have been added", "O(k * keys)"),
    row<info, -2>("bf.info", fast_read, key_use::reads, "key:key [field]", "Information about a filter",
                  "O(1)"),
    row<card, 2>("bf.card", fast_read, key_use::reads, "key:key", "The number of keys that were added",
                 "O(1)"),
    row<scandump, 3>("bf.scandump", slow_read, key_use::reads, "key:key iterator:int",
                     "The filter's bytes, a chunk at a time", "O(chunk)"),
    row<loadchunk, 4>("bf.loadchunk", slow_write, key_use::adds, "key:key iterator:int data",
                      "Loads the chunks of SCANDUMP", "O(chunk)"),
};

}  // namespace

std::span<const command_row> commands() { return rows; }

}  // namespace membrane::redis::bf
