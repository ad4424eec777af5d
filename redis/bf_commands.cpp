// BF.*: membership. Keys and replies as clients of RedisBloom know them.
#include "additions.hpp"
#include "families.hpp"
#include "membership.hpp"
#include "settings.hpp"
#include "transfer.hpp"

namespace membrane::redis {

namespace {

constexpr char added_event[] = "bloom.add";
constexpr char reserved_event[] = "bloom.reserve";

chain_request default_request() {
    chain_request wanted;
    wanted.options = default_bf_options();
    return wanted;
}

std::uint64_t read_expansion(std::string_view word, const char* not_a_number) {
    return read_count(word, 0, most_expansion, not_a_number, "expansion");
}

// EXPANSION and NONSCALING exclude each other.
class scaling_choice {
public:
    bool take(word_reader& words, const char* bad_expansion) {
        if (words.take("NONSCALING")) return is_nonscaling_ = true;
        if (!words.take("EXPANSION")) return false;
        expansion_ = read_expansion(words.value(bad_expansion), bad_expansion);
        return true;
    }
    void apply(chain_options& options) const {
        if (is_nonscaling_ && expansion_.value_or(0) != 0)
            throw command_error{"Nonscaling filters cannot expand"};
        if (is_nonscaling_) options.expansion = 0;
        else if (expansion_) options.expansion = *expansion_;
    }

private:
    bool is_nonscaling_ = false;
    std::optional<std::uint64_t> expansion_;
};

void reserve(const request& asked) {
    chain_request wanted = default_request();
    wanted.options.error_rate = read_rate(asked.word(2), "ERR bad error rate");
    wanted.options.first_keys =
        read_count(asked.word(3), 1, most_planned_keys, "ERR bad capacity", "capacity");
    scaling_choice scaling;
    for (word_reader words(asked.from(4)); !words.is_done();)
        if (!scaling.take(words, "ERR bad expansion") && !take_own_option(words, wanted))
            throw command_error{"ERR unknown argument received"};
    scaling.apply(wanted.options);
    opened_key key(asked.ctx, asked.key(), both_modes);
    if (!key.is_empty()) throw command_error{"ERR item exists"};
    make_chain(asked, key, wanted, reserved_event);
    reply_ok(asked.ctx);
}

filter_chain& existing_or_new(const request& asked, opened_key& key, const chain_request& wanted) {
    filter_chain* const found = key.chain(chain_role::membership);
    return found != nullptr ? *found : make_chain(asked, key, wanted, reserved_event);
}

void add(const request& asked) {
    opened_key key(asked.ctx, asked.key(), both_modes);
    additions adding(asked, existing_or_new(asked, key, default_request()), command_keys::one);
    const bool is_new = adding.add_if_absent(asked.words[2]);
    adding.finish(added_event);
    reply_bool(asked.ctx, is_new);
}

// An answer for each key; a key that finds no room ends the list with the reason.
void add_all(const request& asked, filter_chain& chain, std::span<text* const> items) {
    additions adding(asked, chain, command_keys::several);
    server.reply_array(asked.ctx, length_follows);
    long answers = 0;
    try {
        for (text* const item : items) {
            reply_bool(asked.ctx, adding.add_if_absent(item));
            ++answers;
        }
    } catch (const command_error& problem) {
        reply_error(asked.ctx, problem.message);
        ++answers;
    }
    server.set_array_length(asked.ctx, answers);
    adding.finish(added_event);
}

void madd(const request& asked) {
    opened_key key(asked.ctx, asked.key(), both_modes);
    add_all(asked, existing_or_new(asked, key, default_request()), asked.from(2));
}

void insert(const request& asked) {
    chain_request wanted = default_request();
    scaling_choice scaling;
    bool may_create = true;
    word_reader words(asked.from(2));
    while (!words.take("ITEMS")) {
        if (words.is_done()) throw command_error{"ERR wrong number of arguments for 'bf.insert' command"};
        if (words.take("CAPACITY"))
            wanted.options.first_keys =
                read_count(words.value("Bad capacity"), 1, most_planned_keys, "Bad capacity", "capacity");
        else if (words.take("ERROR"))
            wanted.options.error_rate = read_rate(words.value("Bad error rate"), "Bad error rate");
        else if (words.take("NOCREATE")) may_create = false;
        else if (!scaling.take(words, "Bad expansion") && !take_own_option(words, wanted))
            throw command_error{"Unknown argument received"};
    }
    scaling.apply(wanted.options);
    const auto items = words.rest();
    if (items.empty()) throw command_error{"ERR wrong number of arguments for 'bf.insert' command"};
    opened_key key(asked.ctx, asked.key(), both_modes);
    if (!may_create) key.existing(chain_role::membership);
    add_all(asked, existing_or_new(asked, key, wanted), items);
}

void exists(const request& asked) { reply_exists(asked, chain_role::membership); }
void mexists(const request& asked) { reply_mexists(asked, chain_role::membership); }

struct info_field {
    std::string_view name;   // as an argument
    std::string_view title;  // in the reply
    void (*reply)(context*, const filter_chain&);
};
constexpr info_field info_fields[] = {
    {"CAPACITY", "Capacity",
     [](context* ctx, const filter_chain& chain) { reply_number(ctx, chain.planned_keys()); }},
    {"SIZE", "Size",
     [](context* ctx, const filter_chain& chain) { reply_number(ctx, chain.memory_bytes()); }},
    {"FILTERS", "Number of filters",
     [](context* ctx, const filter_chain& chain) { reply_number(ctx, chain.links().size()); }},
    {"ITEMS", "Number of items inserted",
     [](context* ctx, const filter_chain& chain) { reply_number(ctx, chain.keys()); }},
    {"EXPANSION", "Expansion rate",
     [](context* ctx, const filter_chain& chain) {
         if (chain.options().expansion == 0) server.reply_null(ctx);
         else reply_number(ctx, chain.options().expansion);
     }},
};

void info(const request& asked) {
    if (asked.words.size() > 3) {
        server.wrong_arity(asked.ctx);
        return;
    }
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain& chain = key.existing(chain_role::membership);
    if (asked.words.size() == 3) {
        for (const info_field& field : info_fields) {
            if (!is_word(asked.word(2), field.name)) continue;
            server.reply_array(asked.ctx, 1);
            field.reply(asked.ctx, chain);
            return;
        }
        throw command_error{"Invalid information value"};
    }
    reply_map(asked.ctx, std::size(info_fields));
    for (const info_field& field : info_fields) {
        reply_text(asked.ctx, field.title);
        field.reply(asked.ctx, chain);
    }
}

void card(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain* const chain = key.chain(chain_role::membership);
    reply_number(asked.ctx, chain == nullptr ? 0 : chain->keys());
}

void scandump(const request& asked) { reply_image_part(asked, chain_role::membership); }
void loadchunk(const request& asked) { take_image_part(asked, chain_role::membership); }

constexpr command_row rows[] = {
    row<reserve, -4>("BF.RESERVE", writes_much,
                     "Creates an empty filter for a number of keys and an error rate",
                     "O(size of the filter)"),
    row<add, 3>("BF.ADD", writes, "Adds a key; creates the filter if there is none", "O(k)"),
    row<madd, -3>("BF.MADD", writes_much, "Adds keys; creates the filter if there is none", "O(k * keys)"),
    row<insert, -4>("BF.INSERT", writes_much, "Adds keys to a filter that may be created with given numbers",
                    "O(k * keys)"),
    row<exists, 3>("BF.EXISTS", reads, "Whether a key may have been added", "O(k)"),
    row<mexists, -3>("BF.MEXISTS", reads_much, "Whether keys may have been added", "O(k * keys)"),
    row<info, -2>("BF.INFO", reads, "Tells about a filter", "O(1)"),
    row<card, 2>("BF.CARD", reads, "The number of keys that were added", "O(1)"),
    row<scandump, 3>("BF.SCANDUMP", reads_much, "The filter's bytes, a chunk at a time", "O(chunk)"),
    row<loadchunk, 4>("BF.LOADCHUNK", writes_much, "Takes the chunks of SCANDUMP", "O(chunk)"),
};

}  // namespace

chain_options default_bf_options() {
    return {.role = chain_role::membership,
            .error_rate = settings.bf_error_rate,
            .expansion = settings.bf_expansion,
            .first_keys = settings.bf_initial_size};
}

std::span<const command_row> bf_commands() { return rows; }

}  // namespace membrane::redis
