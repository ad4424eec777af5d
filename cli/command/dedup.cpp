// membrane dedup: prints each line whose key is new and remembers the key, in one pass and in order. What is printed is remembered when the
// filter was saved: at the end, when a signal ends the command, and as --save-every says.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <unistd.h>

#include <fmt/core.h>

#include <membrane/kind/balanced_rank/spec.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_pipeline.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/input/stop_signals.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/key_count.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/progress.hpp"
#include "cli/print/spec_text.hpp"
#include "cli/stream/expected_losses.hpp"
#include "cli/stream/kept_filter.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

constexpr double default_dedup_fpr = 1e-6;
constexpr std::uint64_t default_dedup_keys = 100'000'000;

std::uint64_t dedup_keys_for(double fpr) {
    return std::clamp<std::uint64_t>(most_keys_at(fpr), 1, default_dedup_keys);
}

struct dedup_options {
    std::string filter;
    key_source source;
    plan::requirement wanted;
    std::string kind;
    hash_choice hash;
    save_schedule schedule;
    bool prints_repeated = false;
    bool is_counting = false;
    bool is_line_buffered = false;
    unsigned threads = 0;
    given_labels labels;
    bool is_empty_allowed = false;
    bool is_forced = false;
    mode_choice mode;
    bool is_quiet = false;
};

void declare_dedup(const tool_command& command, dedup_options& options) {
    add_filter(command, options.filter, "The filter file with the keys seen so far; made if there is none");
    add_parsed(command, "--fpr", options.wanted.fpr, parse_rate, "P", rate_wanted,
               "Of a new file: the part of the new keys that may be taken for seen ones (default 1e-6)");
    const tool_option grow_to = add_count(command, "--grow-to", options.wanted.grow_to,
                                          "Of a new file: keep that rate up to N keys; beyond them it rises "
                                          "in proportion (default 100M; below 5.6e-9 as many as can be: "
                                          "1.8e16 times the rate, 18,014 keys at 1e-12)");
    add_count(command, "--keys", options.wanted.keys,
              "Of a new file: have the size for N keys from the start. An existing file must agree with "
              "these options, with --kind, --hash and --key")
        .excludes(grow_to);
    add_kind(command, options.kind);
    add_hash(command, options.hash);
    add_parsed(command, "--save-every", options.schedule, save_schedule::parse, "N|TIME",
               save_schedule_wanted,
               "Save after so many new keys, or so long after the last time: 10M, 30s, 5min, 1h (default: at "
               "the end and at SIGTERM, SIGINT, SIGHUP)");
    command.flag("-d,--repeated", options.prints_repeated,
                 "Print the lines whose key was seen before instead of the new ones");
    command.flag("-c,--count", options.is_counting, "Print only the number of these lines");
    command.flag(
        "--line-buffered", options.is_line_buffered,
        "Write every line by itself. Without it, lines are written at the latest when the input pauses");
    add_threads(command, options.threads);
    add_labels(command, options.labels);
    add_allow_empty(command, options.is_empty_allowed,
                    "With --force: replace the file even if the input has no key");
    command.flag("--force", options.is_forced, "Start afresh: replace an existing file when saving");
    add_mode(command, options.mode,
             "Permissions of the file, also of one that is there (default: 600 for a new file with a random "
             "hash key)");
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples(
        {"printf 'a\\nb\\na\\n' | membrane dedup seen.mbr && printf 'b\\nc\\n' | membrane dedup seen.mbr",
         "printf 'ann,7\\nbob,9\\nann,8\\n' | membrane dedup names.mbr --delimiter , --field 1 --fpr 1e-9"});
}

// Small at first, and kept at its rate up to many keys; a kind that does not grow has the size for all of them at once.
filter_spec new_spec(const dedup_options& options) {
    plan::requirement wanted = options.wanted;
    if (!wanted.fpr) wanted.fpr = default_dedup_fpr;
    const kind_choice choice = kind_to_build(options.kind, wanted);
    if (wanted.keys != 0) return choose_or_fail(choice, wanted).spec;
    if (wanted.grow_to == 0) wanted.grow_to = dedup_keys_for(*wanted.fpr);
    plan::requirement growing = wanted;
    growing.keys = std::min<std::uint64_t>(wanted.grow_to, 1000);
    const filter_spec spec = choose_or_fail(choice, growing).spec;
    if (capabilities_of(spec).grow) return spec;
    wanted.keys = std::exchange(wanted.grow_to, 0);
    return choose_or_fail(choice, wanted).spec;
}

any_filter make_filter(const dedup_options& options) {
    const filter_spec spec = new_spec(options);
    if (spec.kind == kind_id::count_min)
        fail(exit_code::usage,
             "--kind: count_min says how often, not whether, a key was seen; name another kind");
    checked_size(spec, limit_of({}));
    return value_or_fail(options.filter, any_filter::create(spec, make_hasher(options.hash)));
}

// The options of a new file must not contradict an existing one: whoever asks for another rate must not get the old one unawares.
class agreement {
public:
    agreement(const dedup_options& options, const any_filter& filter) : options_(options), filter_(filter) {}

    void check() const {
        check_kind();
        check_rate();
        check_keys();
        check_hash();
    }

private:
    [[noreturn]] void refuse(std::string_view option, const std::string& wanted,
                             const std::string& found) const {
        fail(exit_code::usage, fmt::format("{0}: {1}, but {2} {3}; leave {0} out to go on with the file, or "
                                           "give --force to start afresh",
                                           option, wanted, options_.filter, found));
    }

    void check_kind() const {
        const kind_choice choice = options_.kind.empty() ? kind_choice{} : parse_kind(options_.kind);
        if (choice.kind == nullptr) return;
        const kind_rules& rules = filter_.kind().rules;
        if (choice.kind != &filter_.kind())
            refuse("--kind", options_.kind, fmt::format("is a {}", rules.name));
        for (std::size_t i = 0; i < rules.fields.size(); ++i) {
            // The layout of a filter that grows has changed with its keys.
            const bool is_kept = filter_.universe() == 0 || i == 0 || rules.fields[i].name == "universe";
            if (is_kept && choice.given.is_given[i] && choice.given.spec[i] != filter_.spec()[i])
                refuse("--kind", options_.kind,
                       fmt::format("has {}={}", rules.fields[i].name,
                                   field_text(rules.fields[i], filter_.spec()[i])));
        }
    }

    void check_rate() const {
        const double planned = filter_.spec().planned_fpr;
        constexpr double rounding = 1e-9;
        if (options_.wanted.fpr && std::abs(planned - *options_.wanted.fpr) > rounding * planned)
            refuse("--fpr", rate_text(*options_.wanted.fpr),
                   planned == 0 ? "was made for no rate" : "was made for " + rate_text(planned));
    }

    void check_keys() const {
        const auto check_promise = [&](std::string_view option, std::uint64_t keys, bool is_as_wanted) {
            if (!is_as_wanted)
                refuse(option, counted_text(keys, "key", "keys"),
                       "keeps its rate up to " + counted_text(filter_.promised_keys(), "key", "keys"));
        };
        const std::uint64_t promised = filter_.promised_keys(), grow_to = options_.wanted.grow_to;
        // Numbers of keys that are rounded up to one universe are the same.
        const auto universe_for = [&](std::uint64_t keys) {
            return universe_of_at_least(static_cast<double>(keys) / filter_.spec().planned_fpr);
        };
        if (grow_to != 0)
            check_promise(
                "--grow-to", grow_to,
                filter_.universe() == 0 ? promised == grow_to : universe_for(grow_to) == filter_.universe());
        if (options_.wanted.keys != 0)
            check_promise("--keys", options_.wanted.keys, options_.wanted.keys <= promised);
    }

    void check_hash() const {
        const hasher& hash = filter_.hash();
        if (options_.hash.id && *options_.hash.id != hash.id)
            refuse("--hash", std::string(name_of(*options_.hash.id)),
                   fmt::format("has {}", name_of(hash.id)));
        if (options_.hash.key && *options_.hash.key != hash.key)
            refuse("--key", "another key than that of the file", "keeps its own");
    }

    const dedup_options& options_;
    const any_filter& filter_;
};

class deduplicator {
public:
    explicit deduplicator(const dedup_options& options)
        : options_(options),
          kept_(
              options.filter, options.is_forced, [&] { return make_filter(options); },
              permissions_with_key(options.mode, !options.hash.key)),
          pipeline_(options.source, options.threads, [this] { return save_when_due(); }),
          bar_("reading", pipeline_.total_bytes(), options.is_quiet || ::isatty(STDOUT_FILENO) == 1),
          losses_(kept_.filter()),
          last_save_(clock::now()) {
        check_able_to_add();
        if (!kept_.is_new()) agreement(options_, kept_.filter()).check();
        set_labels(kept_.filter(), options_.labels);
        // A file that is there gets labels and permissions also if there is no new key.
        must_save_ = options_.is_forced || !options_.labels.empty() || options_.mode;
        announce();
    }

    void run() {
        try {
            pipeline_.run([this] { return worker{*this}; });
            if (options_.is_forced)
                check_not_empty(options_.source, pipeline_.keys_read(), options_.is_empty_allowed);
        } catch (...) {
            // What was printed is remembered; what could not be printed is not.
            if (out().is_broken()) throw;
            if (unsaved_ != 0) save();
            throw;
        }
        if (options_.is_counting) out().print("{}\n", options_.prints_repeated ? repeated_ : printed_);
        if (unsaved_ != 0 || (must_save_ && !has_saved_)) save();
        else out().flush();
    }

    void report() {
        if (options_.is_quiet) return;
        say_notes(pipeline_.notes());
        losses_.update(true);
        const double lost = losses_.expected();
        const auto fresh = static_cast<std::uint64_t>(static_cast<double>(printed_) + lost + 0.5);
        constexpr double least_shown = 0.01;
        const std::string losses =
            fresh == 0 ? ""
                       : fmt::format(" {} of {} {} taken for seen ones;",
                                     lost < least_shown ? "less than 0.01" : "about " + estimate_text(lost),
                                     counted_text(fresh, "new key", "new keys"),
                                     lost < least_shown ? "is expected to be" : "were");
        say(fmt::format("{}: {} of {} read;{} the filter holds {} in {}", options_.filter,
                        counted_text(printed_, "new key", "new keys"), count_text(pipeline_.keys_read()),
                        losses, counted_text(different_keys(kept_.filter()), "key", "keys"),
                        bytes_text(kept_.filter().size_bytes())));
        warn_if_over_capacity(options_.filter, kept_.filter());
    }

private:
    using clock = std::chrono::steady_clock;

    struct worker {
        deduplicator& owner;
        std::vector<std::string_view> records{};
        std::vector<key_hash> hashes{};

        void process(key_parser& parser) {
            records.clear();
            hashes.clear();
            for (auto keys = parser.next_batch(); !keys.empty(); keys = parser.next_batch()) {
                for (const input_key& key : keys) records.push_back(key.record);
                const auto batch = parser.hash_batch(owner.kept_.filter().hash());
                hashes.insert(hashes.end(), batch.begin(), batch.end());
            }
        }
        void commit() { owner.take(records, hashes); }
    };

    // At a tiny rate the usual number of keys is out of reach, and nobody has named another.
    void announce() const {
        const std::uint64_t promised = kept_.filter().promised_keys();
        if (options_.is_quiet || !kept_.is_new() || options_.wanted.grow_to != 0 ||
            options_.wanted.keys != 0 || promised >= default_dedup_keys)
            return;
        say(
            fmt::format("{}: keeps the rate of {} up to {}, the most at this rate; beyond them it rises in "
                        "proportion",
                        options_.filter, rate_text(kept_.filter().spec().planned_fpr),
                        counted_text(promised, "key", "keys")));
    }

    void check_able_to_add() {
        const any_filter& filter = kept_.filter();
        check_keys_fit(options_.filter, filter, options_.source.format);
        if (filter.spec().kind == kind_id::count_min)
            fail(exit_code::usage,
                 fmt::format("{}: counts keys (count_min); a filter of another kind is needed",
                             options_.filter));
    }

    // One batch lookup first, because it is fast; only keys that look new are inserted, each after another lookup, because the batch
    // may repeat a key.
    void take(std::span<const std::string_view> records, std::span<const key_hash> hashes) {
        constexpr std::size_t batch_keys = key_parser::batch_keys;
        std::array<std::uint64_t, batch_keys / 64> answers{};
        any_filter& filter = kept_.filter();
        for (std::size_t start = 0; start < hashes.size(); start += batch_keys) {
            const auto batch = hashes.subspan(start, std::min(batch_keys, hashes.size() - start));
            filter.may_contain_many(batch, answers);
            for (std::size_t i = 0; i < batch.size(); ++i) {
                bool is_new = (answers[i / 64] >> (i % 64) & 1) == 0;
                if (is_new) {
                    const auto stored = filter.try_insert_if_absent(batch[i]);
                    if (!stored) fail_about(options_.filter, stored.error());
                    is_new = *stored;
                }
                ++(is_new ? printed_ : repeated_);
                unsaved_ += is_new ? 1 : 0;
                if (is_new != options_.prints_repeated) print(records[start + i]);
            }
        }
        losses_.update();
        save_when_due();
        bar_.update(pipeline_.bytes_read(), pipeline_.keys_read());
    }

    void print(std::string_view record) {
        if (options_.is_counting) return;
        out().write(record);
        out().write(record_end_of(options_.source.format));
        if (options_.is_line_buffered) out().flush();
    }

    // Returns the milliseconds after which to ask again, -1 for none.
    int save_when_due() {
        const save_schedule& schedule = options_.schedule;
        if (schedule.keys && unsaved_ >= *schedule.keys) save();
        if (!schedule.time) return -1;
        const auto until_due = [&] {
            return std::chrono::ceil<std::chrono::milliseconds>(last_save_ + *schedule.time - clock::now())
                .count();
        };
        if (unsaved_ != 0 && until_due() <= 0) save();
        // Another thread may add keys while this one waits, so it waits no longer than that also when there is nothing to save.
        const std::int64_t wait = unsaved_ != 0 ? until_due() : schedule.time->count();
        return static_cast<int>(std::clamp<std::int64_t>(wait, 1, INT32_MAX));
    }

    // Lines are written before their keys are saved: killed in between, the command prints them once more the next time, rather than never.
    void save() {
        out().flush();
        kept_.save();
        has_saved_ = true;
        unsaved_ = 0;
        last_save_ = clock::now();
    }

    const dedup_options& options_;
    kept_filter kept_;
    key_pipeline pipeline_;
    progress bar_;
    expected_losses losses_;
    clock::time_point last_save_;
    std::uint64_t printed_ = 0, repeated_ = 0, unsaved_ = 0;
    bool must_save_ = false, has_saved_ = false;
};

exit_code perform_dedup(const dedup_options& options) {
    if (options.source.may_have_many_keys())
        fail(exit_code::usage, "dedup needs one key of each line: --field 2+5 makes one of two fields");
    if (options.wanted.grow_to != 0) check_grow_to(options.wanted, options.wanted.keys, "the planned");
    stop_signals::catch_them();
    out().expect_results();
    {
        deduplicator work(options);
        work.run();
        work.report();
    }
    stop_signals::end_by_signal();
    return exit_code::done;
}

}  // namespace

void add_dedup_command(const tool_command& tool) {
    add_command<dedup_options>(tool, "dedup", "Print each new key once and remember it, in one pass",
                               declare_dedup, perform_dedup);
}

}  // namespace membrane::cli
