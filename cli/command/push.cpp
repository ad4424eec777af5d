// membrane push: sends a filter to a Redis server or cluster that has the membrane module. A .mbr file is sent as it is;
// keys are built into one filter per shard.
#include <utility>

#include <fmt/core.h>

#include <membrane/runtime/build.hpp>

#include "cli/input/file_start.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/progress.hpp"
#include "cli/remote/filter_sender.hpp"
#include "cli/remote/shards.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct push_options {
    key_source source;
    redis_target target;
    std::string name;
    std::uint64_t shards = 1;
    plan::requirement wanted;
    std::string kind;
    std::uint64_t memory = hash_spool::default_memory_bytes;
    bool is_forced = false;
    bool is_dry = false;
    bool is_empty_allowed = false;
    bool is_quiet = false;
};

void declare_push(const tool_command& command, push_options& options) {
    add_redis(command, options.target).required();
    command.text("--name", options.name, "KEY", "The Redis key of the filter").required();
    add_count(command, "--shards", options.shards,
              "Spread the keys over N filters on the nodes of a cluster (default 1)");
    add_fpr(command, options.wanted.fpr);
    add_kind(command, options.kind);
    add_parsed(command, "--memory", options.memory, parse_bytes, "SIZE", bytes_wanted,
               "Memory for the hashes of the keys; more go to a temporary file in TMPDIR (default 1 GiB)");
    add_allow_empty(command, options.is_empty_allowed, "Send a filter even if the input has no key");
    add_force(command, options.is_forced, "Replace a filter that the server has under this name");
    command.flag("--dry-run", options.is_dry,
                 "Build everything and print what would be sent, but send nothing");
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples(
        {"seq 1 100000 | membrane push --redis localhost:6379 --name seen --shards 8 --fpr 0.1% --dry-run",
         "seq 1 9 | membrane build -q -o nine.mbr && membrane push nine.mbr --redis localhost:6379 "
         "--name nine --dry-run"});
}

bool is_filter_file(const key_source& source) {
    return source.files.size() == 1 && source.files.front() != "-" &&
           start_of(source.files.front()) == file_start::filter;
}

void push_file(const push_options& options, filter_sender& sender) {
    if (options.shards != 1)
        fail(exit_code::usage, fmt::format("{}: a finished filter cannot be split into shards; give its keys",
                                           options.source.files.front()));
    const mapped_filter filter = open_filter(options.source.files.front());
    check_keys_fit(options.source.files.front(), filter.view(), key_format::u64);
    sender.check_name();
    sender.send(options.name, filter.view());
    sender.remove_old_shards();
}

void push_keys(const push_options& options, filter_sender& sender) {
    const kind_choice choice = kind_to_build(options.kind, options.wanted);
    const hasher hash = make_hasher({});
    sender.check_name();
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
    check_not_empty(options.source, reader.keys_read(), options.is_empty_allowed);
    if (!options.is_quiet) say_notes(reader.notes());
    bar.rename("sending");
    for (std::uint64_t i = 0; i < map.shards; ++i) {
        build_request request{
            .kind = choice.kind, .wanted = options.wanted, .given = choice.given, .hash = hash};
        if (!request.wanted.fpr) request.wanted.fpr = plan::default_fpr;
        auto built = build_from(spools[i], request);
        if (!built && built.error().code == errc::bad_field) fail_usage(built.error());
        sender.send(map.shards == 1 ? options.name : map.key_of(options.name, i),
                    value_or_fail(options.name, std::move(built)));
    }
    if (map.shards == 1) sender.remove_old_shards();
    else sender.publish(map);
}

exit_code perform_push(const push_options& options) {
    if (options.shards == 0 || options.shards > most_shards)
        fail(exit_code::usage, fmt::format("--shards: {}, expected 1 to {}", options.shards, most_shards));
    filter_sender sender(options.name, options.target, options.is_forced, options.is_dry);
    if (is_filter_file(options.source)) push_file(options, sender);
    else push_keys(options, sender);
    if (!options.is_quiet)
        say(fmt::format("{}: {} {} in {} filter{}{}", options.name, options.is_dry ? "would send" : "sent",
                        bytes_text(sender.sent_bytes()), options.shards, options.shards == 1 ? "" : "s",
                        options.is_dry ? ", nothing was sent" : ""));
    return exit_code::done;
}

}  // namespace

void add_push_command(const tool_command& tool) {
    add_command<push_options>(tool, "push", "Send a filter to a Redis server or cluster", declare_push,
                              perform_push);
}

}  // namespace membrane::cli
