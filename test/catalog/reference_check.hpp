// Checks of entries of numbers.json against what the catalog prints, one file for each paper.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/call.hpp"

namespace membrane::model {

using json = nlohmann::json;

struct reference_check {
    std::string start;  // of the ids that it is for
    void (*check)(const std::string& id, const json& entry);
};

std::vector<reference_check> balanced_checks();
std::vector<reference_check> choice_checks();
std::vector<reference_check> less_hashing_checks();
std::vector<reference_check> rank_checks();

inline void expect_relative(double found, double expected, double tolerance) {
    EXPECT_NEAR(found, expected, std::fabs(expected) * tolerance);
}
inline double number(const json& values, const char* name) { return values.at(name).get<double>(); }

// The number after `name=` in an id such as "A.fig4.B=256.beta=8".
inline double value_in(const std::string& id, const std::string& name) {
    return std::stod(id.substr(id.find(name + "=") + name.size() + 1));
}

inline std::string with(const char* name, double value) {
    return std::string(" ") + name + "=" + text_of(value);
}

}  // namespace membrane::model
