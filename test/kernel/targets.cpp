// Every target of the library gives the same answers and leaves the same bytes, for every kind that has vector code: single lookups,
// batches, counts, insertions, erasures, bulk builds. Near tables by the contract's specs, far ones by planned specs of 8 MiB and more.
#include <algorithm>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/part/key_batches.hpp>

#include "runtime/kind_tables.hpp"
#include "support/keys.hpp"
#include "support/kind_specs.hpp"
#include "support/targets.hpp"

#if defined(MEMBRANE_HAS_VECTOR_TARGET)

namespace membrane::test {
namespace {

// A filter behind one table of operations.
class played_filter {
public:
    played_filter(const kind_table& table, const filter_spec& spec)
        : ops_(table.variants[table.variant_of(spec)]),
          bytes_(*aligned_buffer::zeroed(*ops_.payload_bytes(spec))) {
        ops_.construct(view_, spec, bytes_.data());
    }
    const kind_ops& ops() const { return ops_; }
    void* view() { return view_; }
    bool equals(const played_filter& other) const {
        return bytes_.size_bytes() == other.bytes_.size_bytes() &&
               std::memcmp(bytes_.data(), other.bytes_.data(), bytes_.size_bytes()) == 0;
    }

private:
    const kind_ops& ops_;
    aligned_buffer bytes_;
    alignas(16) std::byte view_[view_storage_bytes]{};
};

struct both {
    both(const kind_table& portable_table, const kind_table& vector_table, const filter_spec& spec)
        : portable(portable_table, spec), vector(vector_table, spec) {}

    // act(ops, view) must answer the same and leave the same bytes.
    template <class Act>
    void expect_same(const char* what, const Act& act) {
        ASSERT_EQ(act(portable.ops(), portable.view()), act(vector.ops(), vector.view())) << what;
        ASSERT_TRUE(portable.equals(vector)) << what;
    }
    void expect_same_answers(std::span<const key_hash> hashes) {
        std::vector<std::uint64_t> from_portable(bitmap_words(hashes.size())), from_vector(from_portable);
        ASSERT_EQ(portable.ops().may_contain_many(portable.view(), hashes, from_portable),
                  vector.ops().may_contain_many(vector.view(), hashes, from_vector));
        ASSERT_EQ(from_portable, from_vector);
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            const bool expected = (from_portable[i / 64] >> (i % 64) & 1) != 0;
            ASSERT_EQ(portable.ops().may_contain(portable.view(), hashes[i]), expected) << i;
            ASSERT_EQ(vector.ops().may_contain(vector.view(), hashes[i]), expected) << i;
            if (portable.ops().counts != nullptr) {
                ASSERT_EQ(portable.ops().counts->estimate(portable.view(), hashes[i]),
                          vector.ops().counts->estimate(vector.view(), hashes[i]))
                    << i;
            }
        }
    }

    played_filter portable, vector;
};

void play(both filters, std::span<const key_hash> members, std::span<const key_hash> strangers) {
    // Members and strangers in runs and mixed, so that both ways of a batch are taken.
    std::vector<key_hash> asked(members.begin(), members.end());
    asked.insert(asked.end(), strangers.begin(), strangers.end());
    for (std::size_t i = 0; i < std::min(members.size(), strangers.size()); ++i)
        asked.push_back(i % 2 == 0 ? members[i] : strangers[i]);
    filters.expect_same_answers(asked);
    const auto half = members.first(members.size() / 2);
    filters.expect_same("batch of insertions",
                        [&](const kind_ops& ops, void* view) { return ops.insert_many(view, half); });
    for (const key_hash& hash : members.subspan(half.size()))
        filters.expect_same("insertion",
                            [&](const kind_ops& ops, void* view) { return ops.insert(view, hash); });
    if (testing::Test::HasFatalFailure()) return;
    filters.expect_same_answers(asked);
    if (filters.portable.ops().erases != nullptr) {
        filters.expect_same("batch of erasures", [&](const kind_ops& ops, void* view) {
            return ops.erases->erase_many(view, half.first(half.size() / 2));
        });
        for (const key_hash& hash : half.subspan(half.size() / 2, half.size() / 4))
            filters.expect_same(
                "erasure", [&](const kind_ops& ops, void* view) { return ops.erases->erase(view, hash); });
        filters.expect_same_answers(asked);
    }
}

struct vector_kind {
    kind_table (*portable)();
    kind_table (*vector)();
};
const vector_kind vector_kinds[]{
    {&library_portable::bloom_table, &MEMBRANE_LIBRARY_VECTOR_TARGET::bloom_table},
    {&library_portable::counting_bloom_table, &MEMBRANE_LIBRARY_VECTOR_TARGET::counting_bloom_table},
    {&library_portable::blocked_bloom_table, &MEMBRANE_LIBRARY_VECTOR_TARGET::blocked_bloom_table},
    {&library_portable::balanced_bloom_table, &MEMBRANE_LIBRARY_VECTOR_TARGET::balanced_bloom_table},
    {&library_portable::balanced_rank_table, &MEMBRANE_LIBRARY_VECTOR_TARGET::balanced_rank_table},
};

class Targets : public testing::TestWithParam<vector_kind> {
protected:
    void SetUp() override {
        if (!has_vector_target()) GTEST_SKIP() << "this machine does not have the vector target";
    }
    const kind_table portable_ = GetParam().portable(), vector_ = GetParam().vector();
};

TEST_P(Targets, GiveTheSameAnswersAndBytes) {
    constexpr std::uint64_t keys = 700;
    const auto members = hashes_of(numbered_hasher(1), 0, keys);
    const auto strangers = hashes_of(numbered_hasher(1), 1 << 20, 1500);
    for (const named_spec& each : contract_specs(*find_entry(portable_.id), keys)) {
        SCOPED_TRACE(each.name);
        play(both(portable_, vector_, each.spec), members, strangers);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_P(Targets, GiveTheSameAnswersAndBytesAtTheUsualRates) {
    constexpr std::uint64_t keys = 8'000;
    const auto members = hashes_of(numbered_hasher(1), 0, keys);
    const auto strangers = hashes_of(numbered_hasher(1), 1 << 20, 8'000);
    for (const double fpr : {0.03, 0.01, 0.004, 0.001, 0.0001})
        for (const named_spec& each :
             planned_specs(*find_entry(portable_.id), {.keys = keys, .fpr = fpr, .bits_per_key = {}})) {
            SCOPED_TRACE(each.name);
            both filters(portable_, vector_, each.spec);
            filters.expect_same("build", [&](const kind_ops& ops, void* view) {
                return ops.insert_all(view, hash_batches(members), 1);
            });
            filters.expect_same_answers(members);
            filters.expect_same_answers(strangers);
            if (testing::Test::HasFatalFailure()) return;
        }
}

// Tables of more than the caches hold, of which a few lines are full.
TEST_P(Targets, GiveTheSameAnswersAndBytesInMemory) {
    const std::uint64_t planned = 8'000'000;
    std::vector<key_hash> members = hashes_of(numbered_hasher(1), 0, 6'000),
                          strangers = hashes_of(numbered_hasher(1), 1 << 20, 6'000);
    for (std::vector<key_hash>* hashes : {&members, &strangers})
        for (key_hash& hash : *hashes) hash.low >>= 11;
    for (const double fpr : {0.01, 0.004})
        for (const named_spec& each :
             planned_specs(*find_entry(portable_.id), {.keys = planned, .fpr = fpr, .bits_per_key = {}})) {
            SCOPED_TRACE(each.name);
            both filters(portable_, vector_, each.spec);
            filters.expect_same("batch of insertions", [&](const kind_ops& ops, void* view) {
                return ops.insert_many(view, members);
            });
            filters.expect_same_answers(members);
            filters.expect_same_answers(strangers);
            if (filters.portable.ops().erases != nullptr)
                filters.expect_same("batch of erasures", [&](const kind_ops& ops, void* view) {
                    return ops.erases->erase_many(view, std::span(members).first(3'000));
                });
            filters.expect_same_answers(members);
            if (testing::Test::HasFatalFailure()) return;
        }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Targets, testing::ValuesIn(vector_kinds),
                         [](const auto& kind) { return std::string(kind.param.portable().name); });

}  // namespace
}  // namespace membrane::test

#endif
