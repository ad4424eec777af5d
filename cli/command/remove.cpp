// membrane remove: erases keys from a filter of a kind that can erase. Only inserted keys may be erased: erasing a false
// positive can cause a false negative for another key.
#include <fmt/core.h>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/progress.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct remove_options {
    std::string filter;
    key_source source;
    bool is_quiet = false;
};

void declare_remove(const tool_command& command, remove_options& options) {
    add_filter(command, options.filter, "The filter file; replaced as a whole or left unchanged");
    add_quiet(command, options.is_quiet);
    add_key_files(command, options.source);
    command.set_examples(
        {"seq 1 100 | membrane build -q -o seen.mbr --delete && "
         "seq 1 50 | membrane remove seen.mbr",
         "printf 'a\\nb\\n' | membrane build -q -o letters.mbr --kind counting_bloom && "
         "printf 'a\\n' | membrane remove -q letters.mbr"});
}

void check_can_erase(const std::string& path, const any_view& filter) {
    if (is_able(filter.spec(), can_erase)) return;
    fail(exit_code::usage,
         fmt::format("{}: keys cannot be removed from this filter ({}); build it with --delete", path,
                     found_and_expected(filter.spec(), can_erase)));
}

exit_code perform_remove(const remove_options& options) {
    edited_filter edited(options.filter);
    any_filter& filter = edited.filter();
    check_can_erase(options.filter, filter);
    check_keys_fit(options.filter, filter, options.source.format);
    key_reader reader(options.source);
    std::uint64_t removed = 0;
    {
        progress bar("removing", reader.total_bytes(), options.is_quiet);
        for (auto batch = reader.next_batch(filter.hash()); !batch.keys.empty();
             batch = reader.next_batch(filter.hash())) {
            removed += value_or_fail(options.filter, filter.erase_many(batch.hashes));
            bar.update(reader);
        }
    }
    if (removed != 0) edited.save();
    if (!options.is_quiet) say_notes(reader.notes());
    if (!options.is_quiet)
        say(fmt::format("{}: {} removed, {} not found; the filter holds {}", options.filter,
                        counted_text(removed, "key", "keys"), count_text(reader.keys_read() - removed),
                        counted_text(filter.keys(), "key", "keys")));
    return removed != 0 ? exit_code::done : exit_code::none;
}

}  // namespace

void add_remove_command(const tool_command& tool) {
    add_command<remove_options>(tool, "remove", "Remove keys from a filter file (kinds that can erase)",
                                declare_remove, perform_remove);
}

}  // namespace membrane::cli
