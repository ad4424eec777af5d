// membrane add: adds keys to an existing file. A key that the filter already reports as present changes nothing, except in
// kinds that count: there every line is one more occurrence.
#include <array>

#include <fmt/core.h>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/options.hpp"
#include "cli/print/count_report.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/progress.hpp"
#include "cli/stream/expected_losses.hpp"
#include "commands.hpp"
#include "tally.hpp"

namespace membrane::cli {

namespace {

struct add_options {
    std::string filter;
    key_source source;
    given_labels labels;
    bool is_json = false;
    bool is_quiet = false;
};

void declare_add(const tool_command& command, add_options& options) {
    add_filter(command, options.filter, "The filter file; replaced as a whole or left unchanged");
    add_labels(command, options.labels);
    add_json(command, options.is_json);
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples(
        {"seq 1 100 | membrane build -q -o seen.mbr --keys 1000 && seq 101 200 | membrane add seen.mbr",
         "printf 'a\\nb\\n' >new.txt && membrane build -q -o letters.mbr new.txt && membrane add letters.mbr "
         "new.txt"});
}

struct added {
    std::uint64_t stored = 0;
    std::uint64_t present = 0;
    double expected_false = 0;  // of those that looked present
};

// A batch lookup is fast, so it comes first. Only absent keys are inserted, each after another lookup because the batch may
// repeat a key.
void insert_absent(any_filter& filter, std::span<const key_hash> hashes, const std::string& path,
                   added& counts) {
    std::array<std::uint64_t, key_reader::batch_keys / 64> answers{};
    filter.may_contain_many(hashes, answers);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if ((answers[i / 64] >> (i % 64) & 1) != 0) {
            ++counts.present;
            continue;
        }
        const auto is_stored = filter.try_insert_if_absent(hashes[i]);
        if (!is_stored) fail_about(path, is_stored.error());
        ++(*is_stored ? counts.stored : counts.present);
    }
}

added add_keys(any_filter& filter, key_reader& reader, progress& bar, const std::string& path) {
    added counts;
    expected_losses losses(filter);
    const capabilities can = capabilities_of(filter.spec());
    const std::uint64_t before = filter.keys();
    if (is_count_file(filter)) {
        tally_all(filter, reader, bar, path);
        counts.stored = filter.keys() - before;
        return counts;
    }
    for (auto batch = reader.next_batch(filter.hash()); !batch.keys.empty();
         batch = reader.next_batch(filter.hash())) {
        if (can.erase || can.count) {
            if (filter.insert_many(batch.hashes) != batch.hashes.size()) fail_about(path, filter.refusal());
        } else {
            insert_absent(filter, batch.hashes, path, counts);
            losses.update();
        }
        bar.update(reader);
    }
    counts.stored = filter.keys() - before;
    losses.update(true);
    counts.expected_false = counts.present == 0 ? 0 : losses.expected();
    return counts;
}

std::string present_text(const added& counts) {
    if (counts.present == 0) return {};
    const std::string were_new =
        counts.expected_false < 0.01 ? "less than 0.01" : "about " + estimate_text(counts.expected_false);
    return fmt::format(", {} looked present ({} of them expected to be new)", count_text(counts.present),
                       were_new);
}

exit_code perform_add(const add_options& options) {
    edited_filter edited(options.filter);
    any_filter& filter = edited.filter();
    check_keys_fit(options.filter, filter, options.source.format);
    const std::uint64_t size_before = filter.size_bytes();
    key_reader reader(options.source);
    added counts;
    {
        progress bar("adding", reader.total_bytes(), options.is_quiet);
        counts = add_keys(filter, reader, bar, options.filter);
    }
    set_labels(filter, options.labels);
    if (counts.stored != 0 || !options.labels.empty()) edited.save();
    if (options.is_json)
        print_json(json{{"file", options.filter},
                        {"read", reader.keys_read()},
                        {"added", counts.stored},
                        {"looked_present", counts.present},
                        {"expected_new", counts.expected_false},
                        {"keys", filter.keys()},
                        {"size_bytes", filter.size_bytes()},
                        {"size_bytes_before", size_before},
                        {"input", notes_json(reader.notes())}});
    if (options.is_quiet) return exit_code::done;
    say_notes(reader.notes());
    const std::string growth = filter.size_bytes() == size_before
                                   ? ""
                                   : fmt::format(" and has grown from {} to {}", bytes_text(size_before),
                                                 bytes_text(filter.size_bytes()));
    if (is_count_file(filter)) {
        say_counted(options.filter, reader.keys_read(), filter);
        return exit_code::done;
    }
    say(fmt::format("{}: {} added{}; the filter holds {}{}", options.filter,
                    counted_text(counts.stored, "key", "keys"), present_text(counts),
                    counted_text(filter.keys(), "key", "keys"), growth));
    warn_if_over_capacity(options.filter, filter);
    return exit_code::done;
}

}  // namespace

void add_add_command(const tool_command& tool) {
    add_command<add_options>(tool, "add", "Add keys to a filter file", declare_add, perform_add);
}

}  // namespace membrane::cli
