// The program of the front page, as a stranger would write it: it compiles, and does what it looks like.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/membrane.hpp>
#include <membrane/runtime/registry.hpp>

#include "support/temporary.hpp"

namespace membrane::test {
namespace {

TEST(Program, OfTheFrontPageDoesWhatItLooksLike) {
    const temporary_directory directory;
    const std::string path = directory.path("seen.mbr");
    const std::vector<std::string> keys{"bob", "carol", "dave"};

    membrane::filter seen(10'000'000, 0.001);
    seen.insert("alice");
    seen.insert(42);
    seen.insert(keys.begin(), keys.end());
    seen.insert_many(keys);
    seen.insert_many({1, 2, 3});
    EXPECT_TRUE(seen.insert_if_absent("erin"));
    EXPECT_FALSE(seen.insert_if_absent("erin"));
    EXPECT_TRUE(seen.may_contain("alice"));
    EXPECT_TRUE(seen.may_contain(42));
    EXPECT_FALSE(seen.may_contain("nobody"));

    const std::vector<std::string> asked{"alice", "nobody", "carol"};
    std::vector<bool> answers(3);
    EXPECT_EQ(seen.may_contain_many(asked, answers), 2u);
    EXPECT_EQ(answers, (std::vector<bool>{true, false, true}));
    std::vector<std::uint64_t> words(1);
    EXPECT_EQ(seen.may_contain_many(asked, words), 2u);
    EXPECT_EQ(words[0], 0b101u);

    membrane::filter live(10'000'000, 0.001, membrane::erasable);
    live.insert("session");
    live.insert("session");
    EXPECT_EQ(live.count("session"), 2u);
    EXPECT_TRUE(live.erase("session"));
    EXPECT_EQ(live.count("session"), 1u);
    EXPECT_FALSE(live.erase("never there"));

    membrane::filter copy = seen;
    EXPECT_TRUE(copy == seen);
    membrane::filter other(10'000'000, 0.001, {.hash = seen.hash()});
    other.insert("frank");
    copy |= other;
    EXPECT_FALSE(copy == seen);
    EXPECT_TRUE(copy.may_contain("frank") && copy.may_contain("alice"));
    swap(copy, seen);
    EXPECT_TRUE(seen.may_contain("frank"));
    EXPECT_FALSE(copy.may_contain("frank"));

    seen.save(path);
    const auto loaded = membrane::filter::load(path);
    const auto mapped = membrane::mapped_filter::open(path);
    EXPECT_TRUE(loaded == seen);
    EXPECT_TRUE(mapped.may_contain("frank"));
    EXPECT_EQ(mapped.may_contain_many(asked, answers), 2u);
    const auto bytes = seen.to_bytes();
    EXPECT_TRUE(membrane::filter::from_bytes(bytes) == seen);
}

TEST(Program, SaysWhatWentWrong) {
    try {
        membrane::filter::load("/nowhere/seen.mbr");
        FAIL();
    } catch (const filter_error& problem) {
        EXPECT_EQ(problem.code(), errc::io_error);
        EXPECT_NE(std::string(problem.what()).find("/nowhere/seen.mbr"), std::string::npos) << problem.what();
    }
    EXPECT_THROW(mapped_filter::open("/nowhere/seen.mbr"), filter_error);
    EXPECT_THROW(membrane::filter(10, 0.0), filter_error);
    EXPECT_THROW(membrane::filter(-1, 0.01), filter_error);
    EXPECT_THROW(membrane::filter("no such kind", 10, 0.01), filter_error);
    EXPECT_THROW(membrane::filter::from_bytes(std::vector<std::byte>(200)), filter_error);

    membrane::filter set(10, 0.01);
    const auto refused = set.try_erase("key");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::not_supported);
    EXPECT_NE(refused.error().note.find("membrane::erasable"), std::string_view::npos);
    EXPECT_THROW(set.erase("key"), filter_error);
    EXPECT_THROW(set.count("key"), filter_error);
    std::vector<bool> too_few(1);
    EXPECT_THROW(set.may_contain_many(std::vector<int>{1, 2}, too_few), filter_error);
    std::vector<std::uint64_t> no_words;
    EXPECT_THROW(set.may_contain_many(std::vector<int>{1, 2}, no_words), filter_error);
    EXPECT_EQ(set.may_contain_many(std::vector<int>{}, no_words), 0u);
}

TEST(Program, TakesAKindASpecOrAPlan) {
    membrane::filter fast("blocked_bloom", 1000, 0.01);
    EXPECT_EQ(fast.kind(), "blocked_bloom");
    membrane::filter planned(plan::requirement{.keys = 1000, .fpr = 0.01});
    for (int key = 0; key < 1000; ++key) planned.insert(key);
    for (int key = 0; key < 1000; ++key) ASSERT_TRUE(planned.may_contain(key));
    membrane::filter again(planned.spec(), {.hash = planned.hash()});
    for (int key = 0; key < 1000; ++key) again.insert(key);
    EXPECT_TRUE(again == planned);
    membrane::filter fixed(1000, 0.01, {.fixed = true});
    EXPECT_EQ(fixed.promised_keys(), 1000u);
}

// Whatever comes, it stays: a hundred times the planned keys, none refused, none lost.
TEST(Program, NeverLosesAKeyBeyondItsPlan) {
    membrane::filter seen(1000, 0.01);
    for (int key = 0; key < 100'000; ++key) seen.insert(key);
    for (int key = 0; key < 100'000; ++key) ASSERT_TRUE(seen.may_contain(key));
    EXPECT_TRUE(seen.is_over_capacity());
}

// A fixed filter that is full throws, or says so; nothing is dropped in silence.
TEST(Program, AFullFilterSaysSo) {
    membrane::filter full("rank", 100, 0.01, {.fixed = true});
    int stored = 0;
    const auto fill = [&] {
        for (;; ++stored) full.insert(stored);
    };
    EXPECT_THROW(fill(), filter_error);
    EXPECT_GE(stored, 100);
    for (int key = 0; key < stored; ++key) ASSERT_TRUE(full.may_contain(key));
    EXPECT_EQ(full.try_insert(stored).error().code, errc::full);
    const std::vector<int> two{0, stored};
    const auto both = full.try_insert_many(two);
    EXPECT_EQ(both.error().code, errc::full);
    EXPECT_EQ(both.error().found, 0u) << "how many of them were stored";
}

TEST(Program, ThatNamesAKindWhichIsNoneIsToldTheKinds) {
    const auto made = filter::try_create("blom", 10, 0.01);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errc::unknown_kind);
    for (const kind_entry& each : registry())
        EXPECT_NE(made.error().note.find(each.rules.name), std::string_view::npos) << each.rules.name;
}

}  // namespace
}  // namespace membrane::test
