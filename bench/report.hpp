// Prints the measurements as text, CSV and charts.
#pragma once

#include <string>
#include <vector>

#include "plot/chart.hpp"
#include "rows.hpp"

namespace bench {

void print_table(const table& measured);
void print_ratios(const table& measured);
// False, and a message on standard error, if the file cannot be written.
bool append_csv(const std::string& path, const table& measured);
// The processor, the compiler and the commit, for the head of a file of numbers.
std::string measured_on();
bool write_chart(const std::string& folder, const char* name, const membrane::plot::chart& picture);
bool write_charts(const std::string& folder, const std::vector<table>& measured);

}  // namespace bench
