// membrane improve: more rounds of offline construction for an existing choice_bloom file. The keys must be those that the
// filter was built from: the bits of a missing key would be lost. With any other number of keys the file stays unchanged.
#include <fmt/core.h>

#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/runtime/build.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/progress.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct improve_options {
    std::string filter;
    key_source source;
    std::uint64_t rounds = 40;
    std::optional<std::uint64_t> max_bytes;
    bool is_quiet = false;
};

void declare_improve(const tool_command& command, improve_options& options) {
    add_filter(command, options.filter, "The filter file; replaced as a whole or left unchanged");
    add_count(command, "--rounds", options.rounds, "How often each key chooses again (default 40)");
    add_max_bytes(command, options.max_bytes);
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples(
        {"seq 1 1000 >keys.txt && membrane build -q -o static.mbr --kind choice_bloom:choices=3 keys.txt && "
         "membrane improve static.mbr keys.txt",
         "seq 1 500 | membrane build -q -o few.mbr --kind choice_bloom:rounds=5 && seq 1 500 | membrane "
         "improve "
         "few.mbr --rounds 20"});
}

// The hashes of the different keys. Their number must equal the filter's, for which the memory was checked.
std::vector<key_hash> read_keys(const improve_options& options, const any_filter& filter) {
    hash_spool spool(duplicates::drop);
    {
        key_reader reader(options.source);
        progress bar("reading", reader.total_bytes(), options.is_quiet);
        for (auto batch = reader.next_batch(filter.hash()); !batch.keys.empty();
             batch = reader.next_batch(filter.hash())) {
            check_or_fail("hashes of the keys", spool.add(batch.hashes));
            bar.update(reader);
        }
    }
    std::vector<key_hash> hashes;
    const std::uint64_t count = value_or_fail("hashes of the keys", spool.finish());
    if (count != filter.keys())
        fail_about(options.filter,
                   make_error(errc::bad_field, "keys")
                       .with_found(count)
                       .with_expected(filter.keys())
                       .with_note("give the keys that the filter was built from, all of them and each once"));
    hashes.reserve(count);
    check_or_fail("hashes of the keys",
                  spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
                      hashes.insert(hashes.end(), batch.begin(), batch.end());
                      return {};
                  }));
    return hashes;
}

exit_code perform_improve(const improve_options& options) {
    edited_filter edited(options.filter);
    any_filter& filter = edited.filter();
    const kind_ops& ops = filter.kind().ops_for(filter.spec());
    if (ops.offline == nullptr)
        fail_about(
            options.filter,
            make_error(errc::not_supported, "improve")
                .with_note(
                    "only choice_bloom filters, whose keys choose among several places, can be improved"));
    if (options.rounds == 0) fail(exit_code::usage, "--rounds 0 would change nothing");
    if (const std::uint64_t most = filter.kind().rules.fields[ops.offline->field].most; options.rounds > most)
        fail(exit_code::usage, fmt::format("--rounds: {}, expected 1 to {}", options.rounds, most));
    check_keys_fit(options.filter, filter, options.source.format);
    filter_spec together = filter.spec();
    together[ops.offline->field] = std::max<std::uint64_t>(2, together[ops.offline->field]);
    const auto working = working_bytes(together, filter.keys());
    if (!working) fail(exit_code::usage, "the memory that improving needs does not fit into 64 bits");
    check_working_memory(*working, limit_of(options.max_bytes));
    if (!options.is_quiet) say(fmt::format("offline construction takes {} of memory", bytes_text(*working)));

    const std::vector<key_hash> hashes = read_keys(options, filter);
    const double before = filter.estimated_fpr_now();
    const double fill_before = filter.fill();
    {
        progress bar("choosing", options.rounds, options.is_quiet);
        rounds_request request{.rounds = options.rounds, .start = rounds_start::present, .threads = 0};
        request.seed =
            1 + filter.spec()[ops.offline->field];  // other random numbers than the earlier rounds had
        request.progress = [&](std::uint64_t done, std::uint64_t) { bar.update(done, done); };
        value_or_fail(options.filter, filter.choose_together(hashes, request));
    }
    const bool is_better = filter.fill() < fill_before;
    if (is_better) edited.save();
    if (!options.is_quiet)
        say(is_better ? fmt::format("{}: estimated false positive rate {}, was {}", options.filter,
                                    rate_text(filter.estimated_fpr_now()), rate_text(before))
                      : fmt::format("{}: no better choice found, nothing changed", options.filter));
    return exit_code::done;
}

}  // namespace

void add_improve_command(const tool_command& tool) {
    add_command<improve_options>(tool, "improve", "Lower the rate of a filter whose keys are available",
                                 declare_improve, perform_improve);
}

}  // namespace membrane::cli
