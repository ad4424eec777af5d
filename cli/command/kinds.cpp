// membrane kinds: the registry as text, as JSON and as the table of the README.
#include <algorithm>

#include <fmt/core.h>

#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/json.hpp"
#include "cli/print/output.hpp"
#include "cli/print/spec_text.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct kinds_options {
    bool is_json = false;
    bool is_markdown = false;
};

void declare_kinds(const tool_command& command, kinds_options& options) {
    const tool_option is_json = add_json(command, options.is_json);
    command.flag("--markdown", options.is_markdown, "Print the table of the README").excludes(is_json);
    command.set_examples({"membrane kinds", "membrane kinds --json | grep name"});
}

// Filters sized for very different requirements.
std::vector<filter_spec> sample_specs(const kind_entry& entry) {
    std::vector<filter_spec> specs;
    for (const std::uint64_t keys : {std::uint64_t{100}, std::uint64_t{100'000}})
        for (const double fpr : {0.1, 0.001, 1e-6})
            if (const auto spec = entry.plan.size({.keys = keys, .fpr = fpr}, {})) specs.push_back(*spec);
    return specs;
}

// A field has no fixed default if sizing changes it.
bool is_sized(const kind_entry& entry, const std::vector<filter_spec>& samples, std::size_t field) {
    const field_rule& rule = entry.rules.fields[field];
    return rule.initial < rule.least ||
           std::any_of(samples.begin(), samples.end(),
                       [&](const filter_spec& spec) { return spec[field] != rule.initial; });
}

std::string field_range_text(const field_rule& rule) {
    if (rule.choices.empty()) return fmt::format("{} to {}", rule.least, rule.most);
    std::string names;
    for (std::size_t i = rule.least; i <= rule.most; ++i)
        names.append(names.empty() ? "" : "|").append(field_text(rule, i));
    return names;
}

void print_kinds_json() {
    json kinds = json::array();
    for (const kind_entry& entry : registry()) {
        json can = json::object();
        for (const ability& each : abilities) can[std::string(each.name)] = capabilities_of(entry).*each.can;
        json parameters = json::array();
        const auto samples = sample_specs(entry);
        for (std::size_t i = 0; i < entry.rules.fields.size(); ++i) {
            const field_rule& rule = entry.rules.fields[i];
            json choices = json::array();
            for (const std::string_view choice : rule.choices) choices.push_back(choice);
            json initial = rule.choices.empty() ? json(rule.initial) : json(field_text(rule, rule.initial));
            parameters.push_back(json{{"name", rule.name},
                                      {"least", rule.least},
                                      {"most", rule.most},
                                      {"default", is_sized(entry, samples, i) ? json(nullptr) : initial},
                                      {"choices", choices},
                                      {"meaning", rule.meaning}});
        }
        kinds.push_back(json{{"name", entry.rules.name},
                             {"meaning", entry.rules.meaning},
                             {"can", can},
                             {"parameters", parameters}});
    }
    print_json(kinds);
}

void print_kinds_markdown() {
    out().print("| kind | what it is |");
    for (const ability& each : abilities) out().print(" {} |", each.name);
    out().print(" parameters |\n|---|---|");
    for (std::size_t i = 0; i < abilities.size(); ++i) out().print("---|");
    out().print("---|\n");
    for (const kind_entry& entry : registry()) {
        out().print("| `{}` | {} |", entry.rules.name, entry.rules.meaning);
        for (const ability& each : abilities)
            out().print(" {} |", capabilities_of(entry).*each.can ? "yes" : "");
        std::string names;
        for (const field_rule& rule : entry.rules.fields)
            names += fmt::format("{}`{}`", names.empty() ? "" : ", ", rule.name);
        out().print(" {} |\n", names);
    }
}

void print_kinds_text() {
    for (const kind_entry& entry : registry()) {
        std::string can = "insert";
        for (const ability& each : abilities)
            if (capabilities_of(entry).*each.can) can += fmt::format(", {}", each.name);
        out().print("{}: {}\n  can {}\n", entry.rules.name, entry.rules.meaning, can);
        const auto samples = sample_specs(entry);
        for (std::size_t i = 0; i < entry.rules.fields.size(); ++i) {
            const field_rule& rule = entry.rules.fields[i];
            const std::string initial =
                is_sized(entry, samples, i) ? "by size" : field_text(rule, rule.initial);
            out().print("    {:<20}{}\n", rule.name, rule.meaning);
            out().print("    {:<20}{}; default {}\n", "", field_range_text(rule), initial);
        }
        out().write('\n');
    }
    out().print("Use: --kind NAME or --kind NAME:PARAMETER=VALUE,...\n");
}

exit_code perform_kinds(const kinds_options& options) {
    if (options.is_json) print_kinds_json();
    else if (options.is_markdown) print_kinds_markdown();
    else print_kinds_text();
    return exit_code::done;
}

}  // namespace

void add_kinds_command(const tool_command& tool) {
    add_command<kinds_options>(tool, "kinds", "List the kinds of filters and their parameters", declare_kinds,
                               perform_kinds);
}

}  // namespace membrane::cli
