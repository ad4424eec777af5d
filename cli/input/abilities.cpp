#include "abilities.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "cli/print/spec_text.hpp"

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
    fail(exit_code::usage, fmt::format("{}: {} ({})", path, refusal, found_and_expected(spec, can)));
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

void explain_difference(const result<void>& alike, const std::string& first, const any_view& a,
                        const std::string& second, const any_view& b) {
    if (alike) return;
    const std::string_view field = alike.error().what;
    const std::string values =
        field == "hash key"
            ? "the keys are secret: `membrane info --show-key` shows them"
            : fmt::format("found {}, expected {} as in {}", value_of(b, field), value_of(a, field), first);
    fail(exit_code::bad_data, fmt::format("{}: is unlike {}: {} differs ({}); {}", second, first, field,
                                          values, alike.error().note));
}

}  // namespace

void fail_unlike(const std::string& path, const any_view& filter, const error& problem) {
    const auto rules = filter.kind().rules.fields;
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const field_rule& each) {
        return each.name == problem.what && !each.choices.empty();
    });
    if (rule == rules.end() || !problem.found || !problem.least) fail_about(path, problem);
    fail(code_of(problem),
         fmt::format("{}: {}: {} differs (found {}, expected {})", path, meaning(problem.code), rule->name,
                     field_text(*rule, *problem.found), field_text(*rule, *problem.least)));
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
