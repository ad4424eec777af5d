// Lookups in a filter on a server or cluster; all shards are queried in parallel.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/input/key_source.hpp"
#include "redis_target.hpp"
#include "shards.hpp"

namespace membrane::cli {

class remote_filter {
public:
    remote_filter(const redis_target& target, const std::string& name);

    // Sets bit i of `answers` if keys[i] may be present; returns the number of such keys.
    std::uint64_t may_contain_many(std::span<const input_key> keys, std::span<std::uint64_t> answers);

private:
    void find();
    // False if the filter was replaced in the meantime.
    bool ask(std::span<const input_key> keys, std::span<std::uint64_t> answers);

    redis_cluster cluster_;
    std::string name_, command_;
    stored_filter stored_;
};

}  // namespace membrane::cli
