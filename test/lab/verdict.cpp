// The judge of the lab can say no: to a model that is not what was printed, and to numbers outside their interval.
#include <lab/verdict.hpp>

#include <gtest/gtest.h>

#include <lab/measure.hpp>
#include <lab/sample.hpp>

namespace membrane::lab {
namespace {

row with_model(double model) {
    row made{"row"};
    made.model = model;
    return made;
}

TEST(LabVerdict, five_sigma_decide) {
    row each = with_model(1);
    each.simulated = reading{1.04, 0.01};
    EXPECT_TRUE(is_ok(each));
    EXPECT_NEAR(deviation_of(each, each.simulated)->part, 0.04, 1e-12);
    EXPECT_NEAR(deviation_of(each, each.simulated)->interval, 0.05, 1e-12);
    each.simulated = reading{1.06, 0.01};
    EXPECT_FALSE(is_ok(each));
    each.margin = 0.02;
    EXPECT_TRUE(is_ok(each));
    each.measured = reading{0.5, 0};
    EXPECT_FALSE(is_ok(each));
}

TEST(LabVerdict, a_bound_is_kept_from_below) {
    row each = with_model(1);
    each.is_bound = true;
    each.simulated = reading{0.001, 0};
    EXPECT_TRUE(is_ok(each));
    each.simulated = reading{1.01, 0.001};
    EXPECT_FALSE(is_ok(each));
}

TEST(LabVerdict, published_numbers_count_unless_they_are_misprints) {
    row each = with_model(19.6);
    each.published = printed{18.0, 0.05};
    EXPECT_EQ(published_agreement(each), agreement::differs);
    EXPECT_FALSE(is_ok(each));
    each.published->is_misprint = true;
    EXPECT_EQ(published_agreement(each), agreement::misprint);
    EXPECT_TRUE(is_ok(each));
    each.published = printed{20, 0, false, true};
    EXPECT_EQ(published_agreement(each), agreement::agrees);
    each.published = printed{19, 0, false, true};
    EXPECT_EQ(published_agreement(each), agreement::differs);
}

TEST(LabVerdict, what_our_filter_should_show_comes_before_the_model) {
    row each = with_model(1);
    each.measured = reading{0.8, 0.01, 0.79};
    EXPECT_TRUE(is_ok(each));
    each.measured->expected = 1.0;
    EXPECT_FALSE(is_ok(each));
}

// Two-sided chance 5.7e-7: 12.4 for 9 degrees of freedom, 7.3 for 19, by integration of the law.
TEST(LabVerdict, few_trials_widen_the_interval) {
    EXPECT_NEAR(5 * student_factor(10), 12.42, 0.25);
    EXPECT_NEAR(5 * student_factor(20), 7.35, 0.1);
    EXPECT_NEAR(student_factor(100'000), 1, 1e-3);
}

TEST(LabVerdict, without_a_model_the_published_number_is_the_reference) {
    row each{"row"};
    each.published = printed{10, 0.5};
    each.simulated = reading{10.9, 0.1};
    EXPECT_TRUE(is_ok(each));
    each.simulated = reading{11.1, 0.1};
    EXPECT_FALSE(is_ok(each));
}

TEST(LabMeasure, kinds_that_are_not_there_measure_nothing) {
    EXPECT_FALSE(spec_of({"no_such_kind:k=3", 100, {}, {}}));
    EXPECT_FALSE(measured_bits_per_key({"no_such_kind", 100, {}, 0.01}));
    EXPECT_THROW(spec_of({"bloom:no_such_field=3", 100, {}, {}}), std::logic_error);
    EXPECT_THROW(spec_of({"bloom:k=1000", 100, {}, {}}), std::logic_error);
    const auto spec = spec_of({"bloom:size_bits=800,k=3,probes=independent", 100, {}, {}});
    ASSERT_TRUE(spec);
    EXPECT_EQ((*spec)[0], 800U);
    EXPECT_EQ((*spec)[1], 3U);
}

TEST(LabMeasure, lines_of_lookups_are_parts_of_them) {
    context lab{1, 1, nullptr};
    std::size_t looked_at = 0;
    for_each_filter(lab, *spec_of({"blocked_bloom", 1000, {}, 0.01}), 1000, [&](const filled_filter& each) {
        EXPECT_EQ(each.stranger_lines(500), (std::vector<double>{0, 1}));
        ++looked_at;
    });
    for_each_filter(lab, *spec_of({"balanced_rank", 100'000, {}, 0.01}), 100'000,
                    [&](const filled_filter& each) {
                        const auto members = each.member_lines(100'000);
                        ASSERT_EQ(members.size(), 4U);
                        EXPECT_NEAR(members[1] + members[2] + members[3], 1, 1e-12);
                        EXPECT_TRUE(members[1] > members[2] && members[2] > members[3] && members[3] > 0);
                        ++looked_at;
                    });
    EXPECT_EQ(looked_at, 2U);
}

}  // namespace
}  // namespace membrane::lab
