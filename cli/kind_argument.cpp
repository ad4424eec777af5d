#include "kind_argument.hpp"

#include <optional>

#include <fmt/format.h>

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

std::optional<std::uint64_t> parse_value(const field_rule& rule, std::string_view text) {
    for (std::size_t i = 0; i < rule.choices.size(); ++i)
        if (rule.choices[i] == text) return i;
    const auto number = parse_count(text);
    if (!number || *number < rule.least || *number > rule.most) return std::nullopt;
    return number;
}

void set_field(kind_choice& choice, std::string_view assignment) {
    const kind_rules& rules = choice.kind->rules;
    const std::size_t equals = assignment.find('=');
    const std::string_view name = assignment.substr(0, equals);
    for (std::size_t i = 0; i < rules.fields.size(); ++i) {
        if (rules.fields[i].name != name) continue;
        const std::string_view text =
            equals == std::string_view::npos ? std::string_view{} : assignment.substr(equals + 1);
        const auto value = parse_value(rules.fields[i], text);
        if (!value)
            fail(exit_code::usage, fmt::format("--kind: {}: value out of range: {} (found '{}', expected {})",
                                               rules.name, name, text, allowed_values(rules.fields[i])));
        choice.given.spec[i] = *value;
        choice.given.is_given.set(i);
        return;
    }
    std::string names;
    for (const field_rule& rule : rules.fields) names.append(names.empty() ? "" : ", ").append(rule.name);
    fail(exit_code::usage, fmt::format("--kind: {} has no parameter '{}' (expected {}); see `membrane kinds`",
                                       rules.name, name, names));
}

}  // namespace

kind_choice parse_kind(std::string_view text) {
    const std::size_t colon = text.find(':');
    std::string_view name = text.substr(0, colon);
    kind_choice choice;
    if (name == automatic_kind) name = "bloom";
    choice.kind = find_entry(name);
    if (choice.kind == nullptr)
        fail(exit_code::usage,
             fmt::format("--kind: no kind '{}' (expected {}); see `membrane kinds`", name, kind_names()));
    choice.given.spec.kind = choice.kind->rules.id;
    std::string_view left = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    while (!left.empty()) {
        const std::size_t comma = left.find(',');
        set_field(choice, left.substr(0, comma));
        left = comma == std::string_view::npos ? std::string_view{} : left.substr(comma + 1);
    }
    return choice;
}

std::string field_text(const field_rule& rule, std::uint64_t value) {
    return value < rule.choices.size() ? std::string(rule.choices[value]) : std::to_string(value);
}

}  // namespace membrane::cli
