// Making chains and letting them grow, the same for every family: plan, check the limit, take the memory, tell replicas.
//
// A new link is told to replicas and the AOF as what it is (LINK, with every number of its spec and the hash key), never as
// the command that caused it: they then hold the same bits, whatever their planner would have chosen.
#pragma once

#include <optional>

#include <membrane/plan/requirement.hpp>

#include "keys.hpp"

namespace membrane::redis {

struct chain_request {
    chain_options options;
    const kind_entry* kind = nullptr;  // null: the planner's choice
    plan::given_fields given{};
    std::optional<hash_key> key{};  // none: a random one
};

// KIND bloom:k=5 and HASHKEY hex, our additions to the commands that reserve. Whether the next word was one of them.
bool take_own_option(word_reader& words, chain_request& wanted);
bool take_hash_key(word_reader& words, chain_request& wanted);

// `event` is the keyspace notification. Ends the command if it cannot be made; then nothing has changed.
filter_chain& make_chain(const request& asked, opened_key& key, const chain_request& wanted,
                         const char* event);
filter_chain& make_chain(const request& asked, opened_key& key, const chain_options& options,
                         const filter_spec& spec, const hasher& hash, const char* event);
void grow_chain(const request& asked, filter_chain& chain);

}  // namespace membrane::redis
