// Commands to a server or a cluster; each goes to the node that owns its key. Follows MOVED and ASK redirections, finds the
// new primary when a node of a cluster fails, and gives up after 30 seconds.
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
// The slot of a key, or of its part in braces if it has one: keys with the same part are on the same node.
std::size_t slot_of(std::string_view key);

struct redis_command {
    std::string key;
    std::vector<std::string_view> words;
    redis_reply reply{};
};

class redis_cluster {
public:
    explicit redis_cluster(const redis_access& access);

    // Sends all commands in pipelines, in any order. Throws failure if a command gets no reply. An error reply to the command
    // itself is a reply.
    void run(std::vector<redis_command>& commands);
    redis_command run(std::string key, std::vector<std::string_view> words);
    // The node that answered the command, for messages.
    const redis_address& home_of(const redis_command& command) const;

private:
    using node_commands = std::map<redis_address, std::vector<redis_command*>>;

    void learn_slots();
    void learn_slots_from(const redis_address& address);
    redis_link& link_to(const redis_address& address);
    // Returns the commands that must be tried again.
    std::vector<redis_command*> run_once(const std::vector<redis_command*>& commands);
    bool is_settled(redis_command& command);

    redis_access access_;
    std::unique_ptr<tls_context> tls_;
    std::vector<redis_address>
        owners_;  // of each slot; a single element if the server is not part of a cluster
    std::map<redis_address, std::unique_ptr<redis_link>> links_;
    std::map<const redis_command*, redis_address> asked_elsewhere_;
    bool is_map_stale_ = false;
    std::string last_loss_;  // why the last connection was lost
};

}  // namespace membrane::cli
