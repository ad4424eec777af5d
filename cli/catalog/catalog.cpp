#include <cli/catalog/catalog.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/domain.hpp"
#include "rows.hpp"

namespace membrane::model {

namespace {

std::vector<catalog_function> all_functions() {
    std::vector<catalog_function> all;
    for (const auto family :
         {rows::placement_functions, rows::sub_table_functions, rows::balanced_bloom_functions,
          rows::block_functions, rows::choice_functions, rows::less_hashing_functions,
          rows::count_min_functions, rows::rank_functions, rows::comparison_functions,
          rows::balanced_rank_functions, rows::measuring_functions}) {
        const auto functions = family();
        all.insert(all.end(), functions.begin(), functions.end());
    }
    return all;
}

bool is_finite(const catalog_value& value) {
    const auto numbers = value.list();
    return std::all_of(numbers.begin(), numbers.end(), [](double each) { return std::isfinite(each); });
}

}  // namespace

namespace rows {

double chance_of_log(double logarithm) { return std::exp(std::min(logarithm, 0.0)); }

catalog_value log10_of_log(double logarithm) {
    if (!std::isfinite(logarithm)) return {};
    return std::min(logarithm, 0.0) / std::log(10.0);
}

}  // namespace rows

std::span<const catalog_function> catalog() {
    static const std::vector<catalog_function> functions = all_functions();
    return functions;
}

const catalog_function* find_in_catalog(std::string_view name) {
    const auto functions = catalog();
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const catalog_function& each) { return each.name == name; });
    return found == functions.end() ? nullptr : &*found;
}

result<std::vector<catalog_value>> evaluate(const catalog_arguments& arguments) {
    if (const catalog_parameter* const missing = arguments.missing())
        return outside_domain(missing->name, "it has no value");
    auto values = arguments.function().compute(arguments);
    if (!values) return values;
    const auto outputs = arguments.function().outputs;
    assert(values->size() == outputs.size());
    for (std::size_t i = 0; i < values->size(); ++i) {
        if (!is_finite((*values)[i]))
            return outside_domain(outputs[i].name, "the formula has no finite value there");
    }
    return values;
}

}  // namespace membrane::model
