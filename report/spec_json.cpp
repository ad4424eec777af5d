#include "spec_json.hpp"

#include <membrane/runtime/registry.hpp>

namespace membrane::report {

std::string field_text(const field_rule& rule, std::uint64_t value) {
    return value < rule.choices.size() ? std::string(rule.choices[value]) : std::to_string(value);
}

json parameters_json(const filter_spec& spec) {
    json parameters = json::object();
    const auto rules = find_entry(spec.kind)->rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i)
        parameters[rules[i].name] =
            rules[i].choices.empty() ? json(spec[i]) : json(field_text(rules[i], spec[i]));
    return parameters;
}

}  // namespace membrane::report
