// The catalog of models: every formula of this room by name, with its parameters, its outputs and their units.
//
// It is the one list: the command line, the documentation and the tests of the reference numbers all go through it. A
// function takes its arguments as texts (`a=1.2`), each checked against the parameter's range, and gives one value per
// output in the order of the table: a finite number, a list of such, or nothing where there is none (an unbounded k0).
// Outside a formula's domain it gives an error that names the parameter; never a NaN.
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
    std::optional<double> initial{};  // of an optional one; without it, the function does without
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

// A finite number, a list of such, or nothing.
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

// All functions, family by family.
std::span<const catalog_function> catalog();
// The function of that name, or none.
const catalog_function* find_in_catalog(std::string_view name);

// The arguments of one call. Numbers may have the suffixes % k M G; a list is numbers with commas between them.
class catalog_arguments {
public:
    explicit catalog_arguments(const catalog_function& function);

    const catalog_function& function() const { return *function_; }

    // bad_field with the name of the parameter, or "name" for one that the function does not have.
    result<void> set(std::string_view name, std::string_view text);

    // For the functions themselves: the names must be parameters, and those without a value may only be asked for with
    // `has`.
    bool has(std::string_view name) const;
    double number(std::string_view name) const;
    std::uint64_t whole(std::string_view name) const;
    std::span<const double> list(std::string_view name) const;
    template <class Enumeration>
    Enumeration choice(std::string_view name) const {
        return static_cast<Enumeration>(whole(name));
    }

    // The first parameter that has neither a value nor leave to be without.
    const catalog_parameter* missing() const;

private:
    std::size_t index_of(std::string_view name) const;

    const catalog_function* function_;
    std::vector<std::vector<double>> values_;  // empty: not given
};

// One value per output. bad_field and the parameter's name outside the domain or without a value.
result<std::vector<catalog_value>> evaluate(const catalog_arguments& arguments);

}  // namespace membrane::model
