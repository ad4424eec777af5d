// Creating a chain, growing it and adding keys to it, for all command families, and the replication of these changes.
//
// Replicas and the AOF receive a new link as the command `LINK key ...` with its whole spec and its hash key, never as the
// command that caused it. They then hold the same bits, whatever their own planner would choose:
//
//   LINK key role error_rate expansion first_keys bucket_size max_iterations has_given_kind
//        hash hash_key kind:field=value,... planned_keys planned_fpr
//
// All functions throw command_error if the change is not possible; then nothing has changed.
#pragma once

#include <optional>
#include <vector>

#include <membrane/plan/requirement.hpp>

#include "command.hpp"
#include "data_type.hpp"

namespace membrane::redis {

struct chain_request {
    chain_options options;
    const kind_entry* kind = nullptr;  // null: the planner chooses
    plan::given_fields given{};
    std::optional<hash_key> key{};  // none: new_filter_key (settings.hpp) chooses
};

// Options of commands that create filters which RedisBloom does not have: KIND bloom:k=5 and HASHKEY hex. False if the next
// argument is neither.
bool take_kind_or_hash_key(option_reader& options, chain_request& wanted);
bool take_hash_key(option_reader& options, chain_request& wanted);

// `event` is the name of the keyspace notification.
filter_chain& create_chain(const command_call& call, opened_key& key, const chain_request& wanted,
                           const char* event);
filter_chain& create_chain(const command_call& call, opened_key& key, const chain_options& options,
                           const filter_spec& spec, const hasher& hash, const char* event);
filter_chain& existing_or_new(const command_call& call, opened_key& key, const chain_request& wanted,
                              const char* event);

// Runs the command LINK: creates a chain, or appends the next link.
void run_link_command(const command_call& call);
inline constexpr int link_command_arity = 14;

enum class key_count : bool { one, several };  // of a command

// Adds the keys of one command to a chain, which grows when it is full.
//
// The command is replicated as the client sent it, after the new link if it has one key and made the chain grow. If the chain
// grew between several keys, or had no room for one of them, the stored keys are replicated instead, with each new link at its
// place between them: a replica has no limit of its own and would store keys for which there was no room here.
class key_adder {
public:
    key_adder(const command_call& call, filter_chain& chain, key_count keys)
        : call_(call), chain_(chain), keys_(keys) {}

    // False if the key was present. If an error is thrown, this key is not stored, and those before it are.
    bool add(server_string* item) { return store(item, &filter_chain::add); }
    bool add_if_absent(server_string* item) { return store(item, &filter_chain::add_if_absent); }

    // Call once at the end: replicates and notifies if any key was stored.
    void finish(const char* event);

private:
    bool store(server_string* item, add_result (filter_chain::*add_function)(key_hash) noexcept);
    void replicate_stored();

    const command_call& call_;
    filter_chain& chain_;
    key_count keys_;
    std::vector<server_string*> stored_;  // since the newest link was appended; only for several keys
    bool is_changed_ = false;
    bool is_replicated_verbatim_ = true;
};

}  // namespace membrane::redis
