// Lists of clumps are as rarely too small as the bounds say, and not much more rarely: simulated beside them.
#include "model/rank/list_room.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/keys.hpp"

namespace membrane::model {
namespace {

using test::random_numbers;

// Clumps of 1, 2, 3, ... words, each `shrinking` times as likely as the one before; most groups have none.
std::vector<double> clumps(double some, double shrinking) {
    std::vector<double> law{1 - some};
    double chance = some * (1 - shrinking);
    for (; chance > 1e-18; chance *= shrinking) law.push_back(chance);
    return law;
}

std::vector<double> sums_of(const std::vector<double>& law) {
    std::vector<double> sums;
    double sum = 0;
    for (const double each : law) sums.push_back(sum += each);
    return sums;
}

bool is_refused(const std::vector<double>& sums, std::uint64_t groups, std::uint64_t slots,
                random_numbers& random) {
    const std::uint64_t homes = slots - std::min(slots / 2, static_cast<std::uint64_t>(most_spare_slots));
    std::uint64_t end = 0, begin = 0;
    for (std::uint64_t group = 0; group < groups; ++group) {
        const double drawn = static_cast<double>(random.next() >> 11) * 0x1p-53;
        const auto words = std::upper_bound(sums.begin(), sums.end() - 1, drawn) - sums.begin();
        if (words == 0) continue;
        const std::uint64_t home = group * homes / groups;
        if (home > end) begin = end = home;
        end += static_cast<std::uint64_t>(words);
        if (end > slots || end - begin > static_cast<std::uint64_t>(most_moved_slots)) return true;
    }
    return false;
}

double refused_share(const std::vector<double>& law, std::uint64_t groups, std::uint64_t slots,
                     std::uint64_t lists) {
    random_numbers random(groups + slots);
    const std::vector<double> sums = sums_of(law);
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < lists; ++i) refused += is_refused(sums, groups, slots, random) ? 1 : 0;
    return static_cast<double>(refused) / static_cast<double>(lists);
}

TEST(ListRoom, ListsAreRefusedAtMostAsOftenAsAllowed) {
    constexpr double chance = 0.02;
    const std::uint64_t lists = 4000;
    struct list {
        std::uint64_t groups;
        double some, shrinking;
    };
    for (const list& each :
         {list{1, 0.1, 0.8}, list{20, 0.2, 0.8}, list{300, 0.14, 0.85}, list{3000, 0.14, 0.85},
          list{3000, 0.3, 0.5}, list{3000, 0.5, 0.01}, list{20'000, 0.14, 0.85}}) {
        const std::vector<double> law = clumps(each.some, each.shrinking);
        const double slots = list_slots_for(law, static_cast<double>(each.groups), chance);
        SCOPED_TRACE(testing::Message() << each.groups << " groups of which " << each.some << " have some, "
                                        << slots << " slots");
        const double refused = refused_share(law, each.groups, static_cast<std::uint64_t>(slots), lists);
        const double deviation = std::sqrt(chance / static_cast<double>(lists));
        EXPECT_LE(refused, chance + 5 * deviation);
        // And no slots are wasted: with an eighth less it would be more often.
        if (each.groups == 3000) {
            EXPECT_GT(refused_share(law, each.groups, static_cast<std::uint64_t>(slots * 7 / 8), lists),
                      chance + 5 * deviation);
        }
    }
}

TEST(ListRoom, GrowsWithEverything) {
    const std::vector<double> law = clumps(0.14, 0.85), thicker = clumps(0.14, 0.9);
    const std::vector<double> single{0.7, 0.3}, as_many_in_clumps = clumps(0.045, 0.85);
    double last = 0;
    for (double groups = 1; groups < 1e10; groups *= 3) {
        const double slots = list_slots_for(law, groups, 1e-12);
        EXPECT_GT(slots, last) << groups;
        EXPECT_GT(list_slots_for(thicker, groups, 1e-12), slots) << groups;
        EXPECT_LT(list_slots_for(law, groups, 1e-6), slots) << groups;
        EXPECT_GT(slots, groups * 0.14 / 0.15) << groups;  // the words that there are
        EXPECT_LT(list_slots_for(single, groups, 1e-12), list_slots_for(as_many_in_clumps, groups, 1e-12));
        last = slots;
    }
    // Nothing is listed: the slots of the steepest exponent, 4, and half of them spare.
    const double fewest = std::ceil(2 * -std::log(1e-12) / 4);
    EXPECT_EQ(list_slots_for({1}, 1e6, 1e-12), fewest);
    EXPECT_EQ(list_slots_for({1, 0, 0}, 1e6, 1e-12), fewest);
}

}  // namespace
}  // namespace membrane::model
