// The results of `membrane lab` as tables, JSON and pictures.
#pragma once

#include <string>

#include <lab/experiment.hpp>

#include "json.hpp"

namespace membrane::cli {

void print_lab_list();
json lab_list_json();

void print_lab_report(const lab::experiment& item, std::uint64_t trials, const lab::report& made);
json lab_json(const lab::experiment& item, std::uint64_t trials, const lab::report& made);

void make_folder(const std::string& path);
// Writes FOLDER/NAME.svg and replaces an existing file.
void save_picture(const std::string& folder, const lab::experiment& item, const lab::report& made);

}  // namespace membrane::cli
