#include "redis_cluster.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/core.h>

#include "cli/print/failure.hpp"

namespace membrane::cli {

namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::seconds give_up_after{30};
constexpr std::chrono::milliseconds retry_interval{100};

// CRC-16/XMODEM, which defines the slots of a cluster.
std::uint16_t crc16(std::string_view bytes) {
    unsigned sum = 0;
    for (const char byte : bytes) {
        sum ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8;
        for (int bit = 0; bit < 8; ++bit) sum = (sum << 1 ^ ((sum & 0x8000) != 0 ? 0x1021u : 0u)) & 0xffff;
    }
    return static_cast<std::uint16_t>(sum);
}

// The address in "MOVED 3999 127.0.0.1:6381".
redis_address address_in(const std::string& redirection) {
    return parse_redis_address(redirection.substr(redirection.rfind(' ') + 1));
}

}  // namespace

std::size_t slot_of(std::string_view key) {
    const std::size_t open = key.find('{');
    const std::size_t close = open == std::string_view::npos ? open : key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
    return crc16(key) % redis_slots;
}

redis_cluster::redis_cluster(const std::string& address) : first_(parse_redis_address(address)) {
    try {
        if (!learn_slots_from(first_))
            fail(exit_code::io,
                 fmt::format("{}: malformed reply to CLUSTER SLOTS: a range has no slots or no node",
                             address));
    } catch (const lost_connection& problem) {
        fail(exit_code::io, problem.what());
    }
}

redis_link& redis_cluster::link_to(const redis_address& address) {
    auto& link = links_[address];
    if (!link) link = std::make_unique<redis_link>(address);
    return *link;
}

bool redis_cluster::learn_slots_from(const redis_address& address) {
    const redis_reply reply = link_to(address).ask({"CLUSTER", "SLOTS"});
    if (reply.is_error()) {
        if (reply.text.find("cluster support disabled") == std::string::npos)
            fail(exit_code::io, fmt::format("{}:{}: {}", address.host, address.port, reply.text));
        owners_.assign(1, address);
        return true;
    }
    std::vector<redis_address> owners(redis_slots, address);
    for (const redis_reply& range : reply.items) {
        if (range.items.size() < 3 || range.items[2].items.size() < 2) return false;
        const redis_reply& node = range.items[2];
        const redis_address owner{node.items[0].text.empty() ? address.host : node.items[0].text,
                                  std::to_string(node.items[1].number)};
        const auto from = static_cast<std::size_t>(range.items[0].number);
        const auto to = static_cast<std::size_t>(range.items[1].number);
        if (to >= redis_slots || from > to) return false;
        std::fill(owners.begin() + static_cast<std::ptrdiff_t>(from),
                  owners.begin() + static_cast<std::ptrdiff_t>(to) + 1, owner);
    }
    owners_ = std::move(owners);
    return true;
}

void redis_cluster::learn_slots() {
    std::set<redis_address> known(owners_.begin(), owners_.end());
    known.insert(first_);
    for (const redis_address& address : known) {
        try {
            if (learn_slots_from(address)) return;
        } catch (const lost_connection&) {
            links_.erase(address);
        }
    }
}

const redis_address& redis_cluster::home_of(const redis_command& command) const {
    const auto elsewhere = asked_elsewhere_.find(&command);
    if (elsewhere != asked_elsewhere_.end()) return elsewhere->second;
    return owners_.size() == 1 ? owners_.front() : owners_[slot_of(command.key)];
}

bool redis_cluster::is_settled(redis_command& command) {
    asked_elsewhere_.erase(&command);
    const redis_reply& reply = command.reply;
    if (reply.is_error("MOVED ")) {
        owners_[owners_.size() == 1 ? 0 : slot_of(command.key)] = address_in(reply.text);
        return false;
    }
    if (reply.is_error("ASK ")) {
        asked_elsewhere_[&command] = address_in(reply.text);
        return false;
    }
    if (reply.is_error("TRYAGAIN") || reply.is_error("CLUSTERDOWN") || reply.is_error("LOADING") ||
        reply.is_error("READONLY") || reply.is_error("MASTERDOWN")) {
        is_map_stale_ = true;
        return false;
    }
    return true;
}

std::vector<redis_command*> redis_cluster::run_once(const std::vector<redis_command*>& commands) {
    node_commands by_node;
    for (redis_command* const command : commands) by_node[home_of(*command)].push_back(command);
    std::vector<redis_command*> unsettled;
    // Sends to all nodes before reading any reply, so that the nodes work in parallel.
    std::set<redis_address> lost;
    for (auto& [address, part] : by_node) {
        try {
            redis_link& link = link_to(address);
            for (const redis_command* const command : part) {
                constexpr std::string_view asking[] = {"ASKING"};
                if (asked_elsewhere_.count(command) != 0) link.add(asking);
                link.add(command->words);
            }
            link.send();
        } catch (const lost_connection&) {
            lost.insert(address);
        }
    }
    for (auto& [address, part] : by_node) {
        std::size_t answered = 0;
        try {
            for (; lost.count(address) == 0 && answered < part.size(); ++answered) {
                redis_command& command = *part[answered];
                if (asked_elsewhere_.count(&command) != 0) link_to(address).read();
                command.reply = link_to(address).read();
                if (!is_settled(command)) unsettled.push_back(&command);
            }
        } catch (const lost_connection&) {
            lost.insert(address);
        }
        unsettled.insert(unsettled.end(), part.begin() + static_cast<std::ptrdiff_t>(answered), part.end());
    }
    for (const redis_address& address : lost) {
        links_.erase(address);
        is_map_stale_ = true;
    }
    return unsettled;
}

void redis_cluster::run(std::vector<redis_command>& commands) {
    std::vector<redis_command*> open;
    open.reserve(commands.size());
    for (redis_command& command : commands) open.push_back(&command);
    const auto deadline = clock::now() + give_up_after;
    while (!open.empty()) {
        open = run_once(open);
        if (open.empty()) break;
        if (clock::now() > deadline) {
            const redis_command& first = *open.front();
            fail(exit_code::io, fmt::format("{}: no answer for key '{}' ({})", home_of(first).host, first.key,
                                            first.reply.is_error() ? first.reply.text : "connection lost"));
        }
        if (is_map_stale_) {
            std::this_thread::sleep_for(retry_interval);
            asked_elsewhere_.clear();
            learn_slots();
            is_map_stale_ = false;
        }
    }
}

redis_reply redis_cluster::run(std::string key, std::vector<std::string_view> words) {
    std::vector<redis_command> one{{std::move(key), std::move(words)}};
    run(one);
    return std::move(one.front().reply);
}

}  // namespace membrane::cli
