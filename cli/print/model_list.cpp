#include "model_list.hpp"

#include <vector>

#include <fmt/format.h>

#include "json.hpp"
#include "output.hpp"

namespace membrane::cli {

using model::catalog_form;
using model::catalog_function;
using model::catalog_output;
using model::catalog_parameter;

namespace {

std::string value_text(const catalog_parameter& parameter, double value) {
    if (parameter.form == catalog_form::choice)
        return std::string(parameter.choices[static_cast<std::size_t>(value)]);
    return fmt::format("{:.10g}", value);
}

std::string default_text(const catalog_parameter& parameter) {
    if (parameter.initial) return fmt::format("; default {}", value_text(parameter, *parameter.initial));
    return parameter.is_optional ? "; may be left out" : "";
}

std::string unit_text(std::string_view unit) { return unit.empty() ? "-" : std::string(unit); }

std::string_view form_name(catalog_form form) {
    switch (form) {
        case catalog_form::number: return "number";
        case catalog_form::whole: return "integer";
        case catalog_form::list: return "array";
        case catalog_form::choice: return "string";
    }
    return "";
}

json parameter_json(const catalog_parameter& parameter) {
    json initial = nullptr;
    if (parameter.initial && parameter.form == catalog_form::choice)
        initial = value_text(parameter, *parameter.initial);
    else if (parameter.initial) initial = *parameter.initial;
    json choices = json::array();
    for (const std::string_view each : parameter.choices) choices.push_back(each);
    const bool is_choice = parameter.form == catalog_form::choice;
    return json{{"name", parameter.name},
                {"type", form_name(parameter.form)},
                {"unit", parameter.unit},
                {"meaning", parameter.meaning},
                {"least", is_choice ? json(nullptr) : json(parameter.least)},
                {"most", is_choice ? json(nullptr) : json(parameter.most)},
                {"choices", choices},
                {"is_optional", parameter.is_optional},
                {"default", initial}};
}

json function_json(const catalog_function& function) {
    json parameters = json::array(), outputs = json::array();
    for (const catalog_parameter& parameter : function.parameters)
        parameters.push_back(parameter_json(parameter));
    for (const catalog_output& output : function.outputs)
        outputs.push_back(json{{"name", output.name},
                               {"type", form_name(output.form)},
                               {"unit", output.unit},
                               {"meaning", output.meaning}});
    return json{{"name", function.name},     {"family", function.family}, {"meaning", function.meaning},
                {"source", function.source}, {"parameters", parameters},  {"outputs", outputs}};
}

}  // namespace

std::string range_text(const catalog_parameter& parameter) {
    if (parameter.form == catalog_form::choice) return fmt::format("{}", fmt::join(parameter.choices, "|"));
    const char* const what = parameter.form == catalog_form::list    ? "numbers with commas, each "
                             : parameter.form == catalog_form::whole ? "a whole number, "
                                                                     : "";
    return fmt::format("{}{:.6g} to {:.6g}", what, parameter.least, parameter.most);
}

std::string usage_text(const catalog_function& function) {
    std::string text(function.name);
    for (const catalog_parameter& parameter : function.parameters)
        text += parameter.is_optional ? fmt::format(" [{}=]", parameter.name)
                                      : fmt::format(" {}=", parameter.name);
    return text;
}

namespace {

void print_parameters(const catalog_function& function) {
    out().print("{}\n  {} ({})\n", usage_text(function), function.meaning, function.source);
    for (const catalog_parameter& parameter : function.parameters)
        out().print("    {:<22}{:<12}{}: {}{}\n", std::string(parameter.name) + "=",
                    unit_text(parameter.unit), parameter.meaning, range_text(parameter),
                    default_text(parameter));
}

std::string output_name(const catalog_output& output) {
    return fmt::format("{}{}", output.name, output.form == catalog_form::list ? "[]" : "");
}

void print_function_text(const catalog_function& function) {
    print_parameters(function);
    out().print("  gives\n");
    for (const catalog_output& output : function.outputs)
        out().print("    {:<22}{:<12}{}\n", output_name(output), unit_text(output.unit), output.meaning);
}

void print_catalog_text() {
    std::string_view family;
    for (const catalog_function& function : model::catalog()) {
        if (function.family != family) out().print("=== {}\n\n", function.family);
        family = function.family;
        print_parameters(function);
        std::string names;
        for (const catalog_output& output : function.outputs)
            names += fmt::format("{}{}", names.empty() ? "" : ", ", output_name(output));
        out().print("  gives {}\n\n", names);
    }
    out().print(
        "Use: membrane model MODEL PARAMETER=VALUE ...; what is in [] may be left out. `membrane model "
        "MODEL` "
        "says what\n"
        "the outputs mean.\n");
}

}  // namespace

void describe_model(const catalog_function& function, bool is_json) {
    if (is_json) {
        json only = json::array();
        only.push_back(function_json(function));
        print_json(only);
    } else print_function_text(function);
}

void list_models(bool is_json) {
    if (!is_json) return print_catalog_text();
    json functions = json::array();
    for (const catalog_function& function : model::catalog()) functions.push_back(function_json(function));
    print_json(functions);
}

}  // namespace membrane::cli
