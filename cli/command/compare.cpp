// membrane compare: how many keys two filters hold and share, from the numbers that they stand for.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include <membrane/runtime/number_files.hpp>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct compare_options {
    std::string first;
    std::string second;
    bool is_json = false;
};

void declare_compare(const tool_command& command, compare_options& options) {
    command.text("A.mbr", options.first, filter_value, "A filter file").required();
    command.text("B.mbr", options.second, filter_value, "Another of the same hash key, of any size")
        .required();
    add_json(command, options.is_json);
    constexpr char build[] =
        "membrane build -q --key 000102030405060708090a0b0c0d0e0f --grow-to 100k --fpr 0.1% -o";
    command.set_examples(
        {fmt::format("seq 1 5000 | {0} a.mbr; seq 2001 9000 | {0} b.mbr; membrane compare a.mbr b.mbr",
                     build),
         fmt::format("seq 1 50 | {0} x.mbr; seq 1 60 | {0} y.mbr; membrane compare x.mbr y.mbr --json | grep "
                     "-A 3 jaccard",
                     build)});
}

json estimate_json(const estimate_with_bounds& estimate) {
    return json{{"value", number_or_null(estimate.value)},
                {"low", number_or_null(estimate.low)},
                {"high", number_or_null(estimate.high)}};
}

void print_comparison_json(const compare_options& options, const comparison& found) {
    print_json(json{{"files", json(std::vector<std::string>{options.first, options.second})},
                    {"keys_of_a", estimate_json(found.keys_of_a)},
                    {"keys_of_b", estimate_json(found.keys_of_b)},
                    {"shared", estimate_json(found.shared)},
                    {"jaccard", estimate_json(found.jaccard)},
                    {"universe", found.universe},
                    {"shared_numbers", found.shared_numbers}});
}

std::string whole_text(double count) { return count_text(static_cast<std::uint64_t>(std::llround(count))); }

std::string keys_text(const estimate_with_bounds& estimate) {
    if (!std::isfinite(estimate.high))
        return fmt::format("{} keys or more: too full to tell", whole_text(estimate.low));
    return fmt::format("{} keys ({} to {})", whole_text(estimate.value), whole_text(std::ceil(estimate.low)),
                       whole_text(std::floor(estimate.high)));
}

std::string share_text(const estimate_with_bounds& shared, const estimate_with_bounds& of) {
    return of.value > 0 ? rate_text(std::min(1.0, shared.value / of.value)) : "none";
}

void print_comparison_text(const compare_options& options, const comparison& found) {
    const std::string_view first = shown_name(options.first), second = shown_name(options.second);
    const std::size_t width = std::max({first.size(), second.size(), std::size_t{8}}) + 2;
    const auto print = [&](std::string_view name, const std::string& value) {
        out().print("{:<{}}{}\n", name, width, value);
    };
    print(first, keys_text(found.keys_of_a));
    print(second, keys_text(found.keys_of_b));
    print("in both", keys_text(found.shared));
    print("Jaccard", fmt::format("{} ({} to {})", rate_text(found.jaccard.value),
                                 rate_text(found.jaccard.low), rate_text(found.jaccard.high)));
    out().print("\nAbout {} of the keys of {} are in {}, and {} of the keys of {} in {}.\n",
                share_text(found.shared, found.keys_of_a), first, second,
                share_text(found.shared, found.keys_of_b), second, first);
    out().write("The truth lies between the bounds in 99 of 100 comparisons.\n");
}

exit_code perform_compare(const compare_options& options) {
    const mapped_filter first = open_filter(options.first), second = open_filter(options.second);
    check_comparable(options.first, first.view(), options.second, second.view(), "compared");
    const comparison found = value_or_fail(options.second, compare(first.view(), second.view()));
    (options.is_json ? print_comparison_json : print_comparison_text)(options, found);
    return exit_code::done;
}

}  // namespace

void add_compare_command(const tool_command& tool) {
    add_command<compare_options>(tool, "compare", "Estimate how many keys two filter files share",
                                 declare_compare, perform_compare);
}

}  // namespace membrane::cli
