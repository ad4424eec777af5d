// The published and independently computed values that the models must reproduce: test/data/numbers.json.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

namespace membrane::model {

inline const nlohmann::json& reference_numbers() {
    static const nlohmann::json numbers =
        nlohmann::json::parse(std::ifstream(std::string(MEMBRANE_TEST_DATA) + "/numbers.json"));
    return numbers;
}

inline const nlohmann::json& reference_entry(const std::string& id) {
    for (const auto& entry : reference_numbers()) {
        if (entry.at("id") == id) return entry;
    }
    throw std::runtime_error("no entry " + id + " in numbers.json");
}

}  // namespace membrane::model
