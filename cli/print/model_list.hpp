// The catalogue of models as a table and as JSON, and its texts that error messages quote.
#pragma once

#include <string>

#include <cli/catalog/catalog.hpp>

namespace membrane::cli {

void list_models(bool is_json);
void describe_model(const model::catalog_function& function, bool is_json);

std::string range_text(const model::catalog_parameter& parameter);  // "1 to 64", "load|coin"
std::string usage_text(const model::catalog_function& function);    // "bloom n= m= [k=]"

}  // namespace membrane::cli
