#include "abilities.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "cli/print/spec_text.hpp"
#include "filter_files.hpp"

namespace membrane::cli {

bool can_erase(const kind_ops& ops) { return ops.erases != nullptr; }
bool can_grow(const kind_ops& ops) { return ops.grows != nullptr; }
bool can_merge(const kind_ops& ops) { return ops.merges != nullptr || ops.grows != nullptr; }
bool can_intersect(const kind_ops& ops) { return ops.merges != nullptr && ops.merges->intersect != nullptr; }
bool can_shrink(const kind_ops& ops) { return ops.folds != nullptr || ops.grows != nullptr; }
bool can_pack(const kind_ops& ops) { return ops.packs != nullptr || ops.grows != nullptr; }

std::string found_and_expected(const filter_spec& spec, ability_test can) {
    const kind_rules& rules = find_entry(spec.kind)->rules;
    for (std::size_t i = 0; i < rules.fields.size(); ++i) {
        filter_spec other = spec;
        for (other[i] = 0; other[i] < rules.fields[i].choices.size(); ++other[i])
            if (is_able(other, can))
                return fmt::format("{} {}, expected {}", rules.fields[i].name,
                                   field_text(rules.fields[i], spec[i]),
                                   field_text(rules.fields[i], other[i]));
    }
    std::string kinds;
    for (const kind_entry& entry : registry())
        if (std::any_of(entry.variants.begin(), entry.variants.end(), can))
            kinds.append(kinds.empty() ? "" : ", ").append(entry.rules.name);
    return fmt::format("{}, expected {}", rules.name, kinds);
}

void check_able(const std::string& path, const filter_spec& spec, ability_test can,
                std::string_view refusal) {
    if (is_able(spec, can)) return;
    fail(exit_code::usage,
         fmt::format("{}: {} ({})", shown_name(path), refusal, found_and_expected(spec, can)));
}

namespace {

// The value of a field that differs, for the message.
std::string value_of(const any_view& filter, std::string_view field) {
    if (field == "kind") return std::string(filter.kind().rules.name);
    if (field == "hash") return std::string(name_of(filter.hash().id));
    const auto rules = filter.kind().rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (rules[i].name == field) return field_text(rules[i], filter.spec()[i]);
    return "?";
}

// Every field that keeps the two apart, and the options that make a file like the first.
struct difference {
    std::string fields;
    std::string options;
};

difference all_differences(const std::string& first, const any_view& a, const any_view& b) {
    difference made;
    const auto add = [&](std::string_view field, const std::string& found, const std::string& wanted) {
        made.fields += fmt::format("{}{} differs (found {}, expected {})", made.fields.empty() ? "" : ", ",
                                   field, found, wanted);
    };
    const auto add_option = [&](const std::string& option) {
        made.options.append(made.options.empty() ? "" : " ").append(option);
    };
    const auto rules = a.kind().rules.fields;
    const bool is_one_kind = a.spec().kind == b.spec().kind,
               have_numbers = a.universe() != 0 && b.universe() != 0;
    std::string parameters;
    bool is_spec_alike = is_one_kind;
    if (!is_one_kind) add("kind", value_of(b, "kind"), value_of(a, "kind"));
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const std::string value = field_text(rules[i], a.spec()[i]);
        parameters += fmt::format("{}{}={}", i == 0 ? ":" : ",", rules[i].name, value);
        // Filters of numbers may have any layout.
        if (!is_one_kind || a.spec()[i] == b.spec()[i] ||
            (have_numbers && i != 0 && rules[i].name != "universe"))
            continue;
        add(rules[i].name, field_text(rules[i], b.spec()[i]), value);
        is_spec_alike = false;
    }
    // The layout of a filter that grows does not matter.
    const bool is_other_form = a.universe() != 0 && (!is_one_kind || a.spec()[0] != b.spec()[0]);
    if (is_other_form) {
        if (!is_one_kind) add_option("the same --grow-to and --fpr,");
        add_option(fmt::format("--kind {}:{}={}", value_of(a, "kind"), rules[0].name,
                               field_text(rules[0], a.spec()[0])));
    } else if (!is_spec_alike && have_numbers) {
        add_option("the same --grow-to and --fpr");
    } else if (!is_spec_alike) {
        add_option(fmt::format("--kind {}{}", value_of(a, "kind"), parameters));
    }
    if (a.hash().id != b.hash().id) {
        add("hash", value_of(b, "hash"), value_of(a, "hash"));
        add_option(fmt::format("--hash {}", value_of(a, "hash")));
    }
    if (a.hash().key != b.hash().key) {
        made.fields.append(made.fields.empty() ? "" : ", ").append("hash key differs");
        add_option(first == "-" ? "--key HEX (`membrane info --show-key -` shows it, if the pipe leads there)"
                                : fmt::format("--key HEX (`membrane info --show-key {}` shows it)", first));
    }
    return made;
}

void explain_difference(const result<void>& alike, const std::string& first, const any_view& a,
                        const std::string& second, const any_view& b) {
    if (alike) return;
    const difference found = all_differences(first, a, b);
    if (found.fields.empty())
        fail(exit_code::refused, fmt::format("{}: does not fit {}: {}", shown_name(second), shown_name(first),
                                             sentence(alike.error())));
    fail(exit_code::refused, fmt::format("{}: is unlike {}: {}; build it with {}", shown_name(second),
                                         shown_name(first), found.fields, found.options));
}

}  // namespace

void fail_unlike(const std::string& path, const any_view& filter, const error& problem) {
    const auto rules = filter.kind().rules.fields;
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const field_rule& each) {
        return each.name == problem.what && !each.choices.empty();
    });
    if (rule == rules.end() || !problem.found || !problem.least) fail_about(path, problem);
    fail(code_of(problem),
         fmt::format("{}: {}: {} differs (found {}, expected {})", shown_name(path), meaning(problem.code),
                     rule->name, field_text(*rule, *problem.found), field_text(*rule, *problem.least)));
}

void check_mergeable(const std::string& first, const any_view& a, const std::string& second,
                     const any_view& b) {
    const bool have_numbers = a.universe() != 0 && b.universe() != 0;
    explain_difference(have_numbers ? check_mergeable_numbers(a, b) : check_alike(a, b), first, a, second, b);
}

void check_comparable(const std::string& first, const any_view& a, const std::string& second,
                      const any_view& b, std::string_view what) {
    const std::string refusal =
        fmt::format("only filters that grow can be {}; build it with --grow-to N", what);
    check_able(first, a.spec(), can_grow, refusal);
    check_able(second, b.spec(), can_grow, refusal);
    explain_difference(check_same_numbers(a, b), first, a, second, b);
}

}  // namespace membrane::cli
