// Every function of the catalog over the whole range of its parameters: finite outputs or an error that names something,
// in bounded time.
//
// Values of a parameter come from a table where the range of interest is known (a, d, r, ...), and else from the
// parameter's own range: both ends and points between them. Each function is called with every value of every parameter
// around a middle, and with several hundred random combinations of a fixed seed.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "catalog/call.hpp"

namespace membrane::model {
namespace {

const std::map<std::string, std::vector<double>>& known_values() {
    static const std::map<std::string, std::vector<double>> values{
        {"a", {1, 1.01, 1.05, 1.2, 1.5, 1.9, 2}},
        {"d", {1, 2, 3, 5, 8}},
        {"r", {0.5, 1, 2.5, 8, 16.7, 40, 64}},
        {"x", {0, 0.5, 3, 16, 70, 128}},
        {"h", {0, 1, 2, 8, 17, 40, 70}},
        {"p", {0, 1e-9, 0.3, 0.999, 1}},
        {"gamma", {0, 1e-6, 0.005, 0.1, 0.5}},
        {"block_bits", {64, 100, 256, 512, 1024}},
        {"bits_per_key", {2, 8, 10.3, 16, 24, 40}},
        {"choices", {1, 2, 3, 4, 6}},
        {"k", {1, 2, 7, 11, 22, 40, 64}},
        {"n", {1, 10, 1e3, 1e5, 1e6, 1e9, 1e12}},
        {"m", {1, 64, 1000, 6400, 1e6, 64e6, 1e10, 2e13}},
        {"sub_array_bits", {1, 64, 1459, 1e6, 1.5e9, 1e12}},
        {"fpr", {1e-12, 1e-6, 1e-4, 0.001, 0.01, 0.1, 0.5}},
        {"eps", {1e-9, 1e-6, 1e-4, 0.001, 0.01, 0.1, 0.5}},
        {"po", {1e-300, 1e-20, 1e-10, 1e-3, 0.9}},
        {"fill", {1e-6, 0.1, 0.9, 1, 1.1, 4}},
        {"load", {0, 1, 8, 50, 1000}},
        {"bits", {1, 64, 251, 506, 1024}},
        {"B", {1, 10, 1221, 1e6, 1e10}},
        {"L", {1, 2, 30, 52, 64}},
        {"second_L", {1, 2, 30, 52, 64}},
        {"R", {1, 4, 8, 14, 56}},
        {"second_R", {1, 4, 8, 14, 56}},
        {"Z1", {1, 20, 87, 200}},
        {"Z2", {0, 16, 100}},
        {"Z3", {0, 57, 100}},
        {"J2", {0, 42, 427, 1e6}},
        {"J3", {0, 1, 42, 1e5}},
        {"Z", {1, 10, 25, 48, 51}},
        {"second_Z", {1, 10, 25, 48, 51}},
        {"keys_per_line", {0.01, 1, 24, 50, 60}},
        {"second_share", {0.005, 0.07, 0.3, 1}},
        {"most_negative_reads", {1, 1.1, 1.5, 3}},
        {"negative_reads", {1.01, 1.2, 1.5, 2}},
        {"mean", {0, 1e-9, 1, 56, 1e6, 1e13}},
        {"trials", {0, 1, 100, 1e6, 1e13}},
        {"threshold", {0, 1, 64, 128, 1e6, 1e15}},
        {"width", {1, 59, 1e6, 1e12}},
        {"depth", {1, 5, 64}},
        {"coded_bits_per_key", {1.2, 4, 7.5, 11, 14, 18, 25, 50}},
    };
    return values;
}

std::vector<std::string> texts_of(const catalog_function& function, const catalog_parameter& parameter) {
    std::vector<std::string> texts;
    if (parameter.form == catalog_form::choice) {
        for (const std::string_view each : parameter.choices) texts.emplace_back(each);
        return texts;
    }
    if (parameter.form == catalog_form::list) {
        if (function.name == "lower_bound_cost") return {"0,1,4,9,16,25,36,49,64,81,100,121", "0", "5,1,0"};
        if (parameter.name == "shares") return {"1,1", "0.9,0.1", "5,1e-3"};
        return parameter.name == "h" ? std::vector<std::string>{"8,8", "0,30", "70,1"}
                                     : std::vector<std::string>{"0.5,0.5", "0,1", "1,1e-9"};
    }
    std::vector<double> values{parameter.least, parameter.most};
    if (const auto known = known_values().find(std::string(parameter.name)); known != known_values().end()) {
        values = known->second;
    } else {
        for (const double share : {0.01, 0.3, 0.8})
            values.push_back(parameter.least + share * (parameter.most - parameter.least));
    }
    for (double value : values) {
        value = std::clamp(value, parameter.least, parameter.most);
        texts.push_back(text_of(parameter.form == catalog_form::whole ? std::floor(value) : value));
    }
    return texts;
}

struct tally {
    int calls = 0;
    int answered = 0;
    int slow = 0;  // above 0.2 s
    double slowest_seconds = 0;
    std::string slowest;
};

void try_out(const catalog_function& function, const std::vector<std::string>& assignments, tally& counts) {
    std::string text(function.name);
    for (const std::string& each : assignments) text += " " + each;
    const std::clock_t start = std::clock();
    const auto values = try_call(function, assignments);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ++counts.calls;
    if (seconds > 0.2) ++counts.slow;
    if (seconds > counts.slowest_seconds) {
        counts.slowest_seconds = seconds;
        counts.slowest = text;
    }
    if (!values) {
        EXPECT_FALSE(values.error().what.empty()) << text;
        // A finite formula everywhere in its domain: the last line of defence must never be needed.
        EXPECT_EQ(std::string(values.error().note).find("no finite value"), std::string::npos)
            << text << ": " << describe(values.error());
        return;
    }
    ++counts.answered;
    ASSERT_EQ(values->size(), function.outputs.size());
    for (std::size_t i = 0; i < values->size(); ++i) {
        const catalog_output& output = function.outputs[i];
        const catalog_value& value = (*values)[i];
        EXPECT_EQ(value.is_list(), output.form == catalog_form::list) << text << ' ' << output.name;
        for (const double each : value.list()) {
            EXPECT_TRUE(std::isfinite(each)) << text << ' ' << output.name;
            const std::set<std::string_view> shares{"rate", "chance", "share"};
            if (shares.count(output.unit) == 0 || output.name == "t0" || output.name == "time") continue;
            EXPECT_GE(each, 0) << text << ' ' << output.name;
            // Sequential's overflow counts keys of the design, of which there may be 16 times as many.
            const double most = function.name == "sequential_state" ? 16 : 1 + 1e-12;
            EXPECT_LE(each, most) << text << ' ' << output.name;
        }
    }
}

void try_out(const catalog_function& function, int combinations, tally& counts) {
    std::vector<std::vector<std::string>> texts;
    for (const catalog_parameter& parameter : function.parameters)
        texts.push_back(texts_of(function, parameter));
    const auto assignment = [&](std::size_t parameter, std::size_t index) {
        return std::string(function.parameters[parameter].name) + "=" + texts[parameter][index];
    };
    for (std::size_t varied = 0; varied < texts.size(); ++varied) {
        for (std::size_t index = 0; index < texts[varied].size(); ++index) {
            std::vector<std::string> assignments;
            for (std::size_t other = 0; other < texts.size(); ++other) {
                if (other == varied) assignments.push_back(assignment(other, index));
                else if (!function.parameters[other].is_optional)
                    assignments.push_back(assignment(other, texts[other].size() / 2));
            }
            try_out(function, assignments, counts);
        }
    }
    std::mt19937_64 random(11);
    for (int i = 0; i < combinations; ++i) {
        std::vector<std::string> assignments;
        for (std::size_t each = 0; each < texts.size(); ++each) {
            if (function.parameters[each].is_optional && random() % 2 == 0) continue;
            assignments.push_back(assignment(each, random() % texts[each].size()));
        }
        try_out(function, assignments, counts);
    }
}

// Searches over shapes, and the differential equation of SEQUENTIAL, which takes seconds for a thousand keys per block.
bool is_slow(const catalog_function& function) {
    static const std::set<std::string_view> slow{"rank",
                                                 "balanced_rank",
                                                 "balanced_bloom_best",
                                                 "blocked_bloom_size",
                                                 "sequential_bloom",
                                                 "sequential_state"};
    return slow.count(function.name) != 0;
}

class CatalogRange : public testing::TestWithParam<std::string> {};

TEST_P(CatalogRange, FiniteOrANamedErrorInBoundedTime) {
    const catalog_function& function = *find_in_catalog(GetParam());
    tally counts;
    try_out(function, is_slow(function) ? 5 : 200, counts);
    EXPECT_GT(counts.answered, counts.calls / 20) << "the points hardly meet the domain";
    EXPECT_LE(counts.slow, is_slow(function) ? counts.calls : counts.calls / 100) << counts.slowest;
    EXPECT_LT(counts.slowest_seconds, is_slow(function) ? 6 : 0.4) << counts.slowest;
    RecordProperty("calls", counts.calls);
    RecordProperty("answered", counts.answered);
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const catalog_function& function : catalog()) all.emplace_back(function.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Functions, CatalogRange, testing::ValuesIn(names()),
                         [](const testing::TestParamInfo<std::string>& named) { return named.param; });

}  // namespace
}  // namespace membrane::model
