#include "chain_making.hpp"

#include <utility>

#include <membrane/runtime/kind_text.hpp>

#include "growth.hpp"
#include "link_text.hpp"
#include "settings.hpp"

namespace membrane::redis {

namespace {

[[noreturn]] void refuse_creation(const error& why) {
    if (why.code == errc::too_large && why.found && why.most)
        throw command_error{"ERR Insufficient memory to create filter: it needs " +
                            std::to_string(*why.found) + " bytes, max-bytes leaves " +
                            std::to_string(*why.most)};
    if (why.code == errc::out_of_memory) throw command_error{"ERR Insufficient memory to create filter"};
    throw command_error{failure_text("could not create filter", why)};
}

[[noreturn]] void refuse_growth(const filter_chain& chain, const error& why) {
    const bool is_erasable = chain.options().role == chain_role::erasable;
    if (chain.options().expansion == 0)
        throw command_error{is_erasable ? "Filter is full" : "ERR non scaling filter is full"};
    if (why.code == errc::full) throw command_error{"Maximum expansions reached"};
    throw command_error{failure_text(is_erasable ? "Filter is full" : "problem inserting into filter", why)};
}

hasher new_hasher(const std::optional<hash_key>& given) {
    if (given) return {hash_id::siphash13, *given};
    if (settings.key) return {hash_id::siphash13, *settings.key};
    const auto key = random_hash_key();
    if (!key) refuse_creation(key.error());
    return {hash_id::siphash13, *key};
}

}  // namespace

bool take_hash_key(word_reader& words, chain_request& wanted) {
    if (!words.take("HASHKEY")) return false;
    wanted.key = hash_key_from_hex(words.value("ERR bad hash key"));
    if (!wanted.key) throw command_error{"ERR bad hash key: 32 hexadecimal digits"};
    return true;
}

bool take_own_option(word_reader& words, chain_request& wanted) {
    if (take_hash_key(words, wanted)) return true;
    if (!words.take("KIND")) return false;
    const auto reading = read_kind_text(words.value("ERR bad kind"), read_plain_number);
    if (reading.fault == kind_text_fault::unknown_kind)
        throw command_error{"ERR bad kind: no kind '" + std::string(reading.name) + "'"};
    if (reading.fault != kind_text_fault::none)
        throw command_error{"ERR bad kind: field '" + std::string(reading.name) + "'"};
    if (reading.kind->rules.id == kind_id::count_min) throw command_error{"ERR bad kind: counts are CMS.*"};
    wanted.kind = reading.kind;
    wanted.given = reading.given;
    wanted.options.has_given_kind = true;
    return true;
}

filter_chain& make_chain(const request& asked, opened_key& key, const chain_request& wanted,
                         const char* event) {
    const auto spec = first_link_spec(wanted.options, wanted.kind, wanted.given);
    if (!spec) refuse_creation(spec.error());
    return make_chain(asked, key, wanted.options, *spec, new_hasher(wanted.key), event);
}

filter_chain& make_chain(const request& asked, opened_key& key, const chain_options& options,
                         const filter_spec& spec, const hasher& hash, const char* event) {
    filter_chain chain(options);
    if (auto made = chain.append(spec, hash, byte_limit(asked.ctx)); !made) refuse_creation(made.error());
    auto& placed = std::get<filter_chain>(key.put(std::move(chain)));
    replicate_link(asked.ctx, asked.key(), placed);
    server.notify(asked.ctx, module_event, event, asked.key());
    return placed;
}

void grow_chain(const request& asked, filter_chain& chain) {
    const auto spec = next_link_spec(chain);
    if (!spec) refuse_growth(chain, spec.error());
    if (auto grown = chain.append(*spec, chain.hash(), byte_limit(asked.ctx)); !grown)
        refuse_growth(chain, grown.error());
    replicate_link(asked.ctx, asked.key(), chain);
}

}  // namespace membrane::redis
