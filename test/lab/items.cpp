// Every table and figure with the fewest trials that say something: the model agrees with what the paper prints (or the
// misprint is named), simulation and measurement lie within five sigma of the model, and the picture can be drawn.
#include <lab/catalog.hpp>
#include <lab/picture.hpp>
#include <lab/verdict.hpp>

#include <gtest/gtest.h>

namespace membrane::lab {
namespace {

class LabItem : public testing::TestWithParam<const experiment*> {};

std::vector<const experiment*> all_items() {
    std::vector<const experiment*> items;
    for (const experiment& each : catalog()) items.push_back(&each);
    return items;
}

std::string text_of(const std::optional<reading>& value) {
    return value ? std::to_string(value->value) + " +- " + std::to_string(value->sigma) : "-";
}

TEST_P(LabItem, agrees) {
    const experiment& item = *GetParam();
    double last_part = 0;
    const report made = run_experiment(item, item.least_trials, [&](double part) {
        EXPECT_GE(part, last_part);
        last_part = part;
    });
    EXPECT_EQ(last_part, 1);
    ASSERT_FALSE(made.rows.empty());
    for (const row& each : made.rows) {
        EXPECT_TRUE(reference_of(each)) << each.label;
        EXPECT_NE(published_agreement(each), agreement::differs)
            << each.label << ": published " << each.published->value << ", model " << *each.model;
        for (const auto& value : {each.simulated, each.measured}) {
            const auto apart = deviation_of(each, value);
            if (!apart) continue;
            EXPECT_TRUE(apart->is_inside)
                << each.label << ": " << apart->part << ", allowed " << apart->interval << "; simulated "
                << text_of(each.simulated) << ", measured " << text_of(each.measured);
        }
    }
    const auto drawn = plot::to_svg(draw(made));
    EXPECT_TRUE(drawn) << (drawn ? "" : describe(drawn.error()));
}

INSTANTIATE_TEST_SUITE_P(, LabItem, testing::ValuesIn(all_items()),
                         [](const auto& item) { return std::string(item.param->name); });

TEST(LabCatalog, names_are_found_and_unknown_ones_are_not) {
    for (const experiment& each : catalog()) EXPECT_EQ(find_experiment(each.name), &each);
    EXPECT_EQ(find_experiment("balanced_fig1"), nullptr);
    EXPECT_EQ(catalog().size(), 20U);
}

TEST(LabCatalog, trials_are_the_users_but_never_too_few) {
    const experiment& item = *find_experiment("balanced_fig5");
    EXPECT_EQ(trials_of(item, 0), item.trials);
    EXPECT_EQ(trials_of(item, 1), item.least_trials);
    EXPECT_EQ(trials_of(item, 12'345), 12'345U);
}

TEST(LabCatalog, the_same_numbers_every_time) {
    const experiment& item = *find_experiment("balanced_fig5");
    const report first = run_experiment(item, item.least_trials, nullptr);
    const report second = run_experiment(item, item.least_trials, nullptr);
    for (std::size_t i = 0; i < first.rows.size(); ++i)
        EXPECT_EQ(first.rows[i].simulated->value, second.rows[i].simulated->value);
}

}  // namespace
}  // namespace membrane::lab
