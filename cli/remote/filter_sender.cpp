#include "filter_sender.hpp"

#include <vector>

#include <fmt/core.h>

#include <membrane/format/encode.hpp>

#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"

namespace membrane::cli {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
// A cluster moves a key between nodes in one piece, and servers refuse larger pieces (proto-max-bulk-len).
constexpr std::uint64_t most_shard_bytes = std::uint64_t{512} << 20;

}  // namespace

filter_sender::filter_sender(const std::string& name, const redis_target& target, bool is_forced, bool is_dry)
    : name_(name), load_command_(target.prefix + "LOAD"), is_forced_(is_forced) {
    if (!is_dry) cluster_.emplace(access_to(target));
}

void filter_sender::run(const std::string& key, std::vector<std::string_view> words,
                        redis_reply::form wanted) {
    const std::string request = fmt::format("{} {}", words[0], key);
    const redis_command done = cluster_->run(key, std::move(words));
    const redis_reply& reply = done.reply;
    if (reply.is_error() && reply.text.find("unknown command") != std::string::npos)
        fail(exit_code::io,
             fmt::format("{}: {}; is the membrane module loaded there?", key, error_text(reply)));
    check_form(cluster_->home_of(done), request, reply, wanted);
}

void filter_sender::check_name() {
    if (!cluster_) return;
    before_ = find_stored(*cluster_, name_);
    if (before_.is_there && !is_forced_)
        fail(exit_code::refused, fmt::format("{}: exists on the server; use --force to replace it", name_));
}

void filter_sender::send(const std::string& key, const any_view& filter) {
    if (filter.file_bytes() > most_shard_bytes)
        fail(exit_code::usage,
             fmt::format("{} has {}, and a key of more than {} cannot be moved between nodes; "
                         "raise --shards",
                         key, bytes_text(filter.file_bytes()), bytes_text(most_shard_bytes)));
    sent_bytes_ += filter.file_bytes();
    if (!cluster_) return;
    const auto bytes = encode_file(filter.as_file());
    const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    run(key, {"UNLINK", key}, redis_reply::form::integer);
    for (std::size_t at = 0; at < file.size();) {
        const std::string_view chunk = file.substr(at, chunk_bytes);
        at += chunk.size();
        run(key, {load_command_, key, std::to_string(at + 1), chunk}, redis_reply::form::text);
    }
}

void filter_sender::publish(const shard_map& map) {
    if (!cluster_) return;
    run(name_, {"SET", name_, map.line()}, redis_reply::form::text);
    remove_old_shards();
}

void filter_sender::remove_old_shards() {
    if (!cluster_ || !before_.map) return;
    std::vector<std::string> keys;
    for (std::uint64_t i = 0; i < before_.map->shards; ++i) keys.push_back(before_.map->key_of(name_, i));
    std::vector<redis_command> commands;
    commands.reserve(keys.size());
    for (const std::string& key : keys) commands.push_back({key, {"UNLINK", key}});
    cluster_->run(commands);
    for (const redis_command& command : commands)
        check_form(cluster_->home_of(command), "UNLINK " + command.key, command.reply,
                   redis_reply::form::integer);
}

}  // namespace membrane::cli
