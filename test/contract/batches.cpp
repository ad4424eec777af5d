// Many at once is one by one, only faster: the same bytes and the same answers in the same order.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class Batches : public kind_test {};

constexpr std::size_t batch_sizes[]{0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000};

TEST_P(Batches, InsertTheSameBytesAsOneByOne) {
    for (const named_spec& each : specs(1000)) {
        SCOPED_TRACE(each.name);
        for (const std::size_t size : batch_sizes) {
            const auto hashes = hashes_of(numbered_hasher(1), 0, size);
            any_filter one_by_one = make(each.spec), at_once = make(each.spec);
            for (const key_hash& hash : hashes) ASSERT_TRUE(one_by_one.insert(hash));
            ASSERT_EQ(at_once.insert_many(hashes), size);
            ASSERT_EQ(at_once.keys(), size);
            ASSERT_EQ(payload_of(at_once), payload_of(one_by_one)) << size << " keys";
        }
    }
}

TEST_P(Batches, EraseTheSameAsOneByOne) {
    // Filters with room, and filters as full as they were planned.
    for (const std::uint64_t planned : {2000, 1000})
        for (const named_spec& each : specs(planned)) {
            SCOPED_TRACE(each.name);
            if (!able(each).erase) continue;
            const auto kept = hashes_of(numbered_hasher(1), 0, 1000);
            for (const std::size_t size : batch_sizes) {
                // Some of them were never inserted.
                const auto gone = hashes_of(numbered_hasher(1), 1000 - size / 2, size);
                any_filter one_by_one = filled(each.spec, kept), at_once = filled(each.spec, kept);
                std::size_t erased = 0;
                for (const key_hash& hash : gone) erased += *one_by_one.erase(hash) ? 1 : 0;
                const auto counted = at_once.erase_many(gone);
                ASSERT_TRUE(counted.has_value());
                ASSERT_EQ(*counted, erased);
                ASSERT_EQ(at_once.keys(), one_by_one.keys());
                ASSERT_EQ(payload_of(at_once), payload_of(one_by_one)) << size << " keys";
            }
        }
}

TEST_P(Batches, GiveTheSameAnswersAsOneByOne) {
    for (const named_spec& each : specs(300)) {
        SCOPED_TRACE(each.name);
        const any_filter filter = filled(each.spec, hashes_of(numbered_hasher(1), 0, 300));
        for (const std::size_t size : batch_sizes) {
            // Runs of members and of strangers, and a mixture: an implementation may treat them differently.
            for (const std::uint64_t step : {1u, 2u, 7u}) {
                std::vector<key_hash> asked;
                for (std::uint64_t i = 0; i < size; ++i) asked.push_back(numbered_hasher(1)(i * step));
                std::vector<std::uint64_t> bits(bitmap_words(size), UINT64_MAX);
                std::size_t present = 0;
                const std::size_t counted = filter.may_contain_many(asked, bits);
                for (std::size_t i = 0; i < size; ++i) {
                    const bool answer = filter.may_contain(asked[i]);
                    present += answer ? 1 : 0;
                    ASSERT_EQ((bits[i / 64] >> (i % 64)) & 1, answer ? 1u : 0u)
                        << "key " << i << " of " << size;
                }
                ASSERT_EQ(counted, present);
                if (size % 64 != 0) {
                    ASSERT_EQ(bits.back() >> (size % 64), 0u) << "bits behind the last key";
                }
            }
        }
    }
}

// Arrays behind the caches are asked ahead, by other code than small ones.
TEST_P(Batches, OfALargeArrayAreOneByOneToo) {
    const auto members = hashes_of(numbered_hasher(1), 0, 3000),
               asked = hashes_of(numbered_hasher(1), 1500, 4500);
    for (const named_spec& each :
         planned_specs(entry(), {.keys = 1, .fpr = {}, .bits_per_key = 5 * 8 << 20})) {
        SCOPED_TRACE(each.name);
        any_filter one_by_one = make(each.spec), at_once = make(each.spec);
        for (const key_hash& hash : members) ASSERT_TRUE(one_by_one.insert(hash));
        ASSERT_EQ(at_once.insert_many(members), members.size());
        ASSERT_EQ(payload_of(at_once), payload_of(one_by_one));
        std::vector<std::uint64_t> bits(bitmap_words(asked.size()));
        at_once.may_contain_many(asked, bits);
        for (std::size_t i = 0; i < asked.size(); ++i)
            ASSERT_EQ((bits[i / 64] >> (i % 64)) & 1, one_by_one.may_contain(asked[i]) ? 1u : 0u);
    }
}

TEST_P(Batches, TakeKeysAsWellAsTheirHashes) {
    std::vector<std::string> texts;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 700; ++i) {
        texts.push_back("key " + std::to_string(i) + std::string(i % 40, '.'));
        numbers.push_back(i * 0x9e3779b97f4a7c15);
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const filter_spec spec = value_of(entry().plan.size({.keys = 2000, .fpr = 0.01, .bits_per_key = {}}, {}));
    for (const hash_id id : {hash_id::siphash13, hash_id::xxh3, hash_id::mix, hash_id::fold}) {
        SCOPED_TRACE(name_of(id));
        const hasher hash{id, {5, 6}};
        auto one_by_one = any_filter::create(spec, hash);
        auto at_once = any_filter::create(spec, hash);
        ASSERT_TRUE(one_by_one && at_once);
        for (const std::string& text : texts) ASSERT_TRUE(one_by_one->insert(std::string_view(text)));
        for (const std::uint64_t number : numbers) ASSERT_TRUE(one_by_one->insert(number));
        ASSERT_EQ(at_once->insert_many(views), views.size());
        ASSERT_EQ(at_once->insert_many(numbers), numbers.size());
        ASSERT_EQ(payload_of(*at_once), payload_of(*one_by_one));
        std::vector<std::uint64_t> bits(bitmap_words(views.size()));
        EXPECT_EQ(at_once->may_contain_many(views, bits), views.size());
        EXPECT_EQ(at_once->may_contain_many(numbers, bits), numbers.size());
        if (!capabilities_of(spec).erase) {
            EXPECT_FALSE(at_once->erase_many(views));
            continue;
        }
        EXPECT_EQ(value_of(at_once->erase_many(views)), views.size());
        EXPECT_EQ(at_once->keys(), numbers.size());
        EXPECT_EQ(at_once->may_contain_many(numbers, bits), numbers.size());
        EXPECT_EQ(value_of(at_once->erase_many(numbers)), numbers.size());
        EXPECT_EQ(at_once->keys(), 0u);
    }
}

MEMBRANE_FOR_EVERY_KIND(Batches);

}  // namespace
}  // namespace membrane::test
