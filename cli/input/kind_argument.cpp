#include "kind_argument.hpp"

#include <fmt/core.h>

#include <membrane/runtime/kind_text.hpp>

#include "cli/help/suggestion.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/spec_text.hpp"
#include "options.hpp"

namespace membrane::cli {

namespace {

std::vector<std::string_view> all_kind_names() {
    std::vector<std::string_view> names{automatic_kind};
    for (const kind_entry& entry : registry()) names.push_back(entry.rules.name);
    return names;
}

std::string allowed_values(const field_rule& rule) {
    if (rule.choices.empty()) return fmt::format("{} to {}", rule.least, rule.most);
    std::string names;
    for (std::size_t i = rule.least; i <= rule.most && i < rule.choices.size(); ++i)
        names.append(names.empty() ? "" : ", ").append(rule.choices[i]);
    return names;
}

[[noreturn]] void explain(const kind_reading& read) {
    if (read.fault == kind_text_fault::unknown_kind)
        fail(exit_code::usage, fmt::format("--kind: no kind '{}'{}; see `membrane kinds`", read.name,
                                           meant_or_expected(read.name, all_kind_names())));
    const kind_rules& rules = read.kind->rules;
    if (read.fault == kind_text_fault::bad_value)
        fail(exit_code::usage, fmt::format("--kind: {}: value out of range: {} (found '{}', expected {})",
                                           rules.name, read.name, read.value, allowed_values(*read.rule)));
    std::vector<std::string_view> fields;
    for (const field_rule& rule : rules.fields) fields.push_back(rule.name);
    fail(exit_code::usage, fmt::format("--kind: {} has no parameter '{}'{}; see `membrane kinds`", rules.name,
                                       read.name, meant_or_expected(read.name, fields)));
}

}  // namespace

kind_choice parse_kind(std::string_view text) {
    if (text.substr(0, text.find(':')) == automatic_kind) {
        if (text == automatic_kind) return {};
        fail(exit_code::usage, "--kind: auto takes no parameters; name the kind that they belong to");
    }
    const kind_reading read = read_kind_text(text, parse_count);
    if (read.fault != kind_text_fault::none) explain(read);
    return {read.kind, read.given};
}

kind_choice kind_to_build(std::string_view text, const plan::requirement& wanted) {
    if (!text.empty()) return parse_kind(text);
    return {kind_if_none_named(wanted), {}};
}

kind_decision choose_or_fail(const kind_choice& choice, const plan::requirement& wanted) {
    auto chosen = choose(choice.kind, choice.given, wanted);
    if (chosen) return std::move(*chosen);
    if (choice.kind == nullptr ? wanted.grow_to != 0 : capabilities_of(*choice.kind).grow)
        check_growing_rate(wanted);
    fail_usage(chosen.error());
}

}  // namespace membrane::cli
