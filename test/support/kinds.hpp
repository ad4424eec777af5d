// Test suites that run once for every registered kind, so that a new kind is covered without new test code.
//
//   class Merge : public kind_test {};
//   TEST_P(Merge, HasEveryKeyOfBothFilters) { for (const named_spec& each : specs(200)) ... }
//   MEMBRANE_FOR_EVERY_KIND(Merge);
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/runtime/registry.hpp>

#include "support/kind_specs.hpp"

namespace membrane::test {

inline std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const kind_entry& entry : registry()) names.emplace_back(entry.rules.name);
    return names;
}

class kind_test : public ::testing::TestWithParam<std::string> {
protected:
    const kind_entry& entry() const { return *find_entry(GetParam()); }
    capabilities able() const { return capabilities_of(entry()); }  // in some form of the kind
    static capabilities able(const named_spec& each) { return capabilities_of(each.spec); }
    // Every variant of the kind, sized for `keys` keys and oddly.
    std::vector<named_spec> specs(std::uint64_t keys) const { return contract_specs(entry(), keys); }
};

}  // namespace membrane::test

#define MEMBRANE_FOR_EVERY_KIND(suite)                                                          \
    INSTANTIATE_TEST_SUITE_P(Kinds, suite, ::testing::ValuesIn(::membrane::test::kind_names()), \
                             [](const auto& tested) { return tested.param; })
