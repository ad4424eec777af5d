// Filters that grow, beside an exact multiset of their numbers: insertion, erasure, growth at once and step by step, other layouts,
// merging, files, packs and patches.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/base/multiply.hpp>
#include <membrane/filter/filters.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/model/interval.hpp>
#include <membrane/runtime/number_files.hpp>

#include "support/filters.hpp"
#include "support/keys.hpp"

namespace membrane::test {
namespace {

constexpr hasher same_hash{hash_id::fold, {1, 2}};

any_filter make_growing(std::uint64_t form, std::uint64_t universe, std::uint64_t keys) {
    return value_of(any_filter::create(number_layout(form, universe, keys), same_hash));
}

// The multiset of numbers that a filter should stand for.
class exact_numbers {
public:
    exact_numbers(std::uint64_t universe, bool keeps_times)
        : universe_(universe), keeps_times_(keeps_times) {}

    std::uint64_t number(std::uint64_t key) const { return fastrange(same_hash(key).low, universe_); }
    bool insert(std::uint64_t key) {
        std::uint64_t& times = numbers_[number(key)];
        const bool is_new = times == 0;
        times = keeps_times_ ? times + 1 : 1;
        return is_new;
    }
    bool erase(std::uint64_t key) {
        const auto found = numbers_.find(number(key));
        if (found == numbers_.end()) return false;
        if (--found->second == 0) numbers_.erase(found);
        return true;
    }
    std::uint64_t times(std::uint64_t key) const {
        const auto found = numbers_.find(number(key));
        return found == numbers_.end() ? 0 : found->second;
    }
    void drop_bits(unsigned bits) {
        exact_numbers less(universe_ >> bits, keeps_times_);
        for (const auto& [number, times] : numbers_) less.add(number >> bits, times);
        *this = less;
    }
    void add_all(const exact_numbers& other) {
        for (const auto& [number, times] : other.numbers_) add(number, times);
    }
    void expect_in(const any_filter& filter) const {
        const auto numbers = filter.numbers();
        ASSERT_TRUE(numbers) << describe(numbers.error());
        auto expected = numbers_.begin();
        while (const auto each = (*numbers)->next()) {
            ASSERT_NE(expected, numbers_.end());
            ASSERT_EQ(each->number, expected->first);
            ASSERT_EQ(each->times, expected->second);
            ++expected;
        }
        ASSERT_EQ(expected, numbers_.end());
    }
    std::uint64_t universe() const { return universe_; }
    std::size_t distinct() const { return numbers_.size(); }
    std::uint64_t all() const {
        std::uint64_t sum = 0;
        for (const auto& [number, times] : numbers_) sum += times;
        return sum;
    }

private:
    void add(std::uint64_t number, std::uint64_t times) {
        std::uint64_t& there = numbers_[number];
        there = keeps_times_ ? there + times : 1;
    }

    std::uint64_t universe_;
    bool keeps_times_;
    std::map<std::uint64_t, std::uint64_t> numbers_;
};

// One filter and what it should hold, through random operations.
class growing_property {
public:
    explicit growing_property(std::uint64_t seed)
        : random_(seed),
          form_(seed % 2 == 0 ? balanced_rank_form::growable : balanced_rank_form::erasable),
          exact_(universe_of_at_least(std::exp2(8 + static_cast<double>(random_() % 32))), is_erasable()),
          filter_(make_growing(form_, exact_.universe(), 1 + random_() % 300)),
          keys_(1 + random_() % (std::uint64_t{1} << (4 + random_() % 13))) {
        constexpr double steps[]{0, 0.6, 8, 50};
        EXPECT_TRUE(filter_.set_growth({.factor = 1.05 + static_cast<double>(random_() % 4) * 0.4,
                                        .lines_per_insertion = steps[random_() % 4],
                                        .in_own_block = random_() % 2 == 0}));
    }

    void run(std::uint64_t operations) {
        for (std::uint64_t i = 0; i < operations && !testing::Test::HasFatalFailure(); ++i)
            step(random_() % 40'000);
        check();
    }

private:
    bool is_erasable() const { return form_ == balanced_rank_form::erasable; }
    std::uint64_t key() { return random_() % keys_; }

    void step(std::uint64_t dice) {
        if (dice < 24'000) return insert();
        if (dice < 36'000) return is_erasable() ? erase() : insert();
        if (dice < 39'400) return look();
        if (dice < 39'900) return insert_many();
        if (dice < 39'930) return check();
        if (dice < 39'940) return expect_done(filter_.reserve(random_() % 5000));
        if (dice < 39'950) return expect_done(filter_.shrink_to_fit());
        if (dice < 39'960) return save_and_load();
        if (dice < 39'970) return pack_and_unpack();
        if (dice < 39'980) return diff_and_patch();
        if (dice < 39'990) return merge();
        if (dice < 39'992) return lower_rate();
        if (dice < 39'996) return advance();
        expect_done(filter_.settle());
    }
    void insert() {
        const std::uint64_t added = key(), before = filter_.keys();
        ASSERT_TRUE(filter_.insert(added));
        exact_.insert(added);
        ASSERT_EQ(filter_.keys(), before + 1);
    }
    void insert_many() {
        std::vector<std::uint64_t> many(1 + random_() % 300);
        for (std::uint64_t& each : many) exact_.insert(each = key());
        ASSERT_EQ(filter_.insert_many(std::span<const std::uint64_t>(many)), many.size());
    }
    void erase() {
        const std::uint64_t gone = key();
        ASSERT_EQ(value_of(filter_.erase(gone)), exact_.erase(gone));
    }
    void look() {
        const std::uint64_t asked = random_() % (2 * keys_);
        ASSERT_EQ(filter_.may_contain(asked), exact_.times(asked) != 0);
        if (is_erasable()) {
            ASSERT_EQ(value_of(filter_.estimate(asked)), exact_.times(asked));
        }
    }
    void check() {
        exact_.expect_in(filter_);
        std::vector<std::uint64_t> asked(200);
        for (std::uint64_t& each : asked) each = random_() % (2 * keys_);
        std::vector<std::uint64_t> answers(bitmap_words(asked.size()));
        filter_.may_contain_many(std::span<const std::uint64_t>(asked), answers);
        for (std::size_t i = 0; i < asked.size(); ++i)
            ASSERT_EQ((answers[i / 64] >> (i % 64) & 1) != 0, exact_.times(asked[i]) != 0);
    }
    void save_and_load() {
        expect_done(filter_.settle());
        const auto policy = filter_.growth();
        filter_ = value_of(any_filter::open_copy(encode_file(filter_.as_file())));
        expect_done(filter_.set_growth(policy));
    }
    // So many lines of a growth at most, and the end is told.
    void advance() {
        const std::uint64_t before = filter_.lines_moved(), most = 1 + random_() % 200;
        const bool was_growing = filter_.is_growing(), is_done = filter_.advance_growth(most);
        ASSERT_EQ(is_done, !filter_.is_growing());
        const std::uint64_t moved = filter_.lines_moved() - before;
        ASSERT_LE(moved, most);
        if (was_growing && !is_done) {
            ASSERT_EQ(moved, most);
        }
        exact_.expect_in(filter_);
    }
    // The numbers in the layout that is chosen for them have the same bytes, whatever came before.
    void pack_and_unpack() {
        const auto again = value_of(any_filter::unpack(value_of(filter_.pack())));
        exact_.expect_in(again);
        ASSERT_EQ(again.keys(), filter_.keys());
        any_filter other = value_of(any_filter::copy_of(filter_));
        expect_done(other.settle());
        const auto policy = filter_.growth();
        expect_done(other.shrink_to_fit());
        if (other.spec() == again.spec()) {
            ASSERT_TRUE(std::ranges::equal(other.payload(), again.payload()));
        }
        expect_done(filter_.set_growth(policy));
    }
    void diff_and_patch() {
        expect_done(filter_.settle());
        const any_filter older = value_of(any_filter::copy_of(filter_));
        for (unsigned i = 0; i < 30; ++i) {
            insert();
            if (is_erasable()) erase();
        }
        expect_done(filter_.settle());
        const auto patch = value_of(diff(older, filter_));
        const auto made = value_of(patched(older, patch));
        ASSERT_EQ(encode_file(made.as_file()), encode_file(filter_.as_file()));
    }
    void merge() {
        const std::uint64_t universe = random_() % 2 == 0 && exact_.universe() <= most_universe / 4
                                           ? exact_.universe() * 4
                                           : exact_.universe();
        any_filter other = make_growing(form_, universe, 1 + random_() % 500);
        exact_numbers more(universe, is_erasable());
        for (std::uint64_t i = random_() % 400; i != 0; --i) {
            const std::uint64_t added = key();
            ASSERT_TRUE(other.insert(added));
            more.insert(added);
        }
        expect_done(filter_.merge(other));
        if (universe != exact_.universe()) more.drop_bits(2);
        exact_.add_all(more);
    }
    void lower_rate() {
        if (exact_.universe() < 1024 || exact_.distinct() == 0) return;
        const double rate = static_cast<double>(exact_.distinct()) / static_cast<double>(exact_.universe());
        if (rate > 0.3) return;
        const auto bits = value_of(filter_.lower_rate(rate * 2.1));
        ASSERT_EQ(bits, 1u);
        exact_.drop_bits(1);
        check();
    }

    std::mt19937_64 random_;
    std::uint64_t form_;
    exact_numbers exact_;
    any_filter filter_;
    std::uint64_t keys_;
};

TEST(Growth, AMillionOperationsAgreeWithAnExactMultiset) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        growing_property(seed).run(50'000);
        if (HasFatalFailure()) return;
    }
}
TEST(LongGrowth, AHundredMillionOperationsAgreeWithAnExactMultiset) {
    for (std::uint64_t seed = 100; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        growing_property(seed).run(500'000);
        if (HasFatalFailure()) return;
    }
}

// Sizes and rates from a thousand keys on, for one universe.
void expect_growth_as_planned(std::uint64_t grow_to, double fpr, std::uint64_t most_keys,
                              std::uint64_t strangers) {
    const std::uint64_t universe = universe_of_at_least(static_cast<double>(grow_to) / fpr);
    any_filter filter = make_growing(balanced_rank_form::growable, universe, 1000);
    std::vector<key_hash> batch(100'000);
    std::uint64_t next = 0, checkpoints = 0;
    for (std::uint64_t keys = 1000; keys <= most_keys; keys *= 10) {
        while (next < keys) {
            const auto now = std::min<std::uint64_t>(batch.size(), keys - next);
            for (std::uint64_t i = 0; i < now; ++i) batch[i] = same_hash(next + i);
            ASSERT_EQ(filter.insert_many(std::span<const key_hash>(batch).first(now)), now);
            next += now;
            // No member missing, at as many moments as there are batches.
            ++checkpoints;
            for (std::uint64_t i = 0; i < 1000; ++i)
                ASSERT_TRUE(filter.may_contain(same_hash(i * (next / 1000)))) << keys;
        }
        const auto n = static_cast<double>(keys);
        const double spread = std::log2(static_cast<double>(universe) / n);
        any_filter fitted = value_of(any_filter::copy_of(filter));
        expect_done(fitted.shrink_to_fit());
        const double fitted_bits = 8 * static_cast<double>(fitted.file_bytes()) / n;
        const double bits = 8 * static_cast<double>(filter.file_bytes()) / n;
        if (keys == 1000) {
            EXPECT_LE(fitted.file_bytes(), 6000u);
        } else {
            EXPECT_LE(fitted_bits, spread + (spread <= 16 ? 4.2 : 6.5)) << keys;
            EXPECT_LE(bits, growth_policy{}.factor * 1.02 * fitted_bits) << keys;
        }
        // n different numbers of U, less those that were equal.
        const double rate = -std::expm1(n * std::log1p(-1 / static_cast<double>(universe)));
        std::uint64_t taken = 0, reads = 0;
        std::vector<std::uint64_t> answers(bitmap_words(batch.size()));
        for (std::uint64_t first = 0; first < strangers; first += batch.size()) {
            for (std::uint64_t i = 0; i < batch.size(); ++i)
                batch[i] = same_hash((std::uint64_t{1} << 40) + first + i);
            taken += filter.may_contain_many(batch, answers);
        }
        for (std::uint64_t i = 0; i < 20'000; ++i)
            reads += value_of(filter.lookup_lines(same_hash((std::uint64_t{1} << 50) + i)));
        const double between = std::sqrt(n / 2) / static_cast<double>(universe);
        const auto accepted = model::five_sigma(rate, strangers, 1, between);
        const double measured = static_cast<double>(taken) / static_cast<double>(strangers);
        EXPECT_TRUE(accepted.contains(measured)) << keys << " keys: " << measured << " for " << rate;
        EXPECT_LE(static_cast<double>(reads) / 20'000, 1.15) << keys;
        ::testing::Test::RecordProperty(
            "at_" + std::to_string(keys),
            std::to_string(bits) + " bits, fitted " + std::to_string(fitted_bits) + ", rate " +
                std::to_string(measured) + ", reads " + std::to_string(static_cast<double>(reads) / 20'000));
    }
    // The same keys again cost nothing.
    const std::vector<std::byte> before(filter.payload().begin(), filter.payload().end());
    for (unsigned again = 0; again < 10 && most_keys <= 1'000'000; ++again)
        for (std::uint64_t key = 0; key < most_keys; ++key) ASSERT_TRUE(filter.insert(same_hash(key)));
    EXPECT_TRUE(std::ranges::equal(filter.payload(), before));
}
TEST(Growth, FromAThousandToAMillionKeysIsAsPlanned) {
    expect_growth_as_planned(100'000'000, 0.004, 1'000'000, 2'000'000);
}
TEST(LongGrowth, FromAThousandToAHundredMillionKeysIsAsPlanned) {
    expect_growth_as_planned(100'000'000, 0.004, 100'000'000, 20'000'000);
}

TEST(Growth, BeyondTheUniverseTheRateRisesInProportion) {
    constexpr std::uint64_t grow_to = 100'000;
    any_filter filter =
        make_growing(balanced_rank_form::growable, universe_of_at_least(grow_to / 0.01), 1000);
    for (std::uint64_t key = 0; key < 4 * grow_to; ++key) ASSERT_TRUE(filter.insert(key));
    for (std::uint64_t key = 0; key < 4 * grow_to; ++key) ASSERT_TRUE(filter.may_contain(key));
    const double universe = static_cast<double>(filter.universe());
    const double rate = -std::expm1(4.0 * grow_to * std::log1p(-1 / universe));
    EXPECT_NEAR(filter.estimated_fpr_now(), rate, 5 * std::sqrt(2.0 * grow_to) / universe);
    EXPECT_NEAR(rate, 0.04, 0.001);
}

// Counted, not timed: what an insertion moves while the filter grows step by step.
TEST(Growth, StepByStepNoInsertionMovesMoreLinesThanItMay) {
    for (const double most : {2.0, 8.0, 32.0}) {
        any_filter filter = make_growing(balanced_rank_form::growable, universe_of_at_least(1e9), 5000);
        expect_done(filter.set_growth({.lines_per_insertion = most, .in_own_block = most < 32}));
        std::uint64_t moved = 0, growing = 0;
        for (std::uint64_t key = 0; key < 400'000; ++key) {
            ASSERT_TRUE(filter.insert(key));
            ASSERT_LE(static_cast<double>(filter.lines_moved() - moved), most) << key;
            moved = filter.lines_moved();
            growing += filter.is_growing() ? 1 : 0;
            ASSERT_TRUE(filter.may_contain(key));
            if (key % 97 == 0) {
                ASSERT_TRUE(filter.may_contain(key * 7919 % (key + 1)));
            }
        }
        EXPECT_GT(growing, 1000u);
        for (std::uint64_t key = 0; key < 400'000; ++key) ASSERT_TRUE(filter.may_contain(key));
    }
}

TEST(Growth, RefusedMemoryChangesNothing) {
    any_filter filter = make_growing(balanced_rank_form::erasable, universe_of_at_least(1e8), 1000);
    const std::uint64_t most = filter.size_bytes() + 5000;
    expect_done(filter.set_growth({.max_bytes = most}));
    std::uint64_t key = 0;
    while (filter.insert(key)) ASSERT_LE(++key, 100'000u);
    EXPECT_LE(filter.size_bytes(), most);
    const std::vector<std::byte> before(filter.payload().begin(), filter.payload().end());
    EXPECT_FALSE(filter.insert(key));
    EXPECT_EQ(filter.reserve(1'000'000).error().code, errc::too_large);
    EXPECT_TRUE(std::ranges::equal(before, filter.payload()));
    for (std::uint64_t each = 0; each < key; ++each) ASSERT_TRUE(filter.may_contain(each));
    EXPECT_EQ(filter.keys(), key);
}

TEST(Growth, PoliciesOutOfRangeAreRefusedByName) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN(), all = HUGE_VAL;
    any_filter filter = make_growing(balanced_rank_form::growable, universe_of_at_least(1e6), 100);
    const growth_policy before = filter.growth();
    for (const double factor : {0.0, 1.0, -2.0, 17.0, none, all})
        EXPECT_EQ(filter.set_growth({.factor = factor}).error().what, "factor") << factor;
    for (const double lines : {-1.0, 1e300, none, all})
        EXPECT_EQ(filter.set_growth({.lines_per_insertion = lines}).error().what, "lines_per_insertion")
            << lines;
    EXPECT_EQ(filter.growth(), before);
}

// One key 300,000 times: a word of the list.
TEST(Growth, ARepeatedKeyCostsNoMemory) {
    any_filter filter = make_growing(balanced_rank_form::erasable, universe_of_at_least(1e6), 1000);
    const std::uint64_t bytes = filter.size_bytes();
    for (unsigned i = 0; i < 300'000; ++i) ASSERT_TRUE(filter.insert(7));
    EXPECT_EQ(filter.size_bytes(), bytes);
    EXPECT_EQ(value_of(filter.estimate(7)), 300'000u);
}

// ---- typed filters are the same filters

TEST(Growth, TypedFiltersAreByteForByteTheRuntimeHandle) {
    const auto expect_alike = [](auto typed, any_filter filter) {
        constexpr bool can_erase = decltype(typed)::can_erase;
        for (std::uint64_t key = 0; key < 50'000; ++key) {
            typed.insert(key % 40'000);
            ASSERT_TRUE(filter.insert(key % 40'000));
        }
        if constexpr (can_erase)
            for (std::uint64_t key = 0; key < 20'000; ++key) {
                ASSERT_TRUE(typed.erase(key));
                ASSERT_TRUE(value_of(filter.erase(key)));
            }
        typed.shrink_to_fit();
        expect_done(filter.shrink_to_fit());
        ASSERT_EQ(typed.spec(), filter.spec());
        ASSERT_EQ(typed.keys(), filter.keys());
        EXPECT_EQ(value_of(typed.try_to_bytes()), encode_file(filter.as_file()));
        // The rate is the share of the numbers that are there.
        std::uint64_t distinct = 0;
        typed.for_each_number([&](std::uint64_t, std::uint64_t) { ++distinct; });
        const double share = static_cast<double>(distinct) / static_cast<double>(filter.universe());
        EXPECT_EQ(typed.estimated_fpr_now(), filter.estimated_fpr_now());
        // Equal numbers of which some were forwarded count twice.
        if (can_erase) EXPECT_GE(filter.estimated_fpr_now(), share);
        else EXPECT_EQ(filter.estimated_fpr_now(), share);
    };
    for (const std::uint64_t universe : {universe_of_at_least(1e7), universe_of_at_least(3e10)}) {
        const auto growable = number_layout(balanced_rank_form::growable, universe, 500);
        expect_alike(value_of(balanced_rank_filter::try_create(growable, same_hash)),
                     value_of(any_filter::create(growable, same_hash)));
        const auto erasable = number_layout(balanced_rank_form::erasable, universe, 500);
        expect_alike(value_of(erasable_balanced_rank_filter::try_create(erasable, same_hash)),
                     value_of(any_filter::create(erasable, same_hash)));
    }
}

// ---- packs, patches, comparisons

TEST(NumberFiles, PackTakesTheBitsItShould) {
    constexpr std::uint64_t keys = 200'000;
    for (const double fpr : {0.01, 0.001, 0.0001}) {
        any_filter filter =
            make_growing(balanced_rank_form::growable, universe_of_at_least(keys / fpr), keys);
        for (std::uint64_t key = 0; key < keys; ++key) ASSERT_TRUE(filter.insert(key));
        const auto packed = value_of(filter.pack());
        const double bits = 8 * static_cast<double>(packed.size()) / static_cast<double>(filter.keys());
        EXPECT_LE(bits, std::log2(static_cast<double>(filter.universe()) / static_cast<double>(keys)) + 1.65)
            << fpr;
        const auto again = value_of(any_filter::unpack(packed));
        for (std::uint64_t key = 0; key < keys; ++key) ASSERT_TRUE(again.may_contain(key));
    }
}

TEST(NumberFiles, PatchOfFewChangesIsSmallAndMakesTheSameBytes) {
    constexpr std::uint64_t keys = 1'000'000, changes = 1000;
    any_filter older = make_growing(balanced_rank_form::erasable, universe_of_at_least(keys / 0.01), keys);
    for (std::uint64_t key = 0; key < keys; ++key) ASSERT_TRUE(older.insert(key));
    any_filter newer = value_of(any_filter::copy_of(older));
    for (std::uint64_t key = 0; key < changes / 2; ++key) {
        ASSERT_TRUE(value_of(newer.erase(key * 1999)));
        ASSERT_TRUE(newer.insert(keys + key));
    }
    expect_done(newer.settle());
    const auto patch = value_of(diff(older, newer));
    // Came and went are half of the changes each; header and numbers take less than 400 bytes.
    const double bits = std::log2(static_cast<double>(newer.universe()) / (changes / 2)) + 1.65;
    EXPECT_LE(static_cast<double>(patch.size()), changes * bits / 8 + 400);
    EXPECT_EQ(encode_file(value_of(patched(older, patch)).as_file()), encode_file(newer.as_file()));
    // And back.
    const auto back = value_of(diff(newer, older));
    EXPECT_EQ(encode_file(value_of(patched(newer, back)).as_file()), encode_file(older.as_file()));
    // The second time it is another file.
    EXPECT_EQ(patched(newer, patch).error().what, "checksum of the older filter");
}

TEST(NumberFiles, ForeignPatchesAndPacksAreRefusedByName) {
    const std::uint64_t universe = universe_of_at_least(1e7);
    any_filter older = make_growing(balanced_rank_form::growable, universe, 1000),
               newer = make_growing(balanced_rank_form::growable, universe, 1000);
    for (std::uint64_t key = 0; key < 1000; ++key) ASSERT_TRUE(newer.insert(key));
    const auto patch = value_of(diff(older, newer));
    const auto refusal_of = [&](const any_filter& on) {
        return std::string(patched(on, patch).error().what);
    };
    const any_filter other_key = value_of(any_filter::create(
        number_layout(balanced_rank_form::growable, universe, 1000), hasher{hash_id::fold, {3, 4}}));
    EXPECT_EQ(refusal_of(other_key), "hash key");
    EXPECT_EQ(refusal_of(make_growing(balanced_rank_form::erasable, universe, 1000)), "form");
    EXPECT_EQ(refusal_of(make_growing(balanced_rank_form::growable, universe * 2, 1000)), "universe");
    EXPECT_EQ(refusal_of(newer), "checksum of the older filter");
    EXPECT_EQ(diff(older, other_key).error().what, "hash key");
    EXPECT_EQ(newer.merge(other_key).error().what, "hash key");
    EXPECT_EQ(
        newer.merge(make_growing(balanced_rank_form::growable, universe_of_at_least(3e6), 10)).error().what,
        "universe");
    // Cut short at every length, and every byte changed.
    for (std::size_t length = 0; length < patch.size(); ++length)
        ASSERT_FALSE(patched(older, std::span<const std::byte>(patch).first(length))) << length;
    for (std::size_t at = 0; at < patch.size(); ++at) {
        auto changed = patch;
        changed[at] ^= std::byte{0x40};
        ASSERT_FALSE(patched(older, changed)) << at;
    }
    const auto packed = value_of(newer.pack());
    for (std::size_t at = 0; at < packed.size(); ++at) {
        ASSERT_FALSE(any_filter::unpack(std::span<const std::byte>(packed).first(at))) << at;
        auto changed = packed;
        changed[at] ^= std::byte{0x01};
        ASSERT_FALSE(any_filter::unpack(changed)) << at;
    }
}

TEST(NumberFiles, CompareFindsWhatIsShared) {
    constexpr std::uint64_t keys = 100'000;
    for (const unsigned percent : {0u, 1u, 50u, 100u})
        for (const double fpr : {0.01, 0.0001}) {
            const std::uint64_t universe = universe_of_at_least(keys / fpr), shared = keys * percent / 100;
            any_filter a = make_growing(balanced_rank_form::growable, universe, keys),
                       b = make_growing(balanced_rank_form::erasable, universe * 4, keys / 10);
            for (std::uint64_t key = 0; key < keys; ++key) {
                ASSERT_TRUE(a.insert(key));
                ASSERT_TRUE(b.insert(keys - shared + key));
            }
            const comparison found = value_of(compare(a, b));
            const auto n = static_cast<double>(keys), s = static_cast<double>(shared);
            const auto expect_within = [&](const estimate_with_bounds& estimate, double truth,
                                           const char* what) {
                EXPECT_TRUE(estimate.low <= truth && truth <= estimate.high)
                    << what << ' ' << percent << " % at " << fpr << ": " << estimate.low << " .. "
                    << estimate.high << " for " << truth;
                EXPECT_TRUE(estimate.low <= estimate.value && estimate.value <= estimate.high) << what;
            };
            expect_within(found.keys_of_a, n, "a");
            expect_within(found.keys_of_b, n, "b");
            expect_within(found.shared, s, "shared");
            expect_within(found.jaccard, s / (2 * n - s), "jaccard");
            // The interval says something: chance alone makes n^2 / U equal numbers.
            EXPECT_LE(found.shared.high - found.shared.low, 8 * std::sqrt(n * fpr) + 20) << percent;
        }
}

}  // namespace
}  // namespace membrane::test
