// The published and independently computed values that the models must reproduce: test/data/numbers.json.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace membrane::model {

inline const nlohmann::json& reference_numbers() {
    static const nlohmann::json numbers =
        nlohmann::json::parse(std::ifstream(std::string(MEMBRANE_TEST_DATA) + "/numbers.json"));
    return numbers;
}

// The entries whose id starts so and that have an oracle value.
inline std::vector<nlohmann::json> reference_entries(const std::string& start) {
    std::vector<nlohmann::json> found;
    for (const auto& entry : reference_numbers()) {
        if (entry.at("id").get<std::string>().rfind(start, 0) == 0 && !entry.at("oracle").is_null())
            found.push_back(entry);
    }
    return found;
}

inline const nlohmann::json& reference_entry(const std::string& id) {
    for (const auto& entry : reference_numbers()) {
        if (entry.at("id") == id) return entry;
    }
    throw std::runtime_error("no entry " + id + " in numbers.json");
}

}  // namespace membrane::model
