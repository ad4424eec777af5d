// membrane remove: erases keys from a filter of a kind that can erase. Only inserted keys may be erased: erasing a false
// positive can cause a false negative for another key.
#include <algorithm>

#include <fmt/core.h>

#include <membrane/runtime/planner.hpp>
#include <membrane/spec/check_wanted.hpp>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/kind_argument.hpp"
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
    add_key_files(command, options.source);
    add_quiet(command, options.is_quiet);
    command.set_examples(
        {"seq 1 100 | membrane build -q -o seen.mbr --delete && "
         "seq 1 50 | membrane remove seen.mbr",
         "printf 'a\\nb\\n' | membrane build -q -o letters.mbr --kind counting_bloom && "
         "printf 'a\\n' | membrane remove -q letters.mbr"});
}

// The kind that the planner chooses for filters that can erase.
std::string erasable_kind(const filter_spec& spec) {
    plan::requirement wanted{.keys = std::max<std::uint64_t>(1, spec.planned_keys), .fpr = plan::default_fpr};
    if (spec.planned_fpr > least_fpr && spec.planned_fpr < 1) wanted.fpr = spec.planned_fpr;
    wanted.needs.erase = true;
    const auto ranked = rank_kinds(wanted);
    const plan::candidate* const best = ranked ? ranked->chosen() : nullptr;
    return best == nullptr ? "counting_bloom"
                           : kind_text(std::string(best->kind), {}, best->filter->spec, wanted);
}

void check_can_erase(const std::string& path, const any_view& filter) {
    if (is_able(filter.spec(), can_erase)) return;
    fail(exit_code::usage,
         fmt::format("{}: keys cannot be removed from this filter ({}); build it with --kind {}", path,
                     found_and_expected(filter.spec(), can_erase), erasable_kind(filter.spec())));
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
        say(fmt::format("{}: {} keys removed, {} were not found; the filter holds {} keys", options.filter,
                        count_text(removed), count_text(reader.keys_read() - removed),
                        count_text(filter.keys())));
    return removed != 0 ? exit_code::done : exit_code::none;
}

}  // namespace

void add_remove_command(const tool_command& tool) {
    add_command<remove_options>(tool, "remove", "Remove keys from a filter file (kinds that can erase)",
                                declare_remove, perform_remove);
}

}  // namespace membrane::cli
