// membrane model: evaluates a model of the catalogue, describes it, or lists all models.
#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <cli/catalog/catalog.hpp>

#include "cli/help/suggestion.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/model_list.hpp"
#include "cli/print/output.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

using model::catalog_form;
using model::catalog_function;
using model::catalog_output;
using model::catalog_parameter;
using model::catalog_value;

struct model_options {
    std::string name;
    std::vector<std::string> assignments;
    bool is_json = false;
};

void declare_model(const tool_command& command, model_options& options) {
    command.text("MODEL", options.name, model_value, "Name of a model; without it: list all models");
    command.texts("PARAMETER=VALUE", options.assignments, "PARAMETER=VALUE",
                  "Values of its parameters; without any that it needs: describe the model");
    add_json(command, options.is_json);
    command.set_examples({"membrane model multi_level a=1.2 d=3 r=8",
                          "membrane model choice_bloom bits_per_key=16 choices=2 --json | grep fpr"});
}

const catalog_function& function_or_fail(const std::string& name) {
    if (const catalog_function* const found = model::find_in_catalog(name)) return *found;
    std::vector<std::string_view> names;
    for (const catalog_function& each : model::catalog()) names.push_back(each.name);
    fail(exit_code::usage, fmt::format("no model '{}'{}; `membrane model` describes them", name,
                                       meant_or_expected(name, names)));
}

[[noreturn]] void fail_with_usage(const catalog_function& function, const std::string& problem) {
    fail(exit_code::usage,
         fmt::format("model {}: {}; usage: membrane model {}, `membrane model {}` describes it",
                     function.name, problem, usage_text(function), function.name));
}

const catalog_parameter* find_parameter(const catalog_function& function, std::string_view name) {
    for (const catalog_parameter& each : function.parameters)
        if (each.name == name) return &each;
    return nullptr;
}

void assign(model::catalog_arguments& arguments, const std::string& assignment) {
    const catalog_function& function = arguments.function();
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos)
        fail_with_usage(function, fmt::format("'{}' is not PARAMETER=VALUE", assignment));
    const std::string name = assignment.substr(0, equals);
    const catalog_parameter* const parameter = find_parameter(function, name);
    if (parameter == nullptr) {
        std::vector<std::string_view> names;
        for (const catalog_parameter& each : function.parameters) names.push_back(each.name);
        fail_with_usage(function, fmt::format("no parameter '{}'{}", name, did_you_mean(name, names)));
    }
    if (const auto done = arguments.set(name, assignment.substr(equals + 1)); !done)
        fail_with_usage(function, fmt::format("{}: {} (expected {})", assignment, done.error().note,
                                              range_text(*parameter)));
}

std::vector<catalog_value> evaluate_or_fail(const model::catalog_arguments& arguments) {
    const catalog_function& function = arguments.function();
    if (const catalog_parameter* const missing = arguments.missing())
        fail_with_usage(function, fmt::format("{}= has no value (expected {}, {})", missing->name,
                                              range_text(*missing), missing->meaning));
    auto values = model::evaluate(arguments);
    if (!values) fail_with_usage(function, sentence(values.error()));
    return std::move(*values);
}

std::string number_text(catalog_form form, double value) {
    return form == catalog_form::whole ? fmt::format("{:.0f}", value) : fmt::format("{:.10g}", value);
}

json number_json(catalog_form form, double value) {
    return form == catalog_form::whole ? json(static_cast<std::uint64_t>(value)) : json(value);
}

void print_values_text(const catalog_function& function, const std::vector<catalog_value>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const catalog_output& output = function.outputs[i];
        std::string text = "none";
        if (values[i].is_number()) text = number_text(output.form, values[i].number());
        if (values[i].is_list()) {
            text.clear();
            for (const double each : values[i].list())
                text += fmt::format("{}{}", text.empty() ? "" : " ", number_text(output.form, each));
        }
        out().print("{:<22}{}{}{}\n", output.name, text, output.unit.empty() ? "" : "  ", output.unit);
    }
}

void print_values_json(const catalog_function& function, const std::vector<catalog_value>& values) {
    json numbers = json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const catalog_output& output = function.outputs[i];
        json value = nullptr;
        if (values[i].is_number()) value = number_json(output.form, values[i].number());
        if (values[i].is_list()) {
            value = json::array();
            for (const double each : values[i].list()) value.push_back(number_json(output.form, each));
        }
        numbers[std::string(output.name)] = value;
    }
    print_json(numbers);
}

exit_code perform_model(const model_options& options) {
    if (options.name.empty()) {
        list_models(options.is_json);
        return exit_code::done;
    }
    const catalog_function& function = function_or_fail(options.name);
    model::catalog_arguments arguments(function);
    if (options.assignments.empty() && arguments.missing() != nullptr) {
        describe_model(function, options.is_json);
        return exit_code::done;
    }
    for (const std::string& each : options.assignments) assign(arguments, each);
    const std::vector<catalog_value> values = evaluate_or_fail(arguments);
    (options.is_json ? print_values_json : print_values_text)(function, values);
    return exit_code::done;
}

}  // namespace

void add_model_command(const tool_command& tool) {
    add_command<model_options>(tool, "model", "Print the numbers of any model", declare_model, perform_model);
}

}  // namespace membrane::cli
