// The picture as text: well-formed whatever the words are, the same bytes for the same chart, every number inside, and
// nothing drawn from numbers that are no numbers.
#include <plot/chart.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "xml_check.hpp"

namespace membrane::plot {
namespace {

using membrane::test::xml_check;

chart simple() {
    panel one;
    one.title = "left";
    one.x = {"bits per key", scale::linear, std::nullopt};
    one.y = {"false positive rate", scale::log10, std::nullopt};
    one.curves = {
        {"model", {{8, 2e-2, {}}, {16, 4e-4, {}}, {24, 9e-6, {}}}, look::line},
        {"measured", {{8, 2.1e-2, range{1.9e-2, 2.2e-2}}, {16, 4.1e-4, range{0, 8e-4}}}, look::markers}};
    one.marks = {{16, 4e-4, "chosen"}};
    return {"Rates", "one million keys", {one, one}};
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++found;
    return found;
}

TEST(Svg, is_well_formed_and_complete) {
    const auto made = to_svg(simple());
    ASSERT_TRUE(made);
    EXPECT_EQ(xml_check::complaint(*made), "");
    for (const char* words :
         {">Rates<", ">one million keys<", ">bits per key<", ">false positive rate<", ">chosen<"})
        EXPECT_NE(made->find(words), std::string::npos) << words;
    EXPECT_EQ(count_of(*made, ">model<"), 1U);  // two panels, one entry in the legend
    EXPECT_EQ(count_of(*made, "prefers-color-scheme:dark"), 1U);
    EXPECT_EQ(*to_svg(simple()), *made);
}

TEST(Svg, of_a_given_width_says_where_its_panels_are) {
    struct size {
        std::size_t columns;
        double width;
    };
    for (const size each : {size{1, 360}, size{1, 1080}, size{2, 760}, size{2, 1080}}) {
        chart picture = simple();
        picture.width = each.width;
        picture.columns = each.columns;
        const auto made = draw(picture);
        ASSERT_TRUE(made);
        EXPECT_EQ(xml_check::complaint(made->svg), "");
        const std::string width = " width=\"" + std::to_string(static_cast<int>(each.width)) + "\"";
        EXPECT_NE(made->svg.find(width), std::string::npos) << made->svg.substr(0, 200);
        ASSERT_EQ(made->panels.size(), 2U);
        const drawn_panel &a = made->panels[0], &b = made->panels[1];
        const bool are_apart = each.columns == 1 ? b.top > a.top + a.height : b.left > a.left + a.width;
        EXPECT_TRUE(are_apart);
        EXPECT_LT(b.left + b.width, each.width);
        // The ring of the mark stands where the panel says that (16, 4e-4) is.
        const double x = a.left + (16 - a.x.low) / (a.x.high - a.x.low) * a.width;
        const std::size_t ring = made->svg.find("class=\"ring\" cx=\"");
        ASSERT_NE(ring, std::string::npos);
        EXPECT_NEAR(std::atof(made->svg.c_str() + ring + std::strlen("class=\"ring\" cx=\"")), x, 0.01);
    }
}

TEST(Svg, words_cannot_break_the_file) {
    chart picture = simple();
    picture.title = "a < b & \"c\" > 'd' \x01 </svg>";
    picture.panels[0].curves[0].name = "<script>";
    picture.panels[0].marks[0].label = "R&D";
    picture.panels[0].y.title = "<&>";
    const auto made = to_svg(picture);
    ASSERT_TRUE(made);
    EXPECT_EQ(xml_check::complaint(*made), "");
    EXPECT_EQ(count_of(*made, "</svg>"), 1U);
    EXPECT_EQ(count_of(*made, "<script>"), 0U);
}

TEST(Svg, xml_check_can_fail) {
    for (const char* bad :
         {"<a><b></a></b>", "<a x=1></a>", "<a>&x;</a>", "<a></a><b></b>", "<a>", "<a x=\"<\"/>"})
        EXPECT_NE(xml_check::complaint(bad), "") << bad;
}

TEST(Svg, numbers_must_be_finite) {
    for (const double bad :
         {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        chart in_x = simple();
        in_x.panels[1].curves[0].points[0].x = bad;
        chart in_y = simple();
        in_y.panels[1].curves[0].points[0].y = bad;
        chart in_interval = simple();
        in_interval.panels[0].curves[1].points[0].interval = range{bad, 1};
        chart in_mark = simple();
        in_mark.panels[0].marks[0].y = bad;
        for (const chart& picture : {in_x, in_y, in_interval, in_mark}) {
            const auto made = to_svg(picture);
            ASSERT_FALSE(made);
            EXPECT_EQ(made.error().code, errc::bad_field);
            EXPECT_NE(describe(made.error()).find("not a number"), std::string::npos);
        }
    }
}

TEST(Svg, refuses_what_cannot_be_drawn) {
    chart zero_on_log = simple();
    zero_on_log.panels[0].curves[0].points[0].y = 0;
    EXPECT_FALSE(to_svg(zero_on_log));
    chart no_point = simple();
    no_point.panels[0].curves.clear();
    no_point.panels[0].marks.clear();
    EXPECT_FALSE(to_svg(no_point));
    EXPECT_FALSE(to_svg(chart{"nothing", "", {}}));
    for (const range limits : {range{2, 1}, range{1, 1}, range{0, 1}, range{std::nan(""), 1}}) {
        chart bad_limits = simple();
        bad_limits.panels[0].y.limits = limits;
        EXPECT_FALSE(to_svg(bad_limits)) << limits.low << ' ' << limits.high;
    }
}

TEST(Svg, single_values_get_room) {
    for (const scale shape : {scale::linear, scale::log10})
        for (const double value : {1e-300, 1e-9, 1.0, 7e12, 1e300}) {
            panel one;
            one.x.shape = shape;
            one.y.shape = shape;
            one.curves = {{"point", {{value, value, {}}}, look::line}};
            const auto made = to_svg({"one", "", {one}});
            ASSERT_TRUE(made) << value;
            EXPECT_EQ(xml_check::complaint(*made), "");
            EXPECT_EQ(made->find("nan"), std::string::npos) << value;
            EXPECT_EQ(made->find("inf"), std::string::npos) << value;
        }
    panel zero;
    zero.curves = {{"zero", {{0, 0, {}}, {0, 0, {}}}, look::dashed}};
    const auto made = to_svg({"zero", "", {zero}});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->find("nan"), std::string::npos);
}

}  // namespace
}  // namespace membrane::plot
