#include "remote_filter.hpp"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "cli/print/failure.hpp"

namespace membrane::cli {

remote_filter::remote_filter(const redis_target& target, const std::string& name)
    : cluster_(access_to(target)), name_(name), command_(target.prefix + "MEXISTS") {
    find();
}

void remote_filter::find() {
    stored_ = find_stored(cluster_, name_);
    if (!stored_.is_there) fail(exit_code::io, fmt::format("{}: there is no such key on the server", name_));
}

bool remote_filter::ask(std::span<const input_key> keys, std::span<std::uint64_t> answers) {
    const std::uint64_t shards = stored_.map ? stored_.map->shards : 1;
    std::vector<std::vector<std::size_t>> places(shards);
    for (std::size_t i = 0; i < keys.size(); ++i)
        places[stored_.map ? stored_.map->shard_of(keys[i].bytes) : 0].push_back(i);
    std::vector<std::uint64_t> asked;
    std::vector<std::string> names(shards);
    std::vector<redis_command> commands;
    for (std::uint64_t shard = 0; shard < shards; ++shard) {
        if (places[shard].empty()) continue;
        names[shard] = stored_.map ? stored_.map->key_of(name_, shard) : name_;
        redis_command command{names[shard], {command_, names[shard]}};
        for (const std::size_t i : places[shard]) command.words.push_back(keys[i].bytes);
        commands.push_back(std::move(command));
        asked.push_back(shard);
    }
    cluster_.run(commands);
    for (std::size_t c = 0; c < commands.size(); ++c) {
        const redis_reply& reply = commands[c].reply;
        if (reply.is_error("ERR not found") && stored_.map) return false;
        const std::size_t wanted = places[asked[c]].size();
        const redis_address& node = cluster_.home_of(commands[c]);
        const std::string request = fmt::format("{} {}", command_, commands[c].key);
        check_form(node, request, reply, redis_reply::form::list);
        if (reply.items.size() != wanted)
            fail(exit_code::io, fmt::format("{}: {}: the server sent {} answers for {} keys", node.text(),
                                            request, reply.items.size(), wanted));
        for (std::size_t i = 0; i < wanted; ++i) {
            const redis_reply& answer = reply.items[i];
            check_form(node, request, answer, redis_reply::form::integer);
            if (answer.number != 0 && answer.number != 1)
                fail(exit_code::io, fmt::format("{}: {}: the server answered {}, expected 0 or 1",
                                                node.text(), request, answer.number));
            const std::size_t place = places[asked[c]][i];
            answers[place / 64] |= static_cast<std::uint64_t>(answer.number) << (place % 64);
        }
    }
    return true;
}

std::uint64_t remote_filter::may_contain_many(std::span<const input_key> keys,
                                              std::span<std::uint64_t> answers) {
    for (int attempt = 0;; ++attempt) {
        std::fill(answers.begin(), answers.end(), 0);
        if (ask(keys, answers)) break;
        if (attempt == 3) fail(exit_code::io, fmt::format("{}: a shard is missing", name_));
        find();
    }
    std::uint64_t present = 0;
    for (const std::uint64_t word : answers) present += static_cast<std::uint64_t>(std::popcount(word));
    return present;
}

}  // namespace membrane::cli
