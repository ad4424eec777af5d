// Settings of the module, `loadmodule membrane.so NAME VALUE ...`, which stay the same until the server ends, and what follows
// from them: command names, options of filters that are created without BF.RESERVE or CF.RESERVE, and hash keys of new filters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <membrane/hash/hash_key.hpp>

#include "server_api.hpp"

namespace membrane::redis {

struct stack_options;
class filter_stack;

struct module_settings {
    std::string prefix = "MBR.";
    bool is_compatible = true;  // BF.*, CF.* and CMS.* have these names; otherwise the prefix precedes them
    std::uint64_t max_bytes = std::uint64_t{128} << 20;  // of one key
    double bf_error_rate = 0.01;
    std::uint64_t bf_initial_size = 100;
    std::uint64_t bf_expansion = 2;
    double cf_error_rate = 0.01;
    std::uint64_t cf_initial_size = 1024;
    std::uint64_t cf_expansion = 1;
    std::uint64_t cf_bucket_size = 2, cf_max_iterations = 20;  // that CF.INFO shows
    std::optional<hash_key> key;  // of every new filter; if not set, each filter gets a random key
};
inline module_settings settings;

inline constexpr std::uint64_t max_planned_keys = std::uint64_t{1} << 40;
inline constexpr std::uint64_t max_promised_keys = std::uint64_t{1} << 50;

// Returns a description of the first wrong setting; empty if all are right. Settings that are not known are logged: a configuration for
// RedisBloom may have them.
std::string read_settings(context* ctx, std::span<server_string* const> arguments);

// The name under which a command such as "BF.ADD" is registered.
std::string command_name(const std::string& family_name);
std::string own_name(const std::string& name);

// Options of a filter that a command creates because its key does not exist.
stack_options default_bf_options();
stack_options default_cf_options();

// The key from the command, if given; otherwise that of HASH-KEY-FILE, otherwise a random key.
result<hash_key> new_filter_key(const std::optional<hash_key>& given);

// Sketches can be merged only if they have the same hash key, so that all new sketches of a server share one: that of
// HASH-KEY-FILE; otherwise the key of the first sketch that was loaded from disk or replicated; otherwise a random key.
result<hash_key> new_sketch_key();
// Call only for stacks from a saved file or from the primary. A client that sends a stack could choose the key.
void remember_sketch_key(const filter_stack& stack);

}  // namespace membrane::redis
