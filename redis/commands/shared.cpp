#include "commands/shared.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <membrane/part/batch.hpp>

#include "data_type.hpp"
#include "settings.hpp"

namespace membrane::redis {

namespace {

// The texts are those of RedisBloom's families.
std::uint64_t read_iterator(std::string_view text, optional_role role,
                            const char* wrong = "Second argument must be numeric") {
    const auto number = number_from<std::int64_t>(text);
    if (!number || *number < 0)
        throw command_error{role == stack_role::erasable ? "Invalid position" : wrong};
    return static_cast<std::uint64_t>(*number);
}

void reply_iterator(context* ctx, std::uint64_t iterator, byte_span chunk) {
    server.reply_array(ctx, 2);
    reply_number(ctx, iterator);
    reply_text(ctx, {reinterpret_cast<const char*>(chunk.data()), chunk.size()});
}

void reply_chunk(context* ctx, std::uint64_t end, byte_span chunk) {
    reply_iterator(ctx, chunk.empty() ? 0 : end + 1, chunk);
}

// The value that is being loaded into this key; null if this chunk is the first one.
partial_load* find_partial_load(const opened_key& key, load_form form, std::uint64_t start) {
    if (key.is_empty()) {
        if (start != 0) throw command_error{"ERR invalid offset - no link found"};
        return nullptr;
    }
    auto* const partial = std::get_if<partial_load>(key.value());
    if (partial == nullptr) throw command_error{"ERR item exists"};
    if (partial->form() != form || partial->bytes().size() != start)
        throw command_error{"ERR invalid offset - the next chunk begins at byte " +
                            std::to_string(partial->bytes().size())};
    return partial;
}

result<stored_value> finish_load(const partial_load& loading, std::uint64_t limit, optional_role role) {
    auto made = loading.finish(limit);
    if (!made) return made.error();
    auto* const stack = std::get_if<filter_stack>(&*made);
    if (role && (stack == nullptr || stack->options().role != *role))
        return make_error(errc::bad_field, "role")
            .with_note("the value belongs to another family of commands");
    if (stack == nullptr) return stored_value(std::get<topk_sketch>(std::move(*made)));
    if (limit == no_byte_limit) remember_sketch_key(*stack);
    return stored_value(std::move(*stack));
}

void load_chunk(const command_call& call, load_form form, optional_role role) {
    const std::uint64_t iterator =
        read_iterator(call.argument(2), role, "ERR Second argument must be numeric");
    const std::string_view data = call.argument(3);
    if (iterator == 0 && role == stack_role::erasable) throw command_error{"Invalid position"};
    if (iterator == 0 || iterator - 1 < data.size())
        throw command_error{"ERR received bad data: iterator and length do not fit"};
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (data.empty()) {
        // What is replied while a growth is ended (is_whole).
        find_partial_load(key, form, iterator - 1);
        reply_ok(call.ctx);
        return;
    }
    const std::uint64_t limit = byte_limit(call.ctx);
    partial_load first(form);
    partial_load* const begun = find_partial_load(key, form, iterator - 1 - data.size());
    partial_load& loading = begun == nullptr ? first : *begun;
    if (auto taken = loading.append(std::as_bytes(std::span(data)), limit); !taken)
        throw command_error{error_text("received bad data", taken.error())};
    if (loading.is_complete()) {
        auto made = finish_load(loading, limit, role);
        if (!made) {
            loading.drop_last(data.size());
            throw command_error{error_text("received bad data", made.error())};
        }
        if (begun == nullptr) key.put(std::move(*made));
        else *key.value() = std::move(*made);
    } else if (begun == nullptr) {
        key.put(std::move(first));
    }
    server.replicate_verbatim(call.ctx);
    server.notify(call.ctx, module_event, "filter.load", call.key());
    reply_ok(call.ctx);
}

filter_stack& existing(const opened_key& key, optional_role role) {
    return role ? key.existing(*role) : key.existing();
}

// Bytes are whole when no growth is under way. This moves it on, which changes no answer. Until it has ended, the reply is an empty chunk
// and the iterator for the same place: the usual loop of SCANDUMP and LOADCHUNK comes back until there are bytes, and no command takes
// longer than a step.
bool is_whole(context* ctx, filter_stack& stack, std::uint64_t start) {
    switch (stack.settle_by_a_step()) {
        case filter_stack::step::whole: return true;
        case filter_stack::step::goes_on: reply_iterator(ctx, start + 1, {}); return false;
        case filter_stack::step::refused: break;
    }
    throw command_error{"ERR Insufficient memory to end the growth of the filter"};
}

}  // namespace

void reply_exists(const command_call& call, stack_role role) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack* const stack = key.stack(role);
    reply_bool(call.ctx, stack != nullptr && stack->may_contain(stack->hash()(call.argument(2))));
}

void reply_mexists(const command_call& call, optional_role role) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack* const stack = role ? key.stack(*role) : key.stack();
    const auto items = call.arguments_from(2);
    std::vector<std::uint64_t> answers(bitmap_words(items.size())), scratch(answers.size());
    if (stack != nullptr) {
        const hasher& hash = stack->hash();
        std::vector<key_hash> hashes(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) hashes[i] = hash(view_of(items[i]));
        stack->may_contain_many(hashes, answers, scratch);
    }
    server.reply_array(call.ctx, static_cast<long>(items.size()));
    for (std::size_t i = 0; i < items.size(); ++i)
        reply_bool(call.ctx, (answers[i / 64] >> (i % 64) & 1) != 0);
}

void reply_image_chunk(const command_call& call, optional_role role) {
    const std::uint64_t iterator = read_iterator(call.argument(2), role);
    const opened_key key(call.ctx, call.key(), read_mode);
    const std::uint64_t start = iterator == 0 ? 0 : iterator - 1;
    if (const topk_sketch* const sketch = role ? nullptr : key.topk_if_it_is()) {
        const auto image = sketch->image();
        const auto rest =
            byte_span(image).subspan(static_cast<std::size_t>(std::min<std::uint64_t>(start, image.size())));
        const auto chunk = rest.first(std::min<std::size_t>(rest.size(), chunk_bytes));
        reply_chunk(call.ctx, start + chunk.size(), chunk);
        return;
    }
    filter_stack& stack = existing(key, role);
    if (!is_whole(call.ctx, stack, start)) return;
    const auto chunk = image_chunk(stack, start, chunk_bytes);
    reply_chunk(call.ctx, start + chunk.size(), chunk);
}

void load_image_chunk(const command_call& call, optional_role role) {
    load_chunk(call, load_form::image, role);
}

void reply_file_chunk(const command_call& call) {
    const std::uint64_t iterator = read_iterator(call.argument(2), {});
    const opened_key key(call.ctx, call.key(), read_mode);
    filter_stack& stack = existing(key, {});
    std::size_t link = 0;
    option_reader options(call.arguments_from(3));
    if (options.take("LINK"))
        link = static_cast<std::size_t>(
            read_count(options.value("ERR bad link"), 0, stack.filters() - 1, "ERR bad link", "link"));
    else if (stack.filters() != 1)
        throw command_error{"ERR the filter has grown to " + std::to_string(stack.filters()) +
                            " links, each a file of its own; add LINK 0 to " +
                            std::to_string(stack.filters() - 1)};
    if (!options.is_done()) throw command_error{"ERR unknown argument received"};
    const std::uint64_t start = iterator == 0 ? 0 : iterator - 1;
    if (!is_whole(call.ctx, stack, start)) return;
    std::optional<any_filter> table;
    if (stack.few() != nullptr) {
        auto made = stack.few()->as_table(stack.keys(), no_byte_limit);
        if (!made) throw command_error{error_text("could not create file", made.error())};
        table = std::move(*made);
    }
    const auto chunk = file_chunk(table ? *table : stack.links()[link].filter, start, chunk_bytes);
    reply_chunk(call.ctx, start + chunk.size(), chunk);
}

void load_file_chunk(const command_call& call) { load_chunk(call, load_form::file, {}); }

}  // namespace membrane::redis
