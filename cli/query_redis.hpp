// membrane query --redis: the answers of a server or cluster, all shards asked side by side.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "key_reader.hpp"
#include "redis_option.hpp"
#include "shards.hpp"

namespace membrane::cli {

class remote_filter {
public:
    remote_filter(const redis_target& target, const std::string& name);

    // Bit i of `answers` for keys[i]; the number of keys that may be present.
    std::uint64_t may_contain_many(std::span<const input_key> keys, std::span<std::uint64_t> answers);

private:
    void find();
    // False if the filter was replaced meanwhile.
    bool ask(std::span<const input_key> keys, std::span<std::uint64_t> answers);

    redis_cluster cluster_;
    std::string name_, command_;
    stored_filter stored_;
};

}  // namespace membrane::cli
