#include <membrane/model/two_choice.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <membrane/model/less_hashing.hpp>

#include "model/reference_numbers.hpp"

namespace membrane::model {
namespace {

void expect_relative(double value, double expected, double tolerance) {
    EXPECT_NEAR(value, expected, std::fabs(expected) * tolerance);
}

double value_after(const std::string& id, const std::string& name) {
    return std::stod(id.substr(id.find(name + "=") + name.size() + 1));
}

TEST(TwoChoiceReference, EveryEntryWithAnOracleIsReproduced) {
    int checked = 0;
    for (const auto& entry : reference_entries("B.")) {
        const std::string id = entry.at("id");
        SCOPED_TRACE(id);
        const auto starts = [&](const char* start) { return id.rfind(start, 0) == 0; };
        const auto& oracle = entry.at("oracle");
        ++checked;
        if (starts("B.table1.")) {
            const double bits_per_key = value_after(id, "beta");
            const auto choices = static_cast<std::uint64_t>(value_after(id, "c"));
            const auto k = choice_bloom_best_k(bits_per_key, choices);
            ASSERT_TRUE(k.has_value());
            EXPECT_EQ(*k, oracle.at("k").get<std::uint64_t>());
            EXPECT_EQ(*k, entry.at("published").at("k").get<std::uint64_t>());
            const double fpr = choice_bloom_fpr(bits_per_key, choices, *k).value();
            expect_relative(fpr, oracle.at("fpr").get<double>(), 1e-8);
            expect_relative(fpr, entry.at("published").at("fpr").get<double>(), 0.0015);
        } else if (starts("B.table2.")) {
            const double bits_per_key = value_after(id, "beta");
            const auto choices = static_cast<std::uint64_t>(value_after(id, "c"));
            const std::uint64_t k = choice_bloom_best_k(bits_per_key, choices).value();
            const double ones = choice_bloom_ones(bits_per_key, choices, k).value();
            EXPECT_NEAR(ones, oracle.get<double>(), 1e-9);
            EXPECT_NEAR(ones, entry.at("published").get<double>(), 5e-5);
        } else if (starts("B.text.k=")) {
            const auto k = static_cast<std::uint64_t>(value_after(id, "k"));
            const double fpr = choice_bloom_fpr(16, 2, k).value();
            expect_relative(fpr, oracle.get<double>(), 1e-8);
            expect_relative(fpr, entry.at("published").get<double>(), 0.002);
        } else if (id == "B.realqueries.beta=32.n=1e4") {
            // c = 1 is the standard filter; what double hashing adds to it is the less-hashing model's.
            expect_relative(double_hash_fpr_first_order(10000, 320000, 22, stride_rule::any),
                            oracle.at("c1_all").get<double>(), 0.1);
            expect_relative(double_hash_fpr_first_order(10000, 320000, 22, stride_rule::coprime),
                            oracle.at("c1_odd").get<double>(), 0.1);
        } else {
            --checked;
            ADD_FAILURE() << "an entry that no model is compared with";
        }
    }
    EXPECT_EQ(checked, 19);
}

}  // namespace
}  // namespace membrane::model
