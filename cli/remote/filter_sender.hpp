// Sends filters to a server or cluster with the membrane module, as the bytes of their files in chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

#include "redis_target.hpp"
#include "shards.hpp"

namespace membrane::cli {

class filter_sender {
public:
    // A dry run connects to no server and only adds up the bytes.
    filter_sender(const std::string& name, const redis_target& target, bool is_forced, bool is_dry);

    // Finds the filter that has the name now. Fails if it may not be replaced.
    void check_name();
    void send(const std::string& key, const any_view& filter);
    // Makes the name refer to the new shards and removes the old ones.
    void publish(const shard_map& map);
    void remove_old_shards();

    std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }

private:
    // Fails unless the reply has the form.
    void run(const std::string& key, std::vector<std::string_view> words, redis_reply::form wanted);

    std::string name_;
    std::string load_command_;
    bool is_forced_;
    std::optional<redis_cluster> cluster_;  // none in a dry run
    stored_filter before_;
    std::uint64_t sent_bytes_ = 0;
};

}  // namespace membrane::cli
