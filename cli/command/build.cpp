// membrane build: makes a filter file from keys. The hashes are collected first, so that repeated keys are dropped and the
// filter is sized for the number of different keys. Impossible requests fail before the input is read.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include <membrane/runtime/build.hpp>
#include <membrane/runtime/planner.hpp>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/key_pipeline.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/progress.hpp"
#include "cli/print/spec_text.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct build_options {
    key_source source;
    std::string output;
    plan::requirement wanted;
    std::string kind;
    hash_choice hash;
    bool keeps_duplicates = false;
    std::optional<std::uint64_t> max_bytes;
    std::optional<std::uint64_t> memory;
    unsigned threads = 0;
    mode_choice mode;
    bool is_forced = false;
    given_labels labels;
    std::optional<double> headroom;
    bool is_json = false;
    bool is_empty_allowed = false;
    bool is_quiet = false;
};

void declare_build(const tool_command& command, build_options& options) {
    add_output(command, options.output, "The filter file to make");
    add_fpr_or_bits(command, options.wanted.fpr, options.wanted.bits_per_key);
    add_count(command, "--keys", options.wanted.keys,
              "Size for N keys, so that more can be added later (default: the number of keys read)");
    add_growth(command, options.wanted);
    add_parsed(command, "--headroom", options.headroom, parse_part, "P", "a part such as 20% or 0.2",
               "Size for so many more keys than there are: 20%");
    command.flag("--static", options.wanted.is_static,
                 "All keys are there and none is added later: kinds may take longer to build for fewer bits");
    add_kind(command, options.kind);
    add_hash(command, options.hash);
    command.flag("--keep-duplicates", options.keeps_duplicates,
                 "Insert every occurrence of a key, for kinds that count");
    add_max_bytes(command, options.max_bytes);
    add_bytes(
        command, "--memory", options.memory,
        "Memory for the hashes of the keys; more go to a temporary file in TMPDIR (default: a quarter of "
        "the machine's)");
    add_threads(command, options.threads);
    add_labels(command, options.labels);
    add_json(command, options.is_json);
    add_allow_empty(command, options.is_empty_allowed);
    add_force(command, options.is_forced);
    add_mode(command, options.mode);
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples({"seq 1 1000000 | membrane build -o numbers.mbr --fpr 0.1%",
                          "printf 'ann,7\\nbob,9\\n' | membrane build -o names.mbr --delimiter , --field 1 "
                          "--grow-to 1M"});
}

void check_form(const filter_spec& spec, const plan::requirement& wanted) {
    if (wanted.grow_to != 0) check_able("--grow-to", spec, can_grow, "this filter would not grow");
    if (wanted.needs.erase)
        check_able("--delete", spec, can_erase, "keys could not be removed from this filter");
}

std::uint64_t with_headroom(std::uint64_t count, const std::optional<double>& headroom) {
    constexpr double most_keys = 1e18;
    return static_cast<std::uint64_t>(
        std::min(most_keys, std::ceil(static_cast<double>(count) * (1 + headroom.value_or(0)))));
}

kind_decision choose_spec(const kind_choice& choice, const plan::requirement& wanted) {
    kind_decision chosen = choose_or_fail(choice, wanted);
    check_form(chosen.spec, wanted);
    return chosen;
}

// A kind that cannot do what is asked is refused before the input is read. A requirement that fails for one key may hold for more.
void check_named_kind(const kind_choice& choice, plan::requirement wanted) {
    if (choice.kind == nullptr) return;
    wanted.keys = std::max<std::uint64_t>(1, wanted.keys);
    if (const auto chosen = choose(choice.kind, choice.given, wanted)) check_form(chosen->spec, wanted);
}

void announce(const build_options& options, const filter_spec& spec, std::uint64_t count,
              std::uint64_t size_bytes, std::string_view why) {
    if (options.is_quiet) return;
    const std::uint64_t planned = spec.planned_keys, grow_to = options.wanted.grow_to;
    const std::string per_key =
        planned == 0
            ? "no keys"
            : bits_per_key_text(8 * static_cast<double>(size_bytes) / static_cast<double>(planned), 1);
    const bool is_for_more = planned != count && planned != 0 && grow_to == 0;
    say(fmt::format("{}, {}{}, {} ({}{}), planned false positive rate {}{}",
                    find_entry(spec.kind)->rules.name, counted_text(count, "key", "keys"),
                    is_for_more ? fmt::format(" in a filter for {}", count_text(planned)) : "",
                    bytes_text(size_bytes), per_key, is_for_more ? " of those" : "",
                    rate_text(spec.planned_fpr),
                    grow_to == 0 ? "" : fmt::format(" up to {} keys", count_text(grow_to))));
    if (!why.empty()) say(fmt::format("chosen by plan: {}", why));
}

key_notes collect(const build_options& options, const hasher& hash, hash_spool& spool) {
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
    check_not_empty(options.source, pipeline.keys_read(), options.is_empty_allowed);
    return pipeline.notes();
}

exit_code perform_build(const build_options& options) {
    const kind_choice choice = kind_to_build(options.kind, options.wanted);
    const hasher hash = make_hasher(options.hash);
    const size_limit limit = limit_of(options.max_bytes);
    check_output(options.output, options.is_forced);
    check_json_output(options.is_json, options.output);
    if (options.headroom && (options.wanted.keys != 0 || options.wanted.grow_to != 0))
        fail(exit_code::usage,
             "--headroom: not with --keys or --grow-to, which say how many keys there will be");
    check_not_an_input(options.output, options.source.files);
    plan::requirement wanted = options.wanted;
    if (!wanted.fpr && !wanted.bits_per_key) wanted.fpr = plan::default_fpr;
    wanted.max_bytes = options.max_bytes;
    check_grow_to(wanted, wanted.keys, "the planned");
    check_named_kind(choice, wanted);
    std::optional<kind_decision> chosen;
    if (wanted.keys != 0) {
        chosen = choose_spec(choice, wanted);
        checked_size(chosen->spec, limit);
    }

    hash_spool spool(options.keeps_duplicates ? duplicates::keep : duplicates::drop,
                     options.memory.value_or(memory_bytes() / 4), {}, options.threads);
    const key_notes notes = collect(options, hash, spool);
    if (!options.is_quiet) say_notes(notes);
    const std::uint64_t count = value_or_fail("hashes of the keys", spool.finish());

    check_grow_to(wanted, count, "the input's");
    progress bar("filling", count, options.is_quiet);
    if (!chosen) {
        wanted.keys = with_headroom(count, options.headroom);
        chosen = choose_spec(choice, wanted);
    }
    const auto working = working_bytes(chosen->spec, count);
    if (!working) fail_usage(working.error());
    const std::uint64_t size = checked_size(chosen->spec, limit);
    check_working_memory(*working, limit);
    announce(options, chosen->spec, count, size, chosen->why);
    if (*working != size && !options.is_quiet)
        say(fmt::format("offline construction takes {} of memory", bytes_text(*working)));
    any_filter filter = value_or_fail(options.output, any_filter::create(chosen->spec, hash));
    check_or_fail(options.output, fill(filter, spool, options.threads,
                                       [&](std::uint64_t done, std::uint64_t) { bar.update(done, done); }));
    set_labels(filter, options.labels);
    const auto lock = lock_existing(options.output, options.is_forced);
    save_new(filter, options.output, options.is_forced,
             permissions_with_key(options.mode, !options.hash.key));
    if (!options.is_quiet) warn_if_over_capacity(options.output, filter);
    if (options.is_json)
        print_json(json{{"file", options.output},
                        {"kind", filter.kind().rules.name},
                        {"keys", filter.keys()},
                        {"planned_keys", filter.spec().planned_keys},
                        {"planned_fpr", filter.spec().planned_fpr},
                        {"size_bytes", filter.size_bytes()},
                        {"file_bytes", filter.file_bytes()},
                        {"parameters", parameters_json(filter.spec())},
                        {"input", notes_json(notes)}});
    return exit_code::done;
}

}  // namespace

void add_build_command(const tool_command& tool) {
    add_command<build_options>(tool, "build", "Build a filter file from keys", declare_build, perform_build);
}

}  // namespace membrane::cli
