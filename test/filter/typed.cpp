// The header-only filters are the same filters: byte for byte what the runtime handle makes, without linking it.
#include <membrane/filter/filters.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/count_min/spec.hpp>
#include <membrane/kind/rank/spec.hpp>

#include "rank/rank_specs.hpp"
#include "support/filters.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t owned_keys = 1000;

template <class Filter>
Filter filled_owner(const filter_spec& spec) {
    Filter filter = value_of(Filter::try_create(spec, numbered_hasher(1)));
    for (std::uint64_t key = 0; key < owned_keys; ++key) filter.insert(key);
    return filter;
}

template <class Filter>
void expect_like_the_runtime_handle(const filter_spec& spec) {
    Filter filter = filled_owner<Filter>(spec);
    const any_filter handle = filled(spec, hashes_of(numbered_hasher(1), 0, owned_keys));
    EXPECT_EQ(filter.keys(), handle.keys());
    EXPECT_EQ(filter.size_bytes(), handle.size_bytes());
    EXPECT_EQ(filter.view().fill(), handle.fill());
    EXPECT_EQ(filter.estimated_size(), handle.estimated_size());
    EXPECT_EQ(filter.estimated_fpr_now(), handle.estimated_fpr_now());
    const auto asked = hashes_of(numbered_hasher(1), owned_keys / 2, 20 * owned_keys);
    std::vector<std::uint64_t> bits(bitmap_words(asked.size())), handle_bits(bits.size());
    EXPECT_EQ(filter.may_contain_many(asked, bits), handle.may_contain_many(asked, handle_bits));
    EXPECT_EQ(bits, handle_bits);

    Filter moved = std::move(filter);
    for (std::uint64_t key = 0; key < owned_keys; ++key) ASSERT_TRUE(moved.may_contain(key));
    moved.insert_many(asked);
    EXPECT_EQ(moved.keys(), owned_keys + asked.size());
    moved.clear();
    EXPECT_EQ(moved.keys(), 0u);
    EXPECT_EQ(moved.view().fill(), 0.0);
    EXPECT_TRUE(moved.insert_if_absent("once"));
    EXPECT_FALSE(moved.insert_if_absent(std::string_view("once")));
    EXPECT_EQ(moved.keys(), 1u);
}

filter_spec of_variant(filter_spec spec, std::size_t field, std::uint64_t value) {
    spec[field] = value;
    return spec;
}

TEST(TypedFilter, IsByteForByteTheRuntimeHandle) {
    const auto bloom = value_of(bloom_spec_for(owned_keys, 0.02)),
               counting = value_of(counting_bloom_spec_for(owned_keys, 0.02));
    expect_like_the_runtime_handle<bloom_filter>(of_variant(bloom, flat_field::probes, probes::independent));
    expect_like_the_runtime_handle<double_hashed_bloom_filter>(
        of_variant(bloom, flat_field::probes, probes::two_hash));
    expect_like_the_runtime_handle<counting_bloom_filter>(
        of_variant(counting, flat_field::probes, probes::independent));
    expect_like_the_runtime_handle<blocked_bloom_filter>(
        value_of(blocked_bloom_spec_for_bits(owned_keys, 8)));
    expect_like_the_runtime_handle<balanced_bloom_filter>(value_of(
        find_entry(kind_id::balanced_bloom)
            ->plan.size({.keys = owned_keys, .fpr = {}, .bits_per_key = 10},
                        giving(kind_id::balanced_bloom, balanced_field::scheme, scheme::multi_level))));
    filter_spec sketch = initial_spec(kind_id::count_min, count_min_fields);
    sketch[count_min_field::width] = 2003;
    sketch[count_min_field::depth] = 4;
    expect_like_the_runtime_handle<count_min_sketch>(sketch);
}

TEST(TypedFilter, LinesAreByteForByteTheRuntimeHandles) {
    const auto size = [](std::uint64_t form, double fpr) {
        return value_of(find_entry(kind_id::balanced_rank)
                            ->plan.size({.keys = 21 * owned_keys, .fpr = fpr, .bits_per_key = {}},
                                        giving(kind_id::balanced_rank, balanced_rank_field::form, form)));
    };
    for (const double fpr : {0.01, 0.004, 0.001, 0.0001}) {
        expect_like_the_runtime_handle<fixed_balanced_rank_filter>(size(balanced_rank_form::fixed, fpr));
        expect_like_the_runtime_handle<balanced_rank_filter>(size(balanced_rank_form::growable, fpr));
        expect_like_the_runtime_handle<erasable_balanced_rank_filter>(
            size(balanced_rank_form::erasable, fpr));
    }
}

TEST(TypedFilter, MapsKeysToValues) {
    const auto spec = planned_rank(rank_mode::map, owned_keys, 0.001);
    auto states = value_of(rank_map::try_create(spec, numbered_hasher(1)));
    any_filter handle = make(spec);
    for (std::uint64_t key = 0; key < owned_keys; ++key) {
        states.insert_value(key, key % 100);
        expect_done(handle.insert_value(key, key % 100));
    }
    for (std::uint64_t key = 0; key < owned_keys; key += 2) {
        ASSERT_TRUE(states.update_value(key, key % 100, 200));
        ASSERT_TRUE(value_of(handle.update_value(key, key % 100, 200)));
    }
    for (std::uint64_t key = 0; key < owned_keys; ++key) {
        const auto values = states.values(key);
        // Those of a false positive may be equal.
        ASSERT_GE(std::count(values.begin(), values.end(), key % 2 == 0 ? 200 : key % 100), 1);
        ASSERT_EQ(values, value_of(handle.values(key)));
    }
    EXPECT_EQ(states.try_insert_value(1, 256).error().what, "value") << "8 bits";
    EXPECT_EQ(handle.insert_value(std::uint64_t{1}, 256).error().what, "value");
    EXPECT_TRUE(states.erase_value(std::uint64_t{2}, 200));
    EXPECT_FALSE(states.erase_value(std::uint64_t{4}, 199));
    EXPECT_EQ(states.keys(), owned_keys - 1);
}

TEST(TypedFilter, RefusesTheSpecOfAnotherKindOrVariant) {
    const auto bloom =
        of_variant(value_of(bloom_spec_for(owned_keys, 0.02)), flat_field::probes, probes::independent);
    EXPECT_EQ(counting_bloom_filter::try_create(bloom).error().what, "kind id");
    EXPECT_EQ(double_hashed_bloom_filter::try_create(bloom).error().what, "variant of the kind");
    EXPECT_EQ(bloom_filter::try_create(of_variant(bloom, flat_field::k, 0)).error().what, "k");
    EXPECT_TRUE(bloom_filter::try_create(bloom));
}

TEST(TypedFilter, MadeForARateKeepsItAndRefusesWhatIsNone) {
    for (const double fpr : {0.0, 1.0, -1.0}) {
        EXPECT_FALSE(bloom_filter::try_create(10, fpr));
        EXPECT_FALSE(counting_bloom_filter::try_create(10, fpr));
        EXPECT_FALSE(blocked_bloom_filter::try_create(10, fpr));
        EXPECT_FALSE(balanced_rank_filter::try_create(10, fpr));
        EXPECT_THROW(bloom_filter(10, fpr), filter_error);
    }
    EXPECT_FALSE(blocked_bloom_filter::try_create(10, bits_per_key(0)));
    EXPECT_FALSE(bloom_filter::try_create(UINT64_MAX, 1e-9));
    EXPECT_EQ(bloom_filter::try_create(-1, 0.01).error().what, "keys");
    bloom_filter first(100, 0.01), second(100, 0.01);
    EXPECT_NE(first.hash().key, second.hash().key) << "two filters share their random key";
    first.insert("member");
    EXPECT_TRUE(first.may_contain("member"));
}

// A hash function of the program's own that has a state.
struct seeded_hash {
    std::uint64_t seed = 0;
    key_hash operator()(std::uint64_t key) const { return hasher{hash_id::fold, {seed, 1}}(key); }
    friend bool operator==(const seeded_hash&, const seeded_hash&) = default;
};

TEST(TypedFilter, TakesAHashFunctionAsTheLastArgument) {
    const hasher hash = numbered_hasher(7);
    EXPECT_EQ(balanced_rank_filter(100, 0.01, hash).hash(), hash);
    EXPECT_EQ(balanced_rank_filter(100, 0.01, grow_to(1000), hash).hash(), hash);
    EXPECT_EQ(bloom_filter(100, bits_per_key(12), hash).hash(), hash);
    EXPECT_EQ(rank_map(100, 0.01, value_bits(4), hash).hash(), hash);
    EXPECT_EQ(count_min_sketch(0.1, 0.9, hash).hash(), hash);
    EXPECT_EQ(value_of(rank_map::try_create(100, 0.01, value_bits(4), hash)).hash(), hash);
    EXPECT_EQ(value_of(count_min_sketch::try_create(0.1, 0.9, hash)).hash(), hash);

    blocked_bloom_filter first(100, 0.01);
    blocked_bloom_filter second(100, 0.01, first.hash()), stranger(100, 0.01);
    second.insert("bob");
    EXPECT_THROW(first |= stranger, filter_error) << "another hash key";
    first |= second;
    EXPECT_TRUE(first.may_contain("bob"));

    basic_bloom_filter<seeded_hash> one(100, 0.001, seeded_hash{1}), two(100, 0.001, seeded_hash{2});
    one.insert(3u);
    EXPECT_EQ(one.hash().seed, 1u);
    EXPECT_TRUE(one.may_contain(3u));
    EXPECT_FALSE(two.try_merge(one)) << "another seed";
}

TEST(TypedFilter, ErasesAndCountsWhereTheKindCan) {
    counting_bloom_filter counting(owned_keys, 0.001);
    for (std::uint64_t key = 0; key < owned_keys; ++key) counting.insert(key);
    for (std::uint64_t key = 0; key < owned_keys; key += 2) EXPECT_TRUE(counting.erase(key));
    for (std::uint64_t key = 1; key < owned_keys; key += 2) EXPECT_TRUE(counting.may_contain(key));
    EXPECT_EQ(counting.keys(), owned_keys / 2);
    EXPECT_GE(counting.count(1), 1u);

    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    spec[count_min_field::width] = 1009;
    spec[count_min_field::depth] = 3;
    auto sketch = value_of(count_min_sketch::try_create(spec));
    sketch.add("word", 41);
    sketch.insert("word");
    EXPECT_EQ(sketch.count("word"), 42u);
    EXPECT_EQ(sketch.count("other"), 0u);
    EXPECT_FALSE(sketch.try_add("word", UINT64_MAX));
    EXPECT_THROW(sketch.add("word", UINT64_MAX), filter_error);
    EXPECT_EQ(sketch.keys(), 42u);
}

}  // namespace
}  // namespace membrane::test
