// membrane build: keys in, filter file out. Hashes are collected first, so that repeated keys are dropped and the size
// follows from the number of keys; what is known to be impossible is said before the input is read.
#include <fmt/format.h>

#include <membrane/runtime/build.hpp>
#include <membrane/runtime/planner.hpp>

#include "commands.hpp"
#include "filter_io.hpp"
#include "key_pipeline.hpp"
#include "kind_argument.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace membrane::cli {

namespace {

struct build_options {
    key_source source;
    std::string output;
    plan::requirement wanted;
    std::string kind{automatic_kind};
    hash_choice hash;
    bool keeps_duplicates = false;
    std::optional<std::uint64_t> max_bytes;
    std::optional<std::uint64_t> memory;
    unsigned threads = 0;
    bool is_forced = false;
    bool is_quiet = false;
};

void declare_build(CLI::App& command, build_options& options) {
    add_key_files(command, options.source);
    add_output(command, options.output, "The filter file to make");
    CLI::Option* const fpr = add_parsed(command, "--fpr", options.wanted.fpr, parse_rate, "P", rate_wanted,
                                        "Wanted false positive rate: 0.001, 1e-3 or 0.1% (default 1%)");
    add_parsed(command, "--bits-per-key", options.wanted.bits_per_key, parse_positive, "X", positive_wanted,
               "Size instead of rate: bits for each key")
        ->excludes(fpr);
    add_parsed(command, "--keys", options.wanted.keys, parse_count, "N", count_wanted,
               "Size for N keys, for more to be added later (default: as many as there are)");
    command
        .add_option("--kind", options.kind,
                    "auto (what `membrane plan` ranks first), or a kind with parameters, as `membrane kinds` "
                    "lists them")
        ->type_name("KIND[:NAME=VALUE,...]");
    add_hash(command, options.hash);
    command.add_flag("--keep-duplicates", options.keeps_duplicates,
                     "Insert a key as often as it comes, for kinds that count");
    add_max_bytes(command, options.max_bytes);
    add_parsed(
        command, "--memory", options.memory, parse_bytes, "SIZE", bytes_wanted,
        "Memory for the hashes of the keys; more go to a temporary file in TMPDIR (default: a quarter of the "
        "machine's)");
    add_threads(command, options.threads);
    add_force(command, options.is_forced);
    add_quiet(command, options.is_quiet);
    set_examples(command, {"seq 1 1000000 | membrane build -o numbers.mbr --fpr 0.1%",
                           "printf 'ann,7\\nbob,9\\n' | membrane build -o names.mbr --delimiter , --field 1 "
                           "--kind counting_bloom"});
}

kind_decision choose_spec(const kind_choice& choice, const plan::requirement& wanted) {
    auto chosen = choose(choice.kind, choice.given, wanted);
    if (!chosen) fail_usage(chosen.error());
    return std::move(*chosen);
}

void state(const build_options& options, const filter_spec& spec, std::uint64_t size_bytes,
           std::string_view why) {
    if (options.is_quiet) return;
    const std::string per_key =
        spec.planned_keys == 0 ? "no keys"
                               : fmt::format("{:.1f} bits/key", 8 * static_cast<double>(size_bytes) /
                                                                    static_cast<double>(spec.planned_keys));
    say(fmt::format("{}, {} keys, {} ({}), planned false positive rate {}", find_entry(spec.kind)->rules.name,
                    count_text(spec.planned_keys), bytes_text(size_bytes), per_key,
                    rate_text(spec.planned_fpr)));
    if (!why.empty()) say(fmt::format("chosen by plan: {}", why));
}

void collect(const build_options& options, const hasher& hash, hash_spool& spool) {
    key_pipeline pipeline(options.source, options.threads);
    progress bar("reading", pipeline.total_bytes(), options.is_quiet);
    struct worker {
        const hasher& hash;
        hash_spool& spool;
        key_pipeline& pipeline;
        progress& bar;
        std::vector<key_hash> hashes{};

        void process(key_parser& parser) {
            hashes.clear();
            while (!parser.next_batch().empty()) {
                const auto batch = parser.hash_batch(hash);
                hashes.insert(hashes.end(), batch.begin(), batch.end());
            }
        }
        void commit() {
            check_or_fail("hashes of the keys", spool.add(hashes));
            bar.update(pipeline.bytes_read(), pipeline.keys_read());
        }
    };
    pipeline.run([&] { return worker{hash, spool, pipeline, bar}; });
}

exit_code perform_build(const build_options& options) {
    const kind_choice choice = parse_kind(options.kind);
    const hasher hash = make_hasher(options.hash, options.source.format);
    const size_limit limit = limit_of(options.max_bytes);
    check_output(options.output, options.is_forced);
    check_not_an_input(options.output, options.source.files);
    plan::requirement wanted = options.wanted;
    if (!wanted.fpr && !wanted.bits_per_key) wanted.fpr = plan::default_fpr;
    wanted.max_bytes = options.max_bytes;
    std::optional<kind_decision> chosen;
    if (wanted.keys != 0) {
        chosen = choose_spec(choice, wanted);
        checked_size(chosen->spec, limit);
    }

    hash_spool spool(options.keeps_duplicates ? duplicates::keep : duplicates::drop,
                     options.memory.value_or(memory_bytes() / 4), {}, options.threads);
    collect(options, hash, spool);
    const std::uint64_t count = value_or_fail("hashes of the keys", spool.finish());

    progress bar("filling", count, options.is_quiet);
    if (!chosen) {
        wanted.keys = count;
        chosen = choose_spec(choice, wanted);
    }
    const auto working = working_bytes(chosen->spec, count);
    if (!working) fail_usage(working.error());
    const std::uint64_t size = checked_size(chosen->spec, limit);
    check_working_memory(*working, limit);
    state(options, chosen->spec, size, chosen->why);
    if (*working != size && !options.is_quiet)
        say(fmt::format("the keys choose together, which takes {} of memory", bytes_text(*working)));
    any_filter filter = value_or_fail(options.output, any_filter::create(chosen->spec, hash));
    check_or_fail(options.output, fill(filter, spool, options.threads,
                                       [&](std::uint64_t done, std::uint64_t) { bar.update(done, done); }));
    const auto lock = lock_existing(options.output, options.is_forced);
    save_new(filter, options.output, options.is_forced);
    if (!options.is_quiet) warn_if_over_capacity(options.output, filter);
    return exit_code::done;
}

}  // namespace

void add_build_command(CLI::App& app, action& run) {
    add_command<build_options>(app, run, "build", "Build a filter file from keys", declare_build,
                               perform_build);
}

}  // namespace membrane::cli
