// Entries B.*: two choices.
#include "catalog/reference_check.hpp"

namespace membrane::model {
namespace {

catalog_answer best_of(const std::string& id) {
    return call("choice_bloom" + with("bits_per_key", value_in(id, "beta")) +
                with("choices", value_in(id, "c")));
}

void check_table_1(const std::string& id, const json& entry) {
    const auto best = best_of(id);
    EXPECT_EQ(best["k"], number(entry.at("oracle"), "k"));
    EXPECT_EQ(best["k"], number(entry.at("published"), "k"));
    expect_relative(best["fpr"], number(entry.at("oracle"), "fpr"), 1e-8);
    expect_relative(best["fpr"], number(entry.at("published"), "fpr"), 0.0015);
}

void check_table_2(const std::string& id, const json& entry) {
    const double ones = best_of(id)["ones"];
    EXPECT_NEAR(ones, entry.at("oracle").get<double>(), 1e-9);
    EXPECT_NEAR(ones, entry.at("published").get<double>(), 5e-5);
}

void check_text(const std::string& id, const json& entry) {
    const double fpr = call("choice_bloom bits_per_key=16 choices=2" + with("k", value_in(id, "k")))["fpr"];
    expect_relative(fpr, entry.at("oracle").get<double>(), 1e-8);
    expect_relative(fpr, entry.at("published").get<double>(), 0.002);
}

// One choice is the standard filter; what double hashing adds to it is the less-hashing model's.
void check_real_queries(const std::string&, const json& entry) {
    const auto& oracle = entry.at("oracle");
    const std::string filter = "double_hash n=10000 m=320000 k=22 strides=";
    expect_relative(call(filter + "any")["fpr_first_order"], number(oracle, "c1_all"), 1e-9);
    expect_relative(call(filter + "coprime")["fpr_first_order"], number(oracle, "c1_odd"), 1e-9);
    expect_relative(call(filter + "any")["fpr"], number(oracle, "c1_all"), 0.1);
    expect_relative(call(filter + "coprime")["fpr"], number(oracle, "c1_odd"), 0.1);
}

}  // namespace

std::vector<reference_check> choice_checks() {
    return {{"B.table1.", check_table_1},
            {"B.table2.", check_table_2},
            {"B.text.", check_text},
            {"B.realqueries.", check_real_queries}};
}

}  // namespace membrane::model
