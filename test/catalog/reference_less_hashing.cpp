// Entries C.*: less hashing and count-min.
#include "catalog/reference_check.hpp"

namespace membrane::model {
namespace {

void check_rate(const std::string& id, const json& entry) {
    const auto& oracle = entry.at("oracle");
    const auto filter = call("bloom n=1000" + with("m", 1000 * value_in(id, "c")));
    EXPECT_EQ(filter["k"], number(oracle, "k"));
    expect_relative(filter["fpr_asymptotic"], number(oracle, "p"), 1e-6);
    const auto queries = call("rate_queries hits=10" + with("fpr", filter["fpr_asymptotic"]));
    EXPECT_EQ(queries["queries"], number(oracle, "Q"));
    expect_relative(queries["expected"], number(oracle, "expected"), 1e-6);
}

void check_figure_1(const std::string& id, const json& entry) {
    const auto& oracle = entry.at("oracle");
    const double n = value_in(id, "n"), m = n * value_in(id, "c");
    const double k = call("bloom" + with("n", n) + with("m", m))["k"];
    const std::string filter = with("n", n) + with("k", k), flat = filter + with("m", m);
    const double standard = call("bloom" + flat)["fpr_exact"];
    const double first_order = call("double_hash" + flat)["fpr_first_order"];
    expect_relative(standard, number(oracle, "standard_exact"), 1e-12);
    expect_relative(first_order, number(oracle, "double_first_order"), 1e-9);
    expect_relative(call("partitioned" + filter + with("sub_array_bits", m / k))["fpr_two_hash"],
                    number(oracle, "partition_two_hash_prime_formula"), 1e-8);
    // Simulated values: four standard errors.
    const auto& simulated = entry.at("simulated");
    const double error = 4 * number(simulated, "stderr");
    EXPECT_NEAR(standard, number(simulated, "standard"), error);
    EXPECT_NEAR(first_order, number(simulated, "double"), error);
    EXPECT_NEAR(call("double_hash growth=quadratic" + flat)["fpr_first_order"], number(simulated, "i2"),
                error);
    EXPECT_NEAR(call("double_hash growth=cubic" + flat)["fpr_first_order"], number(simulated, "i3"), error);
}

void check_partition(const std::string&, const json& entry) {
    const double rate = call("partitioned n=1000 sub_array_bits=1459 k=11")["fpr_two_hash"];
    expect_relative(rate, entry.at("oracle").get<double>(), 1e-12);
    expect_relative(rate, entry.at("simulated").get<double>(), 0.01);
}

void check_count_min(const std::string& id, const json& entry) {
    const auto& oracle = entry.at("oracle");
    const double eps = value_in(id, "eps");
    const auto size = call("count_min" + with("eps", eps) + with("delta", eps));
    EXPECT_EQ(size["width"], oracle.at("two")[0].get<double>());
    EXPECT_EQ(size["depth"], oracle.at("two")[1].get<double>());
    EXPECT_EQ(size["copies"], 1);
    EXPECT_NEAR(size["bound"], number(oracle, "bound"), 1e-14);
    EXPECT_EQ(size["classic_width"], oracle.at("classic")[0].get<double>());
    EXPECT_EQ(size["classic_depth"], oracle.at("classic")[1].get<double>());
    EXPECT_LE(number(entry.at("simulated"), "two"), size["bound"]);
    EXPECT_LE(number(entry.at("simulated"), "classic"), size["classic_bound"]);
}

}  // namespace

std::vector<reference_check> less_hashing_checks() {
    return {{"C.p.", check_rate},
            {"C.fig1.", check_figure_1},
            {"C.partition.", check_partition},
            {"C.cm.", check_count_min}};
}

}  // namespace membrane::model
