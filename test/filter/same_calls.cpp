// Header-only filters and membrane::filter side by side: the same calls, returns and bytes; copies, moves and merges.
#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/filter/like.hpp>
#include <membrane/membrane.hpp>

#include "support/filters.hpp"
#include "support/temporary.hpp"

namespace membrane::test {
namespace {

static_assert(erasable_like<membrane::filter> && mergeable_like<membrane::filter>);
static_assert(erasable_like<erasable_balanced_rank_filter> && mergeable_like<erasable_balanced_rank_filter>);
static_assert(mergeable_like<balanced_rank_filter> && !erasable_like<balanced_rank_filter>);
static_assert(filter_like<fixed_balanced_rank_filter> && !erasable_like<fixed_balanced_rank_filter>);
static_assert(mergeable_like<blocked_bloom_filter> && !erasable_like<blocked_bloom_filter>);
static_assert(mergeable_like<bloom_filter> && !erasable_like<bloom_filter>);
static_assert(erasable_like<counting_bloom_filter> && mergeable_like<counting_bloom_filter>);
static_assert(erasable_like<rank_filter> && mergeable_like<rank_filter>);
static_assert(erasable_like<rank_counting_filter>);
static_assert(filter_like<rank_map> && filter_like<count_min_sketch> && mergeable_like<count_min_sketch>);
static_assert(growable_like<membrane::filter> && growable_like<balanced_rank_filter> &&
              growable_like<erasable_balanced_rank_filter>);
static_assert(!growable_like<fixed_balanced_rank_filter> && !growable_like<blocked_bloom_filter>);
static_assert(intersectable_like<membrane::filter> && intersectable_like<bloom_filter> &&
              intersectable_like<blocked_bloom_filter> && intersectable_like<counting_bloom_filter>);
static_assert(!intersectable_like<balanced_rank_filter> && !intersectable_like<rank_filter> &&
              !intersectable_like<count_min_sketch>);
static_assert(packable_like<rank_filter> && !packable_like<bloom_filter>);
// What a kind cannot is no call that exists, so that programs can ask.
template <class Filter>
constexpr bool can_resize = requires(Filter& filter) {
    filter.reserve(1);
}
|| requires(Filter& filter) { filter.shrink_to_fit(); }
|| requires(Filter& filter) { filter.lower_rate(0.1); };
static_assert(can_resize<balanced_rank_filter> && !can_resize<blocked_bloom_filter> && !can_resize<rank_map>);
static_assert(!mergeable_like<balanced_bloom_filter>);
static_assert(!std::is_constructible_v<bloom_filter, int, int> &&
              !std::is_constructible_v<membrane::filter, int, int>);

constexpr std::uint64_t planned_keys = 3000;
const hasher same_key = numbered_hasher(1);

std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> made;
    for (; first < last; ++first) made.push_back(first);
    return made;
}

const std::vector<std::byte> numbers_as_bytes(200, std::byte{7});

template <class Filter>
Filter made(const filter_spec& spec) {
    if constexpr (std::same_as<Filter, membrane::filter>) return Filter(spec, {.hash = same_key});
    else return Filter(spec, same_key);
}

// Everything that the calls return, so that two filters can be compared.
template <class Filter>
std::vector<std::uint64_t> play(Filter& filter, bool can_erase) {
    std::vector<std::uint64_t> seen;
    const auto note = [&](auto value) { seen.push_back(static_cast<std::uint64_t>(value)); };
    filter.insert_many(numbers(0, 1000));
    for (int key = 900; key < 1100; ++key) note(filter.insert_if_absent(key));
    filter.insert("text");
    note(filter.try_insert("again").has_value());
    for (int key = 0; key < 5000; ++key) note(filter.may_contain(key));
    std::vector<bool> answers(5000);
    note(filter.may_contain_many(numbers(0, 5000), answers));
    for (const bool answer : answers) note(answer);
    if constexpr (erasable_like<Filter>) {
        if (can_erase) {
            for (int key = 0; key < 300; ++key) note(filter.erase(key));
            note(filter.erase_many(numbers(300, 400)));
            for (int key = 0; key < 1000; ++key) note(filter.count(key));
        }
    }
    note(filter.keys());
    return seen;
}

template <class Filter>
void expect_usable_and_empty(Filter& filter) {
    EXPECT_EQ(filter.keys(), 0u);
    EXPECT_FALSE(filter.may_contain(5));
    std::vector<bool> answers(3, true);
    EXPECT_EQ(filter.may_contain_many(numbers(0, 3), answers), 0u);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), true), 0);
    EXPECT_EQ(filter.estimated_size(), 0.0);
    EXPECT_EQ(filter.estimated_fpr_now(), 0.0);
    const Filter copy = filter;
    EXPECT_TRUE(copy == filter);
    EXPECT_TRUE(Filter::from_bytes(filter.to_bytes()) == filter);
    filter.insert(5);
    EXPECT_TRUE(filter.may_contain(5));
    EXPECT_FALSE(copy.may_contain(5));
    EXPECT_EQ(filter.keys(), 1u);
    filter.clear();
}

template <class Filter>
void expect_right_copies_and_moves(const filter_spec& spec) {
    Filter filter = made<Filter>(spec);
    filter.insert_many(numbers(0, 1000));
    const Filter copy = filter;
    EXPECT_TRUE(copy == filter);
    EXPECT_EQ(copy.keys(), filter.keys());
    EXPECT_EQ(copy.to_bytes(), filter.to_bytes());
    Filter moved = std::move(filter);
    EXPECT_TRUE(moved == copy);
    expect_usable_and_empty(filter);
    EXPECT_TRUE(moved == copy) << "what was moved from wrote into the new owner";
    Filter target = made<Filter>(spec);
    target = std::move(moved);
    expect_usable_and_empty(moved);
    EXPECT_TRUE(target == copy);
    target = *&target;
    EXPECT_TRUE(target == copy);
    target = std::move(*&target);
    EXPECT_TRUE(target == copy) << "moved to itself";
    swap(target, moved);
    EXPECT_TRUE(moved == copy);
    EXPECT_EQ(target.keys(), 0u);
    Filter many = std::move(moved);
    moved.insert_many(numbers(0, 1000));
    EXPECT_TRUE(moved == many);
    if constexpr (mergeable_like<Filter>) {
        Filter left = made<Filter>(spec), right = made<Filter>(spec), both = made<Filter>(spec);
        left.insert_many(numbers(0, 600));
        right.insert_many(numbers(600, 1000));
        both.insert_many(numbers(0, 1000));
        EXPECT_EQ((left | right).keys(), 1000u);
        EXPECT_TRUE(capabilities_of(spec).depends_on_order || (left | right) == both);
        left |= right;
        for (int key = 0; key < 1000; ++key) ASSERT_TRUE(left.may_contain(key));
        Filter gone = std::move(right);
        EXPECT_FALSE(left == gone);
        const Filter before = left;
        left |= right;
        EXPECT_TRUE(left == before) << "merged with what was moved from";
        right |= left;
        for (int key = 0; key < 1000; ++key) ASSERT_TRUE(right.may_contain(key));
        const Filter& itself = left;
        left |= itself;
        EXPECT_EQ(left.keys(), 2000u);
        for (int key = 0; key < 1000; ++key) ASSERT_TRUE(left.may_contain(key));
    }
}

// Intersections, packed forms, differences: what both forms make of the same keys.
template <class Filter>
std::vector<std::vector<std::byte>> made_of_two(const filter_spec& spec) {
    std::vector<std::vector<std::byte>> made_bytes;
    const temporary_directory directory;
    Filter left = made<Filter>(spec), right = made<Filter>(spec);
    left.insert_many(numbers(0, 600));
    right.insert_many(numbers(400, 1000));
    right.save(directory.path("right.mbr"));
    auto mapped = mapped_filter::open(directory.path("right.mbr"));
    const auto can = capabilities_of(spec);
    if constexpr (intersectable_like<Filter>) {
        if (can.intersect) {
            Filter both = left & right;
            for (int key = 400; key < 600; ++key) EXPECT_TRUE(both.may_contain(key));
            EXPECT_LT(both.estimated_size(), 500);
            EXPECT_LE(both.keys(), 600u);
            Filter with_file = left;
            with_file &= mapped;
            EXPECT_TRUE(with_file == both);
            made_bytes.push_back(both.to_bytes());
            Filter gone = std::move(both);
            gone &= both;
            EXPECT_EQ(gone.estimated_size(), 0) << "with what was moved from";
            EXPECT_FALSE(Filter(left).try_intersect(Filter(spec)).has_value()) << "another hash key";
        }
    }
    if constexpr (mergeable_like<Filter>) {
        if (can.merge) {
            Filter with_file = left;
            with_file |= mapped;
            EXPECT_TRUE(with_file == (left | right));
            made_bytes.push_back(with_file.to_bytes());
            const auto taken = std::move(mapped);
            with_file.merge(mapped);
            EXPECT_EQ(made_bytes.back(), with_file.to_bytes()) << "an empty one";
        }
    }
    if constexpr (packable_like<Filter>) {
        if (can.grow || spec.kind == kind_id::rank) {
            made_bytes.push_back(left.pack());
            EXPECT_TRUE(Filter::unpack(made_bytes.back()) == left);
            EXPECT_FALSE(Filter::try_unpack(numbers_as_bytes));
        }
    }
    if constexpr (growable_like<Filter>) {
        if (can.grow) {
            made_bytes.push_back(right.diff(left));
            EXPECT_TRUE(left.patched(made_bytes.back()) == right);
            EXPECT_FALSE(right.try_patched(made_bytes.back())) << "it is for another state";
            const comparison shared = left.compare(right);
            EXPECT_LE(shared.shared.low, 200);
            EXPECT_GE(shared.shared.high, 200);
            EXPECT_FALSE(left.try_compare(Filter(spec))) << "another hash key";
            std::uint64_t before = 0, count = 0;
            left.for_each_number([&](std::uint64_t number, std::uint64_t times) {
                EXPECT_TRUE(count == 0 || number > before);
                before = number;
                count += times;
            });
            // A set has the number of two keys once.
            EXPECT_LE(count, 600u);
            EXPECT_GE(count, can.erase ? 600u : 500u);
            made_bytes.emplace_back().assign(8, static_cast<std::byte>(count));
            Filter gone = std::move(left);
            EXPECT_TRUE(Filter::unpack(left.pack()) == left) << "what was moved from is empty";
            left.for_each_number(
                [](std::uint64_t, std::uint64_t) { ADD_FAILURE() << "a number of nothing"; });
            EXPECT_TRUE(left.patched(gone.diff(left)) == gone);
        }
    }
    return made_bytes;
}

template <class Typed>
void expect_alike(const filter_spec& spec) {
    SCOPED_TRACE(testing::PrintToString(static_cast<int>(spec.kind)));
    const bool can_erase = capabilities_of(spec).erase && erasable_like<Typed>;
    auto typed = made<Typed>(spec);
    auto chosen = made<membrane::filter>(spec);
    EXPECT_EQ(play(typed, can_erase), play(chosen, can_erase));
    EXPECT_EQ(typed.to_bytes(), chosen.to_bytes());
    EXPECT_EQ(typed.size_bytes(), chosen.size_bytes());
    EXPECT_EQ(typed.estimated_size(), chosen.estimated_size());
    EXPECT_EQ(typed.estimated_fpr_now(), chosen.estimated_fpr_now());
    EXPECT_TRUE(Typed::from_bytes(chosen.to_bytes()) == typed);
    EXPECT_TRUE(membrane::filter::from_bytes(typed.to_bytes()) == chosen);
    const temporary_directory directory;
    typed.save(directory.path("typed.mbr"));
    EXPECT_TRUE(membrane::filter::load(directory.path("typed.mbr")) == chosen);
    EXPECT_TRUE(Typed::load(directory.path("typed.mbr")) == typed);
    expect_right_copies_and_moves<Typed>(spec);
    expect_right_copies_and_moves<membrane::filter>(spec);
    const auto of_typed = made_of_two<Typed>(spec);
    EXPECT_EQ(of_typed, made_of_two<membrane::filter>(spec));
    EXPECT_EQ(of_typed.size(), (capabilities_of(spec).intersect ? 1u : 0u) +
                                   (capabilities_of(spec).merge ? 1u : 0u) +
                                   (capabilities_of(spec).grow   ? 3u
                                    : spec.kind == kind_id::rank ? 1u
                                                                 : 0u));
}

TEST(SameCalls, OfEveryKind) {
    expect_alike<bloom_filter>(bloom_filter(planned_keys, 0.02).spec());
    expect_alike<counting_bloom_filter>(counting_bloom_filter(planned_keys, 0.02).spec());
    expect_alike<blocked_bloom_filter>(blocked_bloom_filter(planned_keys, 0.02).spec());
    expect_alike<blocked_bloom_anywhere_filter>(blocked_bloom_anywhere_filter(planned_keys, 0.02).spec());
    expect_alike<balanced_rank_filter>(balanced_rank_filter(100, 0.02).spec());
    expect_alike<erasable_balanced_rank_filter>(erasable_balanced_rank_filter(100, 0.02).spec());
    expect_alike<fixed_balanced_rank_filter>(fixed_balanced_rank_filter(planned_keys, 0.02).spec());
    expect_alike<rank_filter>(rank_filter(planned_keys, 0.02).spec());
    expect_alike<rank_counting_filter>(rank_counting_filter(planned_keys, 0.02).spec());
    expect_alike<rank_map>(rank_map(planned_keys, 0.02, value_bits(8)).spec());
    expect_alike<count_min_sketch>(count_min_sketch(0.001, 0.99).spec());
}

// The copy of a filter that grows step by step is settled; the filter goes on.
TEST(SameCalls, WhileAFilterGrowsStepByStep) {
    erasable_balanced_rank_filter typed(1000, 0.01);
    membrane::filter chosen(1000, 0.01, {.erasable = true, .hash = typed.hash()});
    ASSERT_TRUE(typed.set_growth({.lines_per_insertion = 8}));
    ASSERT_TRUE(chosen.set_growth({.lines_per_insertion = 8}));
    EXPECT_FALSE(typed.set_growth({.lines_per_insertion = -1}));
    EXPECT_EQ(typed.growth(), chosen.growth());
    int copied = 0;
    for (int key = 0; key < 50'000; ++key) {
        typed.insert(key);
        chosen.insert(key);
        ASSERT_EQ(typed.is_growing(), chosen.view().is_growing());
        if (!typed.is_growing() || ++copied > 20) continue;
        EXPECT_TRUE(typed == erasable_balanced_rank_filter(typed));
        EXPECT_TRUE(chosen == membrane::filter(chosen));
        EXPECT_TRUE(erasable_balanced_rank_filter::from_bytes(typed.to_bytes()) == typed);
        EXPECT_TRUE(membrane::filter::from_bytes(chosen.to_bytes()) == chosen);
        auto moved = std::move(typed);
        EXPECT_FALSE(typed.may_contain(0));
        typed = std::move(moved);
        auto chosen_moved = std::move(chosen);
        EXPECT_FALSE(chosen.may_contain(0));
        chosen = std::move(chosen_moved);
    }
    EXPECT_GT(copied, 20) << "it did grow step by step";
    for (int key = 0; key < 50'000; ++key) ASSERT_TRUE(typed.may_contain(key) && chosen.may_contain(key));
}

// A hash function of the program's own, with a state that no file tells.
struct own_state {
    std::uint64_t seed = 1;
    key_hash operator()(std::uint64_t key) const { return hasher{hash_id::fold, {seed, 2}}(key); }
    friend bool operator==(const own_state&, const own_state&) = default;
};

TEST(SameCalls, WithAHashFunctionThatHasAState) {
    using filter = basic_erasable_balanced_rank_filter<own_state>;
    const temporary_directory directory;
    filter older(1000, 0.001, own_state{7}), newer(1000, 0.001, own_state{7}),
        other(1000, 0.001, own_state{8});
    older.insert_many(numbers(0, 500));
    newer.insert_many(numbers(200, 700));
    const filter made = older.patched(newer.diff(older));
    EXPECT_TRUE(made == newer);
    EXPECT_EQ(made.hash().seed, 7u);
    EXPECT_FALSE(other.try_diff(older));
    EXPECT_FALSE(other.try_compare(older));
    newer.save(directory.path("newer.mbr"));
    older |= mapped_filter::open(directory.path("newer.mbr"));
    EXPECT_EQ(older.hash().seed, 7u);
    for (std::uint64_t key = 0; key < 700; ++key) ASSERT_TRUE(older.may_contain(key));
    balanced_rank_filter keyed(1000, 0.001);
    EXPECT_EQ(keyed.try_merge(mapped_filter::open(directory.path("newer.mbr"))).error().code,
              errc::spec_mismatch);
}

// A view of oneself, as other programs hold it.
TEST(SameCalls, MergingAViewOfItselfIsRight) {
    membrane::filter seen(1000, 0.01);
    seen.insert_many(numbers(0, 1000));
    const membrane::filter before = seen;
    seen.merge(seen.view());
    EXPECT_TRUE(seen == before) << "a set";
    membrane::filter counted(1000, 0.01, erasable);
    counted.insert("key");
    counted.merge(counted.view());
    EXPECT_EQ(counted.count("key"), 2u);
}

}  // namespace
}  // namespace membrane::test
