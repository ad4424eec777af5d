#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include <cli/catalog/catalog.hpp>

#include "model/domain.hpp"

namespace membrane::model {

namespace {

constexpr std::size_t max_list_length = 65536;

struct suffix {
    char letter;
    double factor;
};
constexpr suffix suffixes[]{{'%', 0.01}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}};

std::optional<double> parse_number(std::string_view text) {
    double factor = 1;
    for (const suffix& each : suffixes) {
        if (text.empty() || text.back() != each.letter) continue;
        factor = each.factor;
        text.remove_suffix(1);
        break;
    }
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    value *= factor;
    if (!std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<std::vector<double>> parse_list(std::string_view text) {
    std::vector<double> values;
    for (;;) {
        const std::size_t comma = text.find(',');
        const auto value = parse_number(text.substr(0, comma));
        if (!value || values.size() == max_list_length) return std::nullopt;
        values.push_back(*value);
        if (comma == std::string_view::npos) return values;
        text.remove_prefix(comma + 1);
    }
}

result<std::vector<double>> parse(const catalog_parameter& parameter, std::string_view text) {
    if (parameter.form == catalog_form::choice) {
        const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), text);
        if (found == parameter.choices.end()) return outside_domain(parameter.name, "not one of its values");
        return std::vector<double>{static_cast<double>(found - parameter.choices.begin())};
    }
    const auto values = parse_list(text);
    if (!values) return outside_domain(parameter.name, "not a number");
    if (parameter.form != catalog_form::list && values->size() != 1)
        return outside_domain(parameter.name, "one number, not a list");
    for (const double value : *values) {
        if (!within(value, parameter.least, parameter.most))
            return outside_domain(parameter.name, "outside its range");
        if (parameter.form == catalog_form::whole && value != std::floor(value))
            return outside_domain(parameter.name, "not a whole number");
    }
    return *values;
}

}  // namespace

catalog_arguments::catalog_arguments(const catalog_function& function)
    : function_(&function), values_(function.parameters.size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (const auto initial = function.parameters[i].initial) values_[i] = {*initial};
    }
}

std::size_t catalog_arguments::index_of(std::string_view name) const {
    const auto parameters = function_->parameters;
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const catalog_parameter& each) { return each.name == name; });
    return static_cast<std::size_t>(found - parameters.begin());
}

result<void> catalog_arguments::set(std::string_view name, std::string_view text) {
    const std::size_t index = index_of(name);
    if (index == values_.size()) return outside_domain("name", "the function has no such parameter");
    auto values = parse(function_->parameters[index], text);
    if (!values) return values.error();
    values_[index] = std::move(*values);
    return {};
}

bool catalog_arguments::has(std::string_view name) const { return !list(name).empty(); }

double catalog_arguments::number(std::string_view name) const {
    assert(has(name));
    return list(name).front();
}

std::uint64_t catalog_arguments::whole(std::string_view name) const {
    return static_cast<std::uint64_t>(number(name));
}

std::span<const double> catalog_arguments::list(std::string_view name) const {
    const std::size_t index = index_of(name);
    assert(index < values_.size());
    return values_[index];
}

const catalog_parameter* catalog_arguments::missing() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (values_[i].empty() && !function_->parameters[i].is_optional) return &function_->parameters[i];
    }
    return nullptr;
}

}  // namespace membrane::model
