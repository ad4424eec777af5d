// The catalogue of models: every formula of membrane/model by name, with its parameters, its outputs and their units.
//
// `membrane model`, the documentation and the tests of the reference numbers use this one list. A function takes its
// arguments as texts (`a=1.2`), checks each against the range of the parameter, and returns one value per output in the
// order of the table: a finite number, a list of finite numbers, or nothing if there is no value (an unbounded k0). Outside
// the domain of a formula it returns an error that names the parameter, never a NaN.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/base/result.hpp>

namespace membrane::model {

enum class catalog_form : std::uint8_t { number, whole, list, choice };

struct catalog_parameter {
    std::string_view name;
    std::string_view unit;  // empty for pure numbers
    std::string_view meaning;
    double least = 0;
    double most = 0;
    catalog_form form = catalog_form::number;
    bool is_optional = false;
    std::optional<double>
        initial{};  // default of an optional parameter; none: the function works without a value
    std::span<const std::string_view> choices{};

    constexpr catalog_parameter otherwise(double value) const {
        catalog_parameter changed = *this;
        changed.is_optional = true;
        changed.initial = value;
        return changed;
    }
    constexpr catalog_parameter may_be_left_out() const {
        catalog_parameter changed = *this;
        changed.is_optional = true;
        return changed;
    }
};

struct catalog_output {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    catalog_form form = catalog_form::number;
};

// A finite number, a list of finite numbers, or nothing.
class catalog_value {
public:
    catalog_value() = default;
    catalog_value(double number) : numbers_(1, number), is_number_(true) {}
    catalog_value(std::vector<double> list) : numbers_(std::move(list)), is_list_(true) {}

    bool is_number() const { return is_number_; }
    bool is_list() const { return is_list_; }
    double number() const { return numbers_.front(); }
    std::span<const double> list() const { return numbers_; }

private:
    std::vector<double> numbers_;
    bool is_number_ = false;
    bool is_list_ = false;
};

class catalog_arguments;

struct catalog_function {
    std::string_view name;
    std::string_view family;
    std::string_view meaning;  // one sentence
    std::string_view source;   // section or theorem
    std::span<const catalog_parameter> parameters;
    std::span<const catalog_output> outputs;
    result<std::vector<catalog_value>> (*compute)(const catalog_arguments&);
};

// All functions, grouped by family.
std::span<const catalog_function> catalog();
// The function of that name, or nullptr.
const catalog_function* find_in_catalog(std::string_view name);

// The arguments of one call. Numbers may have the suffixes % k M G; a list is numbers with commas between them.
class catalog_arguments {
public:
    explicit catalog_arguments(const catalog_function& function);

    const catalog_function& function() const { return *function_; }

    // bad_field with the name of the parameter, or "name" for one that the function does not have.
    result<void> set(std::string_view name, std::string_view text);

    // For the functions of the catalogue: `name` must be a parameter, and one that may lack a value must be checked with
    // `has` first.
    bool has(std::string_view name) const;
    double number(std::string_view name) const;
    std::uint64_t whole(std::string_view name) const;
    std::span<const double> list(std::string_view name) const;
    template <class Enumeration>
    Enumeration choice(std::string_view name) const {
        return static_cast<Enumeration>(whole(name));
    }

    // The first required parameter without a value, or nullptr.
    const catalog_parameter* missing() const;

private:
    std::size_t index_of(std::string_view name) const;

    const catalog_function* function_;
    std::vector<std::vector<double>> values_;  // empty: not given
};

// One value per output. bad_field and the parameter's name outside the domain or without a value.
result<std::vector<catalog_value>> evaluate(const catalog_arguments& arguments);

}  // namespace membrane::model
