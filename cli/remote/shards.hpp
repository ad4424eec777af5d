// A filter spread over the nodes of a cluster: N filters under the keys NAME:<generation>:{i}, and under NAME a line with
// their number and the hash that assigns keys to them. The braces put shard i of every filter on the same node. The line is
// written last, so that the filter appears as a whole; then the shards of the filter that it replaces are removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <membrane/hash/hasher.hpp>

#include "redis_cluster.hpp"

namespace membrane::cli {

inline constexpr std::uint64_t most_shards = redis_slots;

struct shard_map {
    std::uint64_t shards = 1;
    std::string generation;
    hasher
        routing;  // a key of its own, so that the shard of a key is independent of its places in that filter

    std::uint64_t shard_of(std::string_view key) const;
    std::string key_of(const std::string& name, std::uint64_t shard) const;
    std::string line() const;
};
shard_map new_shard_map(std::uint64_t shards);

// The value under a name. find_stored fails if the value is neither a filter nor a shard map.
struct stored_filter {
    bool is_there = false;
    std::optional<shard_map> map;  // none: a filter under the name itself
};
stored_filter find_stored(redis_cluster& cluster, const std::string& name);

}  // namespace membrane::cli
