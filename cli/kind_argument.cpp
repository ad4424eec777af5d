#include "kind_argument.hpp"

#include <fmt/format.h>

#include <membrane/runtime/kind_text.hpp>

#include "exit_code.hpp"
#include "numbers.hpp"

namespace membrane::cli {

namespace {

std::string kind_names() {
    std::string names{automatic_kind};
    for (const kind_entry& entry : registry()) names.append(", ").append(entry.rules.name);
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
        fail(exit_code::usage, fmt::format("--kind: no kind '{}' (expected {}); see `membrane kinds`",
                                           read.name, kind_names()));
    const kind_rules& rules = read.kind->rules;
    if (read.fault == kind_text_fault::bad_value)
        fail(exit_code::usage, fmt::format("--kind: {}: value out of range: {} (found '{}', expected {})",
                                           rules.name, read.name, read.value, allowed_values(*read.rule)));
    std::string names;
    for (const field_rule& rule : rules.fields) names.append(names.empty() ? "" : ", ").append(rule.name);
    fail(exit_code::usage, fmt::format("--kind: {} has no parameter '{}' (expected {}); see `membrane kinds`",
                                       rules.name, read.name, names));
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

std::string field_text(const field_rule& rule, std::uint64_t value) {
    return value < rule.choices.size() ? std::string(rule.choices[value]) : std::to_string(value);
}

}  // namespace membrane::cli
