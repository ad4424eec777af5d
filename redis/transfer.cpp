#include "transfer.hpp"

#include <optional>
#include <utility>

#include "data_type.hpp"
#include "sketch_key.hpp"

namespace membrane::redis {

namespace {

std::uint64_t read_iterator(std::string_view word) {
    const auto number = number_from<std::int64_t>(word);
    if (!number || *number < 0) throw command_error{"Second argument must be numeric"};
    return static_cast<std::uint64_t>(*number);
}

void reply_part(context* ctx, std::uint64_t end, byte_span part) {
    server.reply_array(ctx, 2);
    reply_number(ctx, part.empty() ? 0 : end + 1);
    reply_text(ctx, {reinterpret_cast<const char*>(part.data()), part.size()});
}

// What is being loaded into this key; null if this chunk is the first.
partial_load* ongoing(const opened_key& key, load_form form, std::uint64_t start) {
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

result<filter_chain> finished(const partial_load& loading, std::uint64_t limit,
                              std::optional<chain_role> role) {
    auto chain = loading.finish(limit);
    if (chain && role && chain->options().role != *role)
        return make_error(errc::bad_field, "role")
            .with_note("the chain belongs to another family of commands");
    return chain;
}

void take_part(const request& asked, load_form form, std::optional<chain_role> role) {
    const std::uint64_t iterator = read_iterator(asked.word(2));
    const std::string_view data = asked.word(3);
    if (data.empty() || iterator == 0 || iterator - 1 < data.size())
        throw command_error{"ERR received bad data: iterator and length do not fit"};
    opened_key key(asked.ctx, asked.key(), both_modes);
    const std::uint64_t limit = byte_limit(asked.ctx);
    partial_load first(form);
    partial_load* const begun = ongoing(key, form, iterator - 1 - data.size());
    partial_load& loading = begun == nullptr ? first : *begun;
    if (auto taken = loading.append(std::as_bytes(std::span(data)), limit); !taken)
        throw command_error{failure_text("received bad data", taken.error())};
    if (loading.is_complete()) {
        auto chain = finished(loading, limit, role);
        if (!chain) {
            loading.drop_last(data.size());
            throw command_error{failure_text("received bad data", chain.error())};
        }
        if (limit == no_byte_limit) note_sketch_key(*chain);
        if (begun == nullptr) key.put(std::move(*chain));
        else *key.value() = std::move(*chain);
    } else if (begun == nullptr) {
        key.put(std::move(first));
    }
    server.replicate_verbatim(asked.ctx);
    server.notify(asked.ctx, module_event, "filter.load", asked.key());
    reply_ok(asked.ctx);
}

const filter_chain& existing(const opened_key& key, std::optional<chain_role> role) {
    const filter_chain* const chain = role ? key.chain(*role) : key.chain();
    if (chain == nullptr) throw command_error{"ERR not found"};
    return *chain;
}

}  // namespace

void reply_image_part(const request& asked, std::optional<chain_role> role) {
    const std::uint64_t iterator = read_iterator(asked.word(2));
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain& chain = existing(key, role);
    const std::uint64_t start = iterator == 0 ? 0 : iterator - 1;
    const auto part = image_part(chain, start, chunk_bytes);
    reply_part(asked.ctx, start + part.size(), part);
}

void take_image_part(const request& asked, std::optional<chain_role> role) {
    take_part(asked, load_form::image, role);
}

void reply_file_part(const request& asked) {
    const std::uint64_t iterator = read_iterator(asked.word(2));
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const auto links = existing(key, {}).links();
    std::size_t link = 0;
    word_reader words(asked.from(3));
    if (words.take("LINK"))
        link = static_cast<std::size_t>(
            read_count(words.value("ERR bad link"), 0, links.size() - 1, "ERR bad link", "link"));
    else if (links.size() != 1)
        throw command_error{"ERR the filter has grown to " + std::to_string(links.size()) +
                            " links, each a file of its own; add LINK 0 to " +
                            std::to_string(links.size() - 1)};
    if (!words.is_done()) throw command_error{"ERR unknown argument received"};
    const std::uint64_t start = iterator == 0 ? 0 : iterator - 1;
    const auto part = file_part(links[link].filter, start, chunk_bytes);
    reply_part(asked.ctx, start + part.size(), part);
}

void take_file_part(const request& asked) { take_part(asked, load_form::file, {}); }

}  // namespace membrane::redis
