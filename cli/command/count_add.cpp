// membrane count add: counts more keys into a file, of a stream for as long as it lasts, and prints the most counted keys meanwhile.
#include <algorithm>
#include <cerrno>
#include <chrono>

#include <unistd.h>

#include <fmt/core.h>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/options.hpp"
#include "cli/input/stop_signals.hpp"
#include "cli/print/count_report.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/progress.hpp"
#include "cli/stream/kept_filter.hpp"
#include "commands.hpp"
#include "tally.hpp"

namespace membrane::cli {

namespace {

struct count_add_options {
    std::string filter;
    key_source source;
    save_schedule saving, printing;
    std::uint64_t top = 10;
    bool is_json = false;
    given_labels labels;
    bool is_quiet = false;
};

void declare_count_add(const tool_command& command, count_add_options& options) {
    add_filter(command, options.filter, "A file that `membrane count build` made; replaced as a whole");
    add_parsed(command, "--top-every", options.printing, save_schedule::parse, "N|TIME", save_schedule_wanted,
               "Print the most counted keys after so many keys, or so often: 1M, 10s, 5min; and at the end");
    add_count(command, "-n", options.top, "With --top-every: how many keys (default 10)");
    command.flag("--json", options.is_json,
                 "With --top-every: each time a JSON object on a line (doc/json.md)");
    add_parsed(command, "--save-every", options.saving, save_schedule::parse, "N|TIME", save_schedule_wanted,
               "Save after so many keys, or so long after the last time (default: at the end and at SIGTERM, "
               "SIGINT, SIGHUP)");
    add_labels(command, options.labels);
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples(
        {"printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && printf 'a\\nc\\n' | membrane count "
         "add abc.mbr && "
         "membrane count top abc.mbr",
         "seq 1 9 | membrane count build -q -o n.mbr && seq 1 1000 | cut -c1 | membrane count add -q n.mbr "
         "--top-every 500 -n 3"});
}

// Whether something is due, and when it will be.
class timer {
public:
    explicit timer(const save_schedule& schedule) : schedule_(schedule), last_(clock::now()) {}

    bool is_due(std::uint64_t keys) const {
        return keys != last_keys_ && ((schedule_.keys && keys - last_keys_ >= *schedule_.keys) ||
                                      (schedule_.time && clock::now() >= last_ + *schedule_.time));
    }
    void restart(std::uint64_t keys) {
        last_ = clock::now();
        last_keys_ = keys;
    }
    // Milliseconds; -1 if it depends on keys alone, or there is nothing new to wait for.
    std::int64_t left_ms(std::uint64_t keys) const {
        if (!schedule_.time || keys == last_keys_) return -1;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(last_ + *schedule_.time - clock::now());
        return std::max<std::int64_t>(left.count(), 1);
    }

private:
    using clock = std::chrono::steady_clock;

    save_schedule schedule_;
    clock::time_point last_;
    std::uint64_t last_keys_ = 0;
};

any_filter& with_counts(const std::string& path, any_filter& filter) {
    if (!is_count_file(filter))
        fail(exit_code::usage, fmt::format("{}: holds no counts ({}); `membrane add` adds keys to filters",
                                           path, filter.kind().rules.name));
    return filter;
}

class live_counter {
public:
    explicit live_counter(const count_add_options& options)
        : options_(options),
          kept_(options.filter, false, [&]() -> any_filter { fail_errno(options.filter, "open", ENOENT); }),
          counts_(with_counts(options.filter, kept_.filter()), options.filter),
          reader_(options.source, [this] { return look_at_time(); }),
          prints_(options.printing.keys || options.printing.time),
          bar_("counting", reader_.total_bytes(), options.is_quiet || prints_),
          saving_(options.saving),
          printing_(options.printing) {
        check_keys_fit(options.filter, kept_.filter(), options.source.format);
    }

    void run() {
        const hasher hash = kept_.filter().hash();
        try {
            for (auto batch = reader_.next_batch(hash); !batch.keys.empty();
                 batch = reader_.next_batch(hash)) {
                counts_.add(batch);
                look_at_time();
                bar_.update(reader_);
            }
        } catch (...) {
            if (!out().is_broken() && reader_.keys_read() != 0) save();
            throw;
        }
        set_labels(kept_.filter(), options_.labels);
        if (prints_) print();
        if (reader_.keys_read() != 0 || !options_.labels.empty()) save();
    }
    void report() {
        if (options_.is_quiet) return;
        say_notes(reader_.notes());
        say_counted(options_.filter, reader_.keys_read(), kept_.filter());
    }

private:
    int look_at_time() {
        const std::uint64_t keys = reader_.keys_read();
        if (printing_.is_due(keys)) {
            print();
            printing_.restart(keys);
        }
        if (saving_.is_due(keys)) save();
        std::int64_t wait = -1;
        for (const std::int64_t left : {printing_.left_ms(keys), saving_.left_ms(keys)})
            if (left >= 0) wait = wait < 0 ? left : std::min(wait, left);
        return static_cast<int>(std::min<std::int64_t>(wait, INT32_MAX));
    }
    // Reports are separated by a blank line.
    void print() {
        std::vector<counted_key> top = counts_.most_counted();
        if (top.size() > options_.top) top.resize(static_cast<std::size_t>(options_.top));
        const shown_key format = options_.source.format == key_format::u64   ? shown_key::u64
                                 : options_.source.format == key_format::hex ? shown_key::hex
                                                                             : shown_key::lines;
        if (options_.is_json) {
            print_json_line(top_json(options_.filter, kept_.filter().keys(), top, format));
        } else {
            if (has_printed_) out().write('\n');
            print_top(top, format);
        }
        has_printed_ = true;
        out().flush();
    }
    void save() {
        out().flush();
        counts_.settle();
        kept_.save();
        saving_.restart(reader_.keys_read());
    }

    const count_add_options& options_;
    kept_filter kept_;
    tally counts_;
    key_reader reader_;
    bool prints_;
    progress bar_;
    timer saving_, printing_;
    bool has_printed_ = false;
};

exit_code perform_count_add(const count_add_options& options) {
    if (options.filter != "-" && ::access(options.filter.c_str(), F_OK) != 0)
        fail_errno(options.filter, "open", errno);
    stop_signals::catch_them();
    if (options.printing.keys || options.printing.time) out().expect_results();
    {
        live_counter work(options);
        work.run();
        work.report();
    }
    stop_signals::end_by_signal();
    return exit_code::done;
}

}  // namespace

void add_count_add_command(const tool_command& count) {
    add_command<count_add_options>(count, "add", "Count more keys into a file, also of a live stream",
                                   declare_count_add, perform_count_add);
}

}  // namespace membrane::cli
