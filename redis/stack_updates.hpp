// Creating a stack, growing it and adding keys to it, for all command families, and the replication of these changes.
//
// Replicas and the AOF receive a new link as the command `LINK key ...` with its whole spec and its hash key, never as the
// command that caused it. They then hold the same numbers, whatever they would choose themselves. The growth of a link is not replicated:
// the layout that it has does not change any answer.
//
//   LINK key role error_rate expansion first_keys bucket_size max_iterations has_given_kind
//        hash hash_key kind:field=value,... planned_keys planned_fpr
//
// All functions throw command_error if the change is not possible; then nothing has changed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "data_type.hpp"
#include "stack_growth.hpp"

namespace membrane::redis {

struct stack_request {
    stack_options options;
    link_request link{};
    std::optional<hash_key> key{};  // none: new_filter_key (settings.hpp) chooses
};

// Options of commands that create filters which RedisBloom does not have: KIND bloom:k=5, and GROWTO keys and HASHKEY hex. False if the
// next argument is none of them.
bool take_kind(option_reader& options, stack_request& wanted);
bool take_own_option(option_reader& options, stack_request& wanted);
// HASHKEY hex alone.
bool take_hash_key(option_reader& options, std::optional<hash_key>& key);
// Call after all options were read.
void check_growth(const stack_request& wanted);

// `advice` follows the message that the limit leaves too little.
[[noreturn]] void throw_creation_error(const error& why, const char* advice = "");
// 17 digits: reading them gives the same double.
std::string exact_text(double number);

// `event` is the name of the keyspace notification.
filter_stack& create_stack(const command_call& call, opened_key& key, const stack_request& wanted,
                           const char* event);
filter_stack& create_stack(const command_call& call, opened_key& key, const stack_options& options,
                           const filter_spec& spec, const hasher& hash, const char* event);
filter_stack& existing_or_new(const command_call& call, opened_key& key, const stack_request& wanted,
                              const char* event);

// Runs the command LINK: creates a stack, or appends the next link.
void run_link_command(const command_call& call);
inline constexpr int link_command_arity = 14;

// Adds the keys of one command to a stack, which grows when it is full.
//
// The command is replicated as the client sent it, after the new link if it has one key and made the stack grow. If the stack
// grew between several keys, or had no room for one of them, the stored keys are replicated instead, with each new link at its
// place between them: a replica has no limit of its own and would store keys for which there was no room here.
class key_adder {
public:
    // Adds the keys of `items`, which are one or several.
    key_adder(const command_call& call, filter_stack& stack, std::span<server_string* const> items);

    // False if the key was present. If an error is thrown, this key is not stored, and those before it are.
    bool add(server_string* item) { return store(item, &filter_stack::add); }
    bool add_if_absent(server_string* item) { return store(item, &filter_stack::add_if_absent); }

    // Call once at the end: replicates and notifies if any key was stored.
    void finish(const char* event);

private:
    using add_function = add_result (filter_stack::*)(key_hash, const growth_terms&);
    bool store(server_string* item, add_function how);
    add_result try_to(add_function how, key_hash hash);
    void make_room_for(std::span<server_string* const> items);
    void replicate_stored();

    const command_call& call_;
    filter_stack& stack_;
    bool has_several_;
    growth_terms terms_;
    std::vector<server_string*> stored_;  // since the newest link was appended; only for several keys
    bool is_changed_ = false;
    bool is_replicated_verbatim_ = true;
};

}  // namespace membrane::redis
