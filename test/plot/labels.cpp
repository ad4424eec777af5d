// Labels of marks: inside the plot area, off the data, off each other, wherever there is room at all.
#include <plot/labels.hpp>

#include <gtest/gtest.h>

namespace membrane::plot {
namespace {

bool overlaps(const box& a, const box& b) {
    return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

TEST(Labels, keep_apart_and_inside) {
    panel drawn;
    series curve{"curve", {}, look::line_with_markers};
    for (int i = 0; i <= 10; ++i) curve.points.push_back({i * 1.0, i * i * 0.1, {}});
    drawn.curves.push_back(curve);
    for (int i = 0; i < 6; ++i)
        drawn.marks.push_back({5.0 + 0.05 * i, 2.5 + 0.02 * i, "mark number " + std::to_string(i)});
    drawn.marks.push_back({10, 10, "in the corner"});
    drawn.marks.push_back({0, 0, "in the other corner"});
    const frame axes{drawn, *limits_of(drawn), {50, 50, 600, 360}};
    const auto placed = place_labels(drawn, axes, 12);
    ASSERT_EQ(placed.size(), drawn.marks.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
        EXPECT_GE(placed[i].text.left, 50) << i;
        EXPECT_LE(placed[i].text.right(), 650) << i;
        EXPECT_GE(placed[i].text.top, 50) << i;
        EXPECT_LE(placed[i].text.bottom(), 410) << i;
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_FALSE(overlaps(placed[i].text, placed[j].text)) << i << ' ' << j;
        for (const point& each : curve.points) {
            const place here = axes.at(each.x, each.y);
            EXPECT_FALSE(overlaps(placed[i].text, {here.x - 3, here.y - 3, 6, 6})) << i << ' ' << each.x;
        }
    }
}

}  // namespace
}  // namespace membrane::plot
