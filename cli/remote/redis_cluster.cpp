#include "redis_cluster.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
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

// The address in "MOVED 3999 127.0.0.1:6381", which came from this node.
redis_address address_in(const redis_reply& redirection, const redis_address& from) {
    const std::string_view text = redirection.text;
    const auto address = parse_redis_address(text.substr(text.rfind(' ') + 1));
    if (!address)
        fail(exit_code::io,
             fmt::format("{}: a redirection without an address: {}", from.text(), error_text(redirection)));
    return *address;
}

// A node in the reply to CLUSTER SLOTS: {host, port, ...}. Without a host it is the one that answered.
std::optional<redis_address> address_of(const redis_reply& node, const redis_address& from) {
    using form = redis_reply::form;
    if (node.kind != form::list || node.items.size() < 2) return std::nullopt;
    const redis_reply &host = node.items[0], &port = node.items[1];
    if ((host.kind != form::text && host.kind != form::nothing) || port.kind != form::integer)
        return std::nullopt;
    if (port.number <= 0 || port.number > UINT16_MAX) return std::nullopt;
    return redis_address{host.text.empty() ? from.host : host.text, std::to_string(port.number)};
}

}  // namespace

std::size_t slot_of(std::string_view key) {
    const std::size_t open = key.find('{');
    const std::size_t close = open == std::string_view::npos ? open : key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
    return crc16(key) % redis_slots;
}

redis_cluster::redis_cluster(const redis_access& access) : access_(access) {
    if (access.server.has_tls) tls_ = std::make_unique<tls_context>(access.tls);
    try {
        learn_slots_from(access.server.address);
    } catch (const lost_connection& problem) {
        fail(exit_code::io, problem.what());
    }
}

redis_link& redis_cluster::link_to(const redis_address& address) {
    auto& link = links_[address];
    if (!link) link = std::make_unique<redis_link>(address, access_, tls_.get());
    return *link;
}

void redis_cluster::learn_slots_from(const redis_address& address) {
    const redis_reply reply = link_to(address).ask({"CLUSTER", "SLOTS"});
    if (reply.is_error() && reply.text.find("cluster support disabled") != std::string::npos) {
        owners_.assign(1, address);
        return;
    }
    if (reply.is_error("NOAUTH"))
        fail(exit_code::io,
             fmt::format("{}: the server wants a password; set REDISCLI_AUTH, or give --password-file or "
                         "--ask-password",
                         address.text()));
    check_form(address, "CLUSTER SLOTS", reply, redis_reply::form::list);
    std::vector<redis_address> owners(redis_slots, address);
    for (const redis_reply& range : reply.items) {
        const bool has_parts = range.kind == redis_reply::form::list && range.items.size() >= 3 &&
                               range.items[0].kind == redis_reply::form::integer &&
                               range.items[1].kind == redis_reply::form::integer;
        const auto owner = has_parts ? address_of(range.items[2], address) : std::nullopt;
        constexpr auto end = static_cast<std::int64_t>(redis_slots);
        if (!owner || range.items[0].number < 0 || range.items[0].number > range.items[1].number ||
            range.items[1].number >= end)
            fail(exit_code::io,
                 fmt::format("{}: CLUSTER SLOTS: a range without slots or without a node", address.text()));
        std::fill(owners.begin() + range.items[0].number, owners.begin() + range.items[1].number + 1, *owner);
    }
    owners_ = std::move(owners);
}

void redis_cluster::learn_slots() {
    std::set<redis_address> known(owners_.begin(), owners_.end());
    known.insert(access_.server.address);
    for (const redis_address& address : known) {
        try {
            return learn_slots_from(address);
        } catch (const lost_connection& problem) {
            last_loss_ = problem.what();
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
    const redis_reply& reply = command.reply;
    const redis_address from = home_of(command);
    asked_elsewhere_.erase(&command);
    if (reply.is_error("MOVED ")) {
        owners_[owners_.size() == 1 ? 0 : slot_of(command.key)] = address_in(reply, from);
        return false;
    }
    if (reply.is_error("ASK ")) {
        asked_elsewhere_[&command] = address_in(reply, from);
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
        } catch (const lost_connection& problem) {
            last_loss_ = problem.what();
            lost.insert(address);
        }
    }
    for (auto& [address, part] : by_node) {
        std::size_t answered = 0;
        try {
            for (; lost.count(address) == 0 && answered < part.size(); ++answered) {
                redis_command& command = *part[answered];
                if (asked_elsewhere_.count(&command) != 0)
                    check_form(address, "ASKING", link_to(address).read(), redis_reply::form::text);
                command.reply = link_to(address).read();
                if (!is_settled(command)) unsettled.push_back(&command);
            }
        } catch (const lost_connection& problem) {
            last_loss_ = problem.what();
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
        // Nobody takes the place of a server without a cluster.
        if (owners_.size() == 1 && !last_loss_.empty()) fail(exit_code::io, last_loss_);
        if (clock::now() > deadline) {
            const redis_command& first = *open.front();
            fail(exit_code::io,
                 fmt::format("{}: no answer for key '{}' ({})", home_of(first).text(), first.key,
                             first.reply.is_error() ? error_text(first.reply) : last_loss_));
        }
        if (is_map_stale_) {
            std::this_thread::sleep_for(retry_interval);
            asked_elsewhere_.clear();
            learn_slots();
            is_map_stale_ = false;
        }
    }
}

redis_command redis_cluster::run(std::string key, std::vector<std::string_view> words) {
    std::vector<redis_command> one{{std::move(key), std::move(words)}};
    run(one);
    return std::move(one.front());
}

}  // namespace membrane::cli
