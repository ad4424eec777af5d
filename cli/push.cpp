// membrane push: a filter into a Redis server or cluster that has the membrane module. A .mbr file is sent as it is; keys are
// built into as many filters as there are shards. Filters travel as the bytes of their files, in chunks.
#include <fmt/format.h>

#include <membrane/format/encode.hpp>
#include <membrane/runtime/build.hpp>

#include "commands.hpp"
#include "file_start.hpp"
#include "filter_io.hpp"
#include "kind_argument.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "redis_option.hpp"
#include "report.hpp"
#include "shards.hpp"

namespace membrane::cli {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
// A key is moved between nodes in one piece, and servers take none above this (proto-max-bulk-len).
constexpr std::uint64_t most_shard_bytes = std::uint64_t{512} << 20;

struct push_options {
    key_source source;
    redis_target target;
    std::string name;
    std::uint64_t shards = 1;
    plan::requirement wanted;
    std::string kind{automatic_kind};
    std::uint64_t memory = hash_spool::default_memory_bytes;
    bool is_forced = false;
    bool is_dry = false;
    bool is_quiet = false;
};

void declare_push(CLI::App& command, push_options& options) {
    add_key_files(command, options.source);
    add_redis(command, options.target)->required();
    command.add_option("--name", options.name, "The key that the filter will have")
        ->type_name("NAME")
        ->required();
    add_parsed(command, "--shards", options.shards, parse_count, "N", count_wanted,
               "Spread the keys over N filters on the nodes of a cluster (default 1)");
    add_parsed(command, "--fpr", options.wanted.fpr, parse_rate, "P", rate_wanted,
               "Wanted false positive rate: 0.001, 1e-3 or 0.1% (default 1%)");
    command
        .add_option("--kind", options.kind,
                    "auto (what `membrane plan` ranks first), or a kind with parameters, as `membrane kinds` "
                    "lists them")
        ->type_name("KIND[:NAME=VALUE,...]");
    add_parsed(command, "--memory", options.memory, parse_bytes, "SIZE", bytes_wanted,
               "Memory for the hashes of the keys; more go to a temporary file in TMPDIR (default 1 GiB)");
    add_force(command, options.is_forced);
    command.add_flag("--dry-run", options.is_dry,
                     "Build everything, say what would be sent, and send nothing");
    add_quiet(command, options.is_quiet);
    set_examples(
        command,
        {"seq 1 100000 | membrane push --redis localhost:6379 --name seen --shards 8 --fpr 0.1% --dry-run",
         "seq 1 9 | membrane build -q -o nine.mbr && membrane push nine.mbr --redis localhost:6379 "
         "--name nine --dry-run"});
}

bool is_filter_file(const key_source& source) {
    return source.files.size() == 1 && source.files.front() != "-" &&
           start_of(source.files.front()) == file_start::filter;
}

class pusher {
public:
    explicit pusher(const push_options& options) : options_(options) {
        if (!options.is_dry) cluster_.emplace(options.target.address);
    }

    // What the name stands for now; fails if it may not be replaced.
    void check_name() {
        if (!cluster_) return;
        before_ = find_stored(*cluster_, options_.name);
        if (before_.is_there && !options_.is_forced)
            fail(exit_code::io,
                 fmt::format("{}: exists on the server; use --force to replace it", options_.name));
    }

    void send(const std::string& key, const any_view& filter) {
        if (filter.file_bytes() > most_shard_bytes)
            fail(exit_code::usage,
                 fmt::format("{} has {}, and a key of more than {} cannot be moved between nodes; "
                             "raise --shards",
                             key, bytes_text(filter.file_bytes()), bytes_text(most_shard_bytes)));
        sent_bytes_ += filter.file_bytes();
        if (!cluster_) return;
        const auto bytes = encode_file(filter.as_file());
        const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::string command = options_.target.prefix + "LOAD";
        must(key, cluster_->run(key, {"UNLINK", key}));
        for (std::size_t at = 0; at < file.size();) {
            const std::string_view chunk = file.substr(at, chunk_bytes);
            at += chunk.size();
            must(key, cluster_->run(key, {command, key, std::to_string(at + 1), chunk}));
        }
    }

    // From here on the name means the new filter; what it meant before is removed.
    void publish(const shard_map& map) {
        if (!cluster_) return;
        must(options_.name, cluster_->run(options_.name, {"SET", options_.name, map.line()}));
        remove_shards_before();
    }
    void remove_shards_before() {
        if (!cluster_ || !before_.map) return;
        std::vector<std::string> keys;
        for (std::uint64_t i = 0; i < before_.map->shards; ++i)
            keys.push_back(before_.map->key_of(options_.name, i));
        std::vector<redis_command> commands;
        commands.reserve(keys.size());
        for (const std::string& key : keys) commands.push_back({key, {"UNLINK", key}});
        cluster_->run(commands);
    }

    std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }

private:
    static void must(const std::string& key, const redis_reply& reply) {
        if (!reply.is_error()) return;
        const bool has_no_module = reply.text.find("unknown command") != std::string::npos;
        fail(exit_code::io, fmt::format("{}: {}{}", key, reply.text,
                                        has_no_module ? "; is the membrane module loaded there?" : ""));
    }

    const push_options& options_;
    std::optional<redis_cluster> cluster_;
    stored_filter before_;
    std::uint64_t sent_bytes_ = 0;
};

void push_file(const push_options& options, pusher& push) {
    if (options.shards != 1)
        fail(exit_code::usage,
             fmt::format("{}: a filter that is built cannot be cut into shards; give its keys",
                         options.source.files.front()));
    const mapped_filter filter = open_filter(options.source.files.front());
    check_keys_fit(options.source.files.front(), filter.view(), key_format::u64);
    push.check_name();
    push.send(options.name, filter.view());
    push.remove_shards_before();
}

void push_keys(const push_options& options, pusher& push) {
    const kind_choice choice = parse_kind(options.kind);
    const hasher hash = make_hasher({}, options.source.format);
    push.check_name();
    const shard_map map = new_shard_map(options.shards);
    std::vector<hash_spool> spools;
    for (std::uint64_t i = 0; i < map.shards; ++i)
        spools.emplace_back(duplicates::drop, std::max<std::uint64_t>(options.memory / map.shards, 1 << 16));
    key_reader reader(options.source);
    progress bar("reading", reader.total_bytes(), options.is_quiet);
    for (auto batch = reader.next_batch(hash); !batch.keys.empty(); batch = reader.next_batch(hash)) {
        for (std::size_t i = 0; i < batch.keys.size(); ++i)
            check_or_fail("hashes of the keys",
                          spools[map.shard_of(batch.keys[i].bytes)].add(batch.hashes[i]));
        bar.update(reader);
    }
    bar.rename("sending");
    for (std::uint64_t i = 0; i < map.shards; ++i) {
        build_request request{
            .kind = choice.kind, .wanted = options.wanted, .given = choice.given, .hash = hash};
        if (!request.wanted.fpr) request.wanted.fpr = plan::default_fpr;
        push.send(map.shards == 1 ? options.name : map.key_of(options.name, i),
                  value_or_fail(options.name, build_from(spools[i], request)));
    }
    if (map.shards == 1) push.remove_shards_before();
    else push.publish(map);
}

exit_code perform_push(const push_options& options) {
    if (options.shards == 0 || options.shards > most_shards)
        fail(exit_code::usage, fmt::format("--shards: {}, expected 1 to {}", options.shards, most_shards));
    pusher push(options);
    if (is_filter_file(options.source)) push_file(options, push);
    else push_keys(options, push);
    if (!options.is_quiet)
        say(fmt::format("{}: {} {} in {} filter{}{}", options.name, options.is_dry ? "would send" : "sent",
                        bytes_text(push.sent_bytes()), options.shards, options.shards == 1 ? "" : "s",
                        options.is_dry ? ", nothing was sent" : ""));
    return exit_code::done;
}

}  // namespace

void add_push_command(CLI::App& app, action& run) {
    add_command<push_options>(app, run, "push", "Send a filter to a Redis server or cluster", declare_push,
                              perform_push);
}

}  // namespace membrane::cli
