// Specs generated from a kind's field table: every combination of its enumerated fields, sized by its planner, and each number set
// to small, odd and border values. The planner adjusts related fields; combinations that it refuses are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <membrane/runtime/registry.hpp>

namespace membrane::test {

struct named_spec {
    std::string name;  // "bloom:probes=double,strides=any,k=3": the fixed and all enumerated fields
    filter_spec spec;
    const kind_entry* entry = nullptr;
};

std::vector<named_spec> contract_specs(const kind_entry& entry, std::uint64_t keys);
std::vector<named_spec> contract_specs(std::uint64_t keys);  // of every kind

// One spec for every combination of enumerated fields, and one for each variant that only a number selects.
std::vector<named_spec> planned_specs(const kind_entry& entry, const plan::requirement& wanted);

}  // namespace membrane::test
