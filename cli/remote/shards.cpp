#include "shards.hpp"

#include <charconv>
#include <sstream>

#include <fmt/core.h>

#include <membrane/base/multiply.hpp>

#include "cli/print/failure.hpp"

namespace membrane::cli {

namespace {

constexpr std::string_view first_word = "membrane-shards";
constexpr int line_version = 1;

hash_key random_key() { return value_or_fail("random key", random_hash_key()); }

}  // namespace

std::uint64_t shard_map::shard_of(std::string_view key) const { return fastrange(routing(key).low, shards); }

std::string shard_map::key_of(const std::string& name, std::uint64_t shard) const {
    return fmt::format("{}:{}:{{{}}}", name, generation, shard);
}

std::string shard_map::line() const {
    return fmt::format("{} {} {} {} {}", first_word, line_version, shards, generation, to_hex(routing.key));
}

shard_map new_shard_map(std::uint64_t shards) {
    return {shards, to_hex(random_key()).substr(0, 8), {hash_id::siphash13, random_key()}};
}

stored_filter find_stored(redis_cluster& cluster, const std::string& name) {
    const redis_command done = cluster.run(name, {"GET", name});
    const redis_reply& reply = done.reply;
    if (reply.kind == redis_reply::form::nothing) return {};
    if (reply.is_error("WRONGTYPE")) return {true, {}};
    check_form(cluster.home_of(done), fmt::format("GET {}", name), reply, redis_reply::form::text);
    std::istringstream words(reply.text);
    std::string first, key;
    int version = 0;
    shard_map map;
    words >> first >> version >> map.shards >> map.generation >> key;
    const auto routing = hash_key_from_hex(key);
    if (!words || first != first_word || version != line_version || !routing || map.shards == 0 ||
        map.shards > most_shards)
        fail(exit_code::io, fmt::format("{}: the key on the server is not a filter", name));
    map.routing = {hash_id::siphash13, *routing};
    return {true, map};
}

}  // namespace membrane::cli
