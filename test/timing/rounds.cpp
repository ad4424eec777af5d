// What is measured is what was asked for: keys that are never both members and strangers, every member asked for, and the
// numbers of a row taken from the right calls.
#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>

#include <gtest/gtest.h>

#include <membrane/runtime/registry.hpp>
#include <timing/filter_subject.hpp>
#include <timing/rounds.hpp>

namespace membrane::timing {
namespace {

TEST(MadeKeys, HaveTheirLengthAndNoTwoAreEqual) {
    for (const std::size_t key_bytes : {8U, 15U, 16U, 64U}) {
        const made_keys supply(100'000, key_bytes);
        key_set keys;
        for (std::uint64_t i = 0; i < supply.members(); ++i) {
            supply.add_member(i, keys);
            supply.add_stranger(i, keys);
        }
        std::unordered_set<std::string> seen;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(keys.key(i).size(), key_bytes);
            ASSERT_TRUE(seen.insert(std::string(keys.key(i))).second) << keys.key(i);
        }
    }
}

TEST(AskedKeys, EveryMemberIsAmongThem) {
    for (const std::uint64_t members : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1000}}) {
        const made_keys supply(members);
        const asked_keys asked(supply, {}, 1000);
        EXPECT_EQ(asked.members.size(), 1000U);
        EXPECT_EQ(asked.strangers.size(), 1000U);
        const auto texts = asked.members.texts();
        EXPECT_EQ(std::set<std::string_view>(texts.begin(), texts.end()).size(), members);
    }
}

TEST(AskedKeys, OfLongKeysFewerAreAskedFor) {
    const made_keys supply(10'000'000, 256);
    EXPECT_EQ(asked_keys::count_for(supply), std::uint64_t{1 << 29} / 256);
}

TEST(Chunks, CoverTheMembersOnce) {
    const made_keys supply(600'000);
    std::uint64_t count = 0;
    std::string first, last;
    supply.for_each_chunk(1, 600'000, {}, [&](const key_set& chunk) {
        if (first.empty()) first = chunk.key(0);
        last = chunk.key(chunk.size() - 1);
        count += chunk.size();
    });
    key_set ends;
    supply.add_member(1, ends);
    supply.add_member(599'999, ends);
    EXPECT_EQ(count, 599'999U);
    EXPECT_EQ(first, ends.key(0));
    EXPECT_EQ(last, ends.key(1));
}

TEST(Samples, QuantilesAndRatiosAreOfTheRoundsThatHaveThem) {
    row line;
    for (const double ns : {0.0, 8.0, 2.0, 4.0}) {
        sample taken;
        taken.ns[miss_one] = ns;
        taken.floor.plain_ns = ns == 8 ? 8 : 2;
        line.samples.push_back(taken);
    }
    EXPECT_EQ(quantile_ns(line, miss_one, 0), 2);
    EXPECT_EQ(quantile_ns(line, miss_one, 0.5), 4);
    EXPECT_EQ(quantile_ns(line, erase_one, 0.5), 0);
    EXPECT_EQ(median_floor_ratio(line, miss_one), 1);  // of 1, 1 and 2
    EXPECT_EQ(quantile_floor(line, &floor_times::plain_ns, 0.5), 2);
    // A read beside the column's own pieces counts before that of the round.
    line.samples.resize(1);
    line.samples[0].ns[insert_one] = 12;
    EXPECT_EQ(median_floor_ratio(line, insert_one), 6);
    line.samples[0].read_ns[insert_one] = 3;
    EXPECT_EQ(median_floor_ratio(line, insert_one), 4);
}

TEST(Rounds, EveryKindIsFilledAskedAndLosesNobody) {
    const made_keys supply(5000);
    const hasher hash{hash_id::xxh3, {1, 2}};
    const asked_keys asked(supply, hash, 5000);
    subject_list subjects;
    for (const kind_entry& kind : registry()) {
        const auto spec = kind.plan.size({.keys = supply.members(), .fpr = 0.01}, {});
        ASSERT_TRUE(spec);
        for (const asked_with how : {asked_with::hashes, asked_with::keys})
            subjects.push_back(std::make_unique<filter_subject>(
                std::string(kind.rules.name), *any_filter::create(*spec, hash), supply.members(), how));
    }
    timings untimed{};
    for (const auto& each : subjects) {
        each->load(supply);
        each->ask(asked, untimed);
        EXPECT_EQ(each->false_negatives, 0U) << each->name() << ", loaded without a clock";
    }
    std::size_t reports = 0;
    const auto rows =
        measure_in_turn(subjects, supply, asked, {.rounds = 2}, [&](std::size_t, std::size_t) { ++reports; });
    ASSERT_TRUE(rows);
    EXPECT_EQ(reports, 2 * subjects.size());
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const row& line = (*rows)[i];
        EXPECT_EQ(line.false_negatives, 0U) << line.name;
        EXPECT_EQ(line.samples.size(), 2U);
        EXPECT_EQ(line.false_positives, (*rows)[i ^ 1].false_positives) << "by hash as by key: " << line.name;
        for (std::size_t which = 0; which < column_count; ++which)
            EXPECT_EQ(quantile_ns(line, static_cast<column>(which), 0.5) > 0,
                      subjects[i]->can(static_cast<column>(which)))
                << line.name << " " << column_names[which];
    }
}

}  // namespace
}  // namespace membrane::timing
