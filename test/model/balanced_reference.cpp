// Every entry A.* of numbers.json that has an oracle value.
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/balanced_bound.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/less_hashing.hpp>
#include <membrane/model/multi_level.hpp>
#include <membrane/model/sequential.hpp>
#include <membrane/model/single.hpp>

#include "model/reference_numbers.hpp"

namespace membrane::model {
namespace {

using json = nlohmann::json;

double number(const json& values, const char* name) { return values.at(name).get<double>(); }
std::uint64_t whole(const json& values, const char* name) { return values.at(name).get<std::uint64_t>(); }

void expect_relative(double value, double expected, double tolerance) {
    EXPECT_NEAR(value, expected, std::fabs(expected) * tolerance);
}

void check_lower_bound(const json& entry, double a) {
    const auto& oracle = entry.at("oracle");
    const auto bound = balanced_lower_bound(a, 8, 0);
    ASSERT_TRUE(bound.has_value());
    EXPECT_EQ(bound->k0.has_value(), !oracle.at("k0").is_null());
    if (bound->k0) {
        EXPECT_EQ(*bound->k0, whole(oracle, "k0"));
        EXPECT_EQ(bound->loads.size(), oracle.at("P").size());
    }
    EXPECT_NEAR(bound->e0, number(oracle, "e0"), 1e-9);
    EXPECT_NEAR(bound->p0, number(oracle, "p0"), 1e-9);
    for (std::size_t i = 0; i < oracle.at("P").size(); ++i) {
        const double found = i < bound->loads.size() ? bound->loads[i] : 0;
        EXPECT_NEAR(found, oracle.at("P")[i].get<double>(), 1e-9) << i;
    }
    EXPECT_NEAR(mean_load(bound->loads), 8, 1e-9);
    EXPECT_NEAR(mean_cost(bound->loads, [](std::uint64_t) { return 1.0; }), 1, 1e-12);
}

void check_single(const json& entry, double t) {
    const auto& oracle = entry.at("oracle");
    const auto state = single(2.5 * t, 2, 0.5);
    ASSERT_TRUE(state.has_value());
    ASSERT_EQ(state->loads.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(state->loads[i], oracle[i].get<double>(), 1e-9);
    EXPECT_NEAR(state->overflow, oracle[4].get<double>(), 1e-9);
}

void check_schemes(const json& entry, double a, double r) {
    const auto& oracle = entry.at("oracle");
    const auto sequence = sequential(a, 3, r);
    ASSERT_TRUE(sequence.has_value());
    EXPECT_NEAR(sequence->gamma0, number(oracle, "SEQ"), 1e-6);
    EXPECT_EQ(sequence->h, whole(oracle, "SEQ_h"));
    EXPECT_NEAR(sequence->p, number(oracle, "SEQ_p"), 1e-6);
    const auto levels = multi_level(a, 3, r);
    ASSERT_TRUE(levels.has_value());
    EXPECT_NEAR(levels->gamma0, number(oracle, "MHT"), 1e-12);
    EXPECT_EQ(levels->h, whole(oracle, "MHT_h"));
    EXPECT_NEAR(levels->p, number(oracle, "MHT_p"), 1e-9);
    if (oracle.contains("q")) {
        EXPECT_NEAR(levels->q, number(oracle, "q"), 1e-12);
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_NEAR(levels->alpha[j], oracle.at("alpha")[j].get<double>(), 1e-12);
    }
}

std::uint64_t best_blocked_k(double bits_per_key, std::uint64_t block_bits) {
    std::uint64_t best = 1;
    for (std::uint64_t k = 2; k <= max_probes; ++k) {
        if (*blocked_bloom_fpr_approximate(bits_per_key, block_bits, k) <
            *blocked_bloom_fpr_approximate(bits_per_key, block_bits, best))
            best = k;
    }
    return best;
}

void check_figure_4(const json& entry, std::uint64_t block_bits, std::uint64_t bits_per_key) {
    const auto& oracle = entry.at("oracle");
    const auto beta = static_cast<double>(bits_per_key);
    const double r = static_cast<double>(block_bits) / beta;
    const std::uint64_t k = whole(oracle, "k");
    EXPECT_EQ(k, static_cast<std::uint64_t>(std::lround(beta * std::log(2.0))));
    EXPECT_DOUBLE_EQ(r, number(oracle, "r"));
    const auto design = multi_level(1.2, 3, r);
    ASSERT_TRUE(design.has_value());
    EXPECT_EQ(design->h, whole(oracle, "h"));
    EXPECT_NEAR(design->p, number(oracle, "p"), 1e-9);
    EXPECT_EQ(state_bits(query_rule::load, design->h), whole(oracle, "b"));
    const std::vector<sub_table> tables = tables_of(*design);
    balanced_bloom_spec spec{block_bits, k, query_rule::load, block_law::approximate};
    const auto load = balanced_bloom_design(beta, 1.2, 3, spec);
    spec.rule = query_rule::coin;
    const auto coin = balanced_bloom(r, 1, tables, spec);
    ASSERT_TRUE(load.has_value() && coin.has_value());
    expect_relative(load->fpr, number(oracle, "mht_load"), 1e-6);
    expect_relative(coin->fpr, number(oracle, "mht_coin"), 1e-6);
    expect_relative(load->block_fpr, number(oracle, "F1"), 1e-6);
    expect_relative(load->goes_on, number(oracle, "cont_load"), 1e-6);
    expect_relative(coin->goes_on, number(oracle, "cont_coin"), 1e-6);
    expect_relative(load->negative_reads, number(oracle, "accesses_negative_load"), 1e-6);
    expect_relative(coin->negative_reads, number(oracle, "accesses_negative_coin"), 1e-6);
    spec.rule = query_rule::load;
    spec.law = block_law::exact;
    const auto exact = balanced_bloom(r, 1, tables, spec);
    expect_relative(exact->fpr, number(oracle, "mht_load_exactblock"), 1e-6);
    spec.law = block_law::approximate;
    spec.k = balanced_bloom_best_k(r, 1, tables, spec).value();
    EXPECT_EQ(spec.k, whole(oracle, "best_k_mht_load"));
    expect_relative(balanced_bloom(r, 1, tables, spec)->fpr, number(oracle, "best_mht_load"), 1e-6);

    const std::uint64_t n = 1000000;
    expect_relative(bloom_fpr_asymptotic(n, n * bits_per_key, k), number(oracle, "standard"), 1e-6);
    const double blocked = blocked_bloom_fpr_approximate(beta, block_bits, k).value();
    expect_relative(blocked, number(oracle, "blocked"), 1e-6);
    const std::uint64_t blocks = 10000000000;
    expect_relative(blocked_bloom_fpr(blocks * block_bits / bits_per_key, blocks, block_bits, k),
                    number(oracle, "blocked_exactblock"), 1e-6);
    const std::uint64_t best = best_blocked_k(beta, block_bits);
    EXPECT_EQ(best, whole(oracle, "best_k_blocked"));
    expect_relative(*blocked_bloom_fpr_approximate(beta, block_bits, best), number(oracle, "best_blocked"),
                    1e-6);
    expect_relative(blocked / load->fpr, number(oracle, "ratio_blocked_over_mht"), 1e-6);
    expect_relative(load->fpr / bloom_fpr_asymptotic(n, n * bits_per_key, k),
                    number(oracle, "ratio_mht_over_standard"), 1e-6);
    // SINGLE with the same overflow as the three tables.
    const auto alone = multi_level_for_overflow(design->gamma0, 1, r);
    ASSERT_TRUE(alone.has_value());
    spec.k = k;
    expect_relative(balanced_bloom(r, 1, tables_of(*alone), spec)->fpr, number(oracle, "single"), 1e-6);
}

void check_rules(const json& entry) {
    const auto design = multi_level(1.2, 3, 16);
    const std::vector<sub_table> tables = tables_of(*design);
    const std::pair<query_rule, const char*> rules[] = {{query_rule::load, "load"},
                                                        {query_rule::coin, "coin"},
                                                        {query_rule::flag, "flag"},
                                                        {query_rule::flag_coin, "both"}};
    for (const auto& [rule, name] : rules) {
        const auto rates = balanced_bloom(16, 1, tables, {256, 11, rule, block_law::exact});
        ASSERT_TRUE(rates.has_value());
        // The entry allows 4 % and 0.02, for measured filters; the formula has no need of that.
        expect_relative(rates->fpr, number(entry.at("oracle").at(name), "fpr"), 1e-6);
        expect_relative(rates->negative_reads, number(entry.at("oracle").at(name), "acc"), 1e-6);
        expect_relative(rates->fpr, number(entry.at("simulated").at(name), "fpr"), 0.04);
        EXPECT_NEAR(rates->negative_reads, number(entry.at("simulated").at(name), "acc"), 0.02);
    }
}

TEST(BalancedReference, EveryEntryWithAnOracleIsReproduced) {
    const auto tail = [](const std::string& id) { return std::stod(id.substr(id.rfind('=') + 1)); };
    int checked = 0;
    for (const auto& entry : reference_entries("A.")) {
        const std::string id = entry.at("id");
        SCOPED_TRACE(id);
        const auto starts = [&](const char* start) { return id.rfind(start, 0) == 0; };
        ++checked;
        if (starts("A.fig2.")) {
            check_lower_bound(entry, tail(id));
        } else if (starts("A.fig5.")) {
            check_single(entry, tail(id));
        } else if (starts("A.fig3a.")) {
            check_schemes(entry, tail(id), 8);
        } else if (starts("A.fig3b.")) {
            check_schemes(entry, 1.2, tail(id));
        } else if (starts("A.fig4.B=")) {
            check_figure_4(entry, std::stoull(id.substr(9)), static_cast<std::uint64_t>(tail(id)));
        } else if (id == "A.gamma_mht") {
            EXPECT_NEAR(multi_level(1.2, 3, 8)->gamma0, entry.at("oracle").get<double>(), 1e-12);
        } else if (starts("A.rules.")) {
            check_rules(entry);
        } else if (starts("A.inblock_hash.")) {
            const auto rates =
                balanced_bloom_design(16, 1.2, 3, {256, 11, query_rule::load, block_law::exact});
            expect_relative(rates->fpr, entry.at("oracle").get<double>(), 1e-6);
        } else {
            --checked;
            ADD_FAILURE() << "an entry that no model is compared with";
        }
    }
    EXPECT_EQ(checked, 61);
}

}  // namespace
}  // namespace membrane::model
