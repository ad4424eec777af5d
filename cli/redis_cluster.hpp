// Commands to a server or to a cluster of them, each to the node that has its key. Follows MOVED and ASK while keys move,
// finds the new primary when a node is gone, and gives up after a time without progress.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redis_link.hpp"

namespace membrane::cli {

inline constexpr std::size_t redis_slots = 16384;
// Of the part in braces if there is one, so that keys with the same part stay together.
std::size_t slot_of(std::string_view key);

struct redis_command {
    std::string key;
    std::vector<std::string_view> words;
    redis_reply reply{};
};

class redis_cluster {
public:
    explicit redis_cluster(const std::string& address);

    // All at once, in pipelines, in any order. Throws failure if a reply cannot be had; error replies of a command itself
    // are replies.
    void run(std::vector<redis_command>& commands);
    redis_reply run(std::string key, std::vector<std::string_view> words);

private:
    using node_commands = std::map<redis_address, std::vector<redis_command*>>;

    void learn_slots();
    bool learn_slots_from(const redis_address& address);
    redis_link& link_to(const redis_address& address);
    const redis_address& home_of(const redis_command& command) const;
    // Those that must be tried again.
    std::vector<redis_command*> run_once(const std::vector<redis_command*>& commands);
    bool is_settled(redis_command& command);

    redis_address first_;
    std::vector<redis_address> owners_;  // of each slot; one for all if the server is no cluster
    std::map<redis_address, std::unique_ptr<redis_link>> links_;
    std::map<const redis_command*, redis_address> asked_elsewhere_;
    bool is_map_stale_ = false;
};

}  // namespace membrane::cli
