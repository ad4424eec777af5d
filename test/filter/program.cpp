// The program of the front page, as a stranger would write it: it compiles, and does what it looks like.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/membrane.hpp>
#include <membrane/runtime/registry.hpp>

#include <membrane/kind/bloom/spec.hpp>

#include "support/filters.hpp"
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

TEST(Program, TakesTheParametersOfAKind) {
    membrane::filter five("bloom:k=5", 1000, 0.01);
    EXPECT_EQ(five.spec()[flat_field::k], 5u);
    membrane::filter map("rank:mode=map,value_bits=8", 1000, 0.01);
    map.insert_value("alice", 200);
    EXPECT_EQ(map.values("alice"), std::vector<std::uint64_t>{200});
    const auto field = filter::try_create("bloom:kk=5", 1000, 0.01);
    EXPECT_EQ(field.error().code, errc::bad_field);
    EXPECT_NE(field.error().note.find("bloom has the parameters size_bits, k, "), std::string_view::npos);
    const auto value = filter::try_create("bloom:k=99", 1000, 0.01);
    EXPECT_EQ(value.error().what, "k");
    EXPECT_EQ(value.error().most, 64u);
    EXPECT_EQ(filter::try_create("rank:mode=maps", 1000, 0.01).error().what, "mode");
}

// Options that contradict each other are an error that names both.
TEST(Program, RefusesOptionsThatContradictEachOther) {
    const auto refused = [](const auto& made, errc code, std::string_view one, std::string_view other) {
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, code);
        const std::string text = describe(made.error());
        EXPECT_NE(text.find(one), std::string::npos) << text;
        EXPECT_NE(text.find(other), std::string::npos) << text;
    };
    refused(filter::try_create("blocked_bloom", 1000, 0.01, erasable), errc::not_supported, "kind",
            "erasable");
    refused(filter::try_create("balanced_rank:form=fixed", 1000, 0.01, erasable), errc::not_supported, "kind",
            "erasable");
    refused(filter::try_create(blocked_bloom_filter(1000, 0.01).spec(), erasable), errc::not_supported,
            "kind", "erasable");
    refused(filter::try_create("bloom", 1000, 0.01, {.grow_to = 10'000}), errc::not_supported, "kind",
            "grow_to");
    const filter_options fixed{.fixed = true, .grow_to = 10'000};
    refused(filter::try_create(1000, 0.01, fixed), errc::bad_field, "fixed", "grow_to");
    refused(filter::try_create("balanced_rank", 1000, 0.01, fixed), errc::bad_field, "fixed", "grow_to");
    refused(filter::try_create(plan::requirement{.keys = 1000, .fpr = 0.01}, fixed), errc::bad_field, "fixed",
            "grow_to");
    refused(filter::try_create(1000, 0.01, {.grow_to = 999}), errc::bad_field, "grow_to", "keys");
    refused(filter::try_create("balanced_rank", 1000, 0.01, {.grow_to = 999}), errc::bad_field, "grow_to",
            "keys");
    refused(concurrent_filter::try_create(1000, 0.01, {.grow_to = 999}), errc::bad_field, "grow_to", "keys");
    refused(balanced_rank_filter::try_create(1000, 0.01, grow_to(999)), errc::bad_field, "grow_to", "keys");
    EXPECT_TRUE(filter::try_create(1000, 0.01, {.grow_to = 1000}));
    EXPECT_TRUE(filter::try_create(1000, 0.01, {.erasable = true, .fixed = true}));
    EXPECT_TRUE(filter::try_create("rank", 1000, 0.01, erasable));
}

// A limit that is reached, a full filter and memory that is refused are three things.
TEST(Program, SaysWhyAKeyIsRefused) {
    const auto last = [](auto& filter) {
        for (int key = 0;; ++key)
            if (const auto done = filter.try_insert(key); !done) return done.error();
    };
    membrane::filter limited(1000, 0.01, {.max_bytes = 4096});
    const error at_limit = last(limited);
    EXPECT_EQ(at_limit.code, errc::too_large);
    EXPECT_EQ(describe(at_limit),
              "larger than allowed: another key needs more than max_bytes (4096 bytes); the filter may not "
              "grow any "
              "further: raise max_bytes");
    balanced_rank_filter typed(1000, 0.01);
    ASSERT_TRUE(typed.set_growth({.max_bytes = 4096}));
    EXPECT_EQ(describe(last(typed)), describe(at_limit));
    std::vector<int> more(100'000);
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = -static_cast<int>(i);
    const auto many = limited.try_insert_many(more);
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().code, errc::too_large);
    EXPECT_LT(many.error().found, more.size());
    growth_policy larger = limited.growth();
    larger.max_bytes = 1'000'000;
    ASSERT_TRUE(limited.set_growth(larger));
    EXPECT_TRUE(limited.try_insert_many(more));

    membrane::filter stopped(1000, 0.01);
    ASSERT_TRUE(stopped.set_growth({.max_bytes = 0}));
    EXPECT_EQ(last(stopped).code, errc::full) << "it was told never to grow";

    fixed_balanced_rank_filter full(10, 0.01);
    const std::string text = describe(last(full));
    EXPECT_EQ(text, "full: it holds " + std::to_string(full.keys()) +
                        " keys and was made for 10; plan for more keys, or take a filter that grows");
    membrane::filter fixed("balanced_rank:form=fixed", 10, 0.01);
    EXPECT_EQ(last(fixed).what, "keys");
    const auto batch = fixed.try_insert_many(more);
    EXPECT_NE(describe(batch.error()).find("keys of this call that were stored (found "), std::string::npos);
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

// A mapped filter that was moved from has no file any more, and says no.
TEST(Program, MovesMappedFilters) {
    const temporary_directory directory;
    const auto saved = [&](const char* name, int first, std::uint64_t keys) {
        membrane::filter made(keys, 0.001);
        for (int key = first; key < first + 1000; ++key) made.insert(key);
        made.save(directory.path(name));
        return mapped_filter::open(directory.path(name));
    };
    const auto expect_empty = [](const mapped_filter& gone) {
        EXPECT_EQ(gone.keys(), 0u);
        EXPECT_EQ(gone.size_bytes(), 0u);
        EXPECT_EQ(gone.view().estimated_size(), 0);
        for (int key = 0; key < 3000; ++key) ASSERT_FALSE(gone.may_contain(key));
        std::vector<bool> answers(3, true);
        EXPECT_EQ(gone.may_contain_many(std::vector<int>{0, 1, 2}, answers), 0u);
        EXPECT_EQ(answers, std::vector<bool>(3));
        EXPECT_TRUE(
            membrane::filter::from_bytes(membrane::filter(value_of(any_filter::copy_of(gone))).to_bytes())
                .keys() == 0);
    };
    auto first = saved("first.mbr", 0, 1000);
    {
        const mapped_filter taken = std::move(first);
        expect_empty(first);
        for (int key = 0; key < 1000; ++key) ASSERT_TRUE(taken.may_contain(key));
    }
    expect_empty(first);  // the file is unmapped

    auto second = saved("second.mbr", 1000, 500'000);
    first = std::move(second);
    expect_empty(second);
    for (int key = 1000; key < 2000; ++key) ASSERT_TRUE(first.may_contain(key));
    auto& itself = first;
    first = std::move(itself);
    EXPECT_TRUE(first.may_contain(1500)) << "moved to itself";
    first = saved("third.mbr", 2000, 1000);
    EXPECT_TRUE(first.may_contain(2500));
    std::swap(first, second);
    expect_empty(first);
    EXPECT_TRUE(second.may_contain(2500));
    EXPECT_TRUE(membrane::filter(value_of(any_filter::copy_of(second))).may_contain(2500));
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
