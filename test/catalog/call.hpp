// Calls of the catalog by text, as the command line makes them: `call("multi_level a=1.2 d=3 r=8")`.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <cli/catalog/catalog.hpp>

namespace membrane::model {

// A number as text that reads back as the same number.
inline std::string text_of(double value) {
    std::ostringstream text;
    text.precision(17);
    text << value;
    return text.str();
}

// The outputs of one call by name; asking for one that is not there throws.
class catalog_answer {
public:
    catalog_answer(const catalog_function& function, std::vector<catalog_value> values)
        : function_(&function), values_(std::move(values)) {}

    const catalog_value& value(const std::string& name) const {
        for (std::size_t i = 0; i < function_->outputs.size(); ++i) {
            if (function_->outputs[i].name == name) return values_[i];
        }
        throw std::runtime_error(std::string(function_->name) + " has no output " + name);
    }
    double operator[](const std::string& name) const {
        if (!value(name).is_number()) throw std::runtime_error(name + " is no number");
        return value(name).number();
    }
    std::vector<double> list(const std::string& name) const {
        if (!value(name).is_list()) throw std::runtime_error(name + " is no list");
        return {value(name).list().begin(), value(name).list().end()};
    }

private:
    const catalog_function* function_;
    std::vector<catalog_value> values_;
};

inline result<std::vector<catalog_value>> try_call(const catalog_function& function,
                                                   const std::vector<std::string>& assignments) {
    catalog_arguments arguments(function);
    for (const std::string& assignment : assignments) {
        const std::size_t equals = assignment.find('=');
        const auto done = arguments.set(assignment.substr(0, equals), assignment.substr(equals + 1));
        if (!done) return done.error();
    }
    return evaluate(arguments);
}

inline catalog_answer call(const std::string& text) {
    std::istringstream words(text);
    std::string name;
    words >> name;
    std::vector<std::string> assignments;
    for (std::string word; words >> word;) assignments.push_back(word);
    const catalog_function* const function = find_in_catalog(name);
    if (function == nullptr) throw std::runtime_error("no model " + name);
    auto values = try_call(*function, assignments);
    if (!values) throw std::runtime_error(text + ": " + describe(values.error()));
    return {*function, std::move(*values)};
}

}  // namespace membrane::model
