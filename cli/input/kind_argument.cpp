#include "kind_argument.hpp"

#include <fmt/core.h>

#include <membrane/runtime/kind_text.hpp>

#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/spec_text.hpp"

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

std::string kind_text(std::string named, const plan::given_fields& given, const filter_spec& planned,
                      const plan::requirement& wanted) {
    const kind_entry& kind = *find_entry(planned.kind);
    plan::requirement plain{
        .keys = planned.planned_keys, .fpr = wanted.fpr, .bits_per_key = wanted.bits_per_key};
    const auto unasked = kind.plan.size(plain, given);
    const bool has_bounded_reads = wanted.average_reads || wanted.worst_reads;
    const auto rules = kind.rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const bool is_another_form = !rules[i].choices.empty() && unasked && (*unasked)[i] != planned[i];
        if (!given.is_given[i] && (is_another_form || (has_bounded_reads && rules[i].name == "k") ||
                                   (wanted.is_static && rules[i].name == "rounds")))
            named += fmt::format("{}{}={}", named.find(':') == std::string::npos ? ':' : ',', rules[i].name,
                                 field_text(rules[i], planned[i]));
    }
    return named;
}

}  // namespace membrane::cli
