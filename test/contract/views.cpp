// A filter is its bytes: written, reopened, moved to any address, they give the same answers, false positives included.
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t view_keys = 200;

class Views : public kind_test {
protected:
    const std::vector<key_hash> hashes = hashes_of(numbered_hasher(1), 0, view_keys);
    const std::vector<key_hash> strangers = hashes_of(numbered_hasher(1), 1 << 20, 3000);
};

TEST_P(Views, OfTheFileGiveTheSameAnswersToStrangers) {
    std::size_t false_positives = 0;
    for (const named_spec& each : specs(view_keys)) {
        SCOPED_TRACE(each.name);
        const any_filter filter = filled(each.spec, hashes);
        const auto file = file_of(filter);
        ASSERT_EQ(file.size(), filter.file_bytes());
        for (const checksum check : {checksum::verify, checksum::trust}) {
            const any_view view = value_of(any_view::open(file, check));
            ASSERT_EQ(false_negatives(view, hashes), 0u);
            ASSERT_EQ(answers_of(view, strangers), answers_of(filter, strangers));
            ASSERT_EQ(view.keys(), filter.keys());
            ASSERT_EQ(view.spec(), filter.spec());
            ASSERT_EQ(view.hash(), filter.hash());
            ASSERT_EQ(view.fill(), filter.fill());
            ASSERT_EQ(view.estimated_size(), filter.estimated_size());
            ASSERT_EQ(view.estimated_fpr_now(), filter.estimated_fpr_now());
        }
        const any_filter copy = value_of(any_filter::open_copy(file));
        ASSERT_EQ(file_of(copy), file);
        for (const bool answer : answers_of(filter, strangers)) false_positives += answer ? 1 : 0;
    }
    EXPECT_GT(false_positives, 0u) << "nothing was compared";
}

TEST_P(Views, OverUnalignedBytesGiveTheSameAnswers) {
    for (const named_spec& each : specs(view_keys)) {
        SCOPED_TRACE(each.name);
        const any_filter filter = filled(each.spec, hashes);
        const auto file = file_of(filter);
        for (const std::size_t shift : {1u, 3u, 4u}) {
            std::vector<std::byte> moved(file.size() + shift);
            std::memcpy(moved.data() + shift, file.data(), file.size());
            const any_view view = value_of(any_view::open(std::span(moved).subspan(shift)));
            ASSERT_EQ(false_negatives(view, hashes), 0u);
            ASSERT_EQ(answers_of(view, strangers), answers_of(filter, strangers));
            ASSERT_EQ(view.estimated_size(), filter.estimated_size());
            std::vector<std::uint64_t> bits(bitmap_words(strangers.size()));
            std::size_t present = 0;
            for (const bool answer : answers_of(filter, strangers)) present += answer ? 1 : 0;
            ASSERT_EQ(view.may_contain_many(strangers, bits), present);
        }
    }
}

TEST_P(Views, AreReadOnlyInDeed) {
    for (const named_spec& each : specs(view_keys)) {
        SCOPED_TRACE(each.name);
        const auto file = file_of(filled(each.spec, hashes));
        const auto before = file;
        const any_view view = value_of(any_view::open(file));
        answers_of(view, strangers);
        view.fill();
        view.estimated_size();
        view.estimated_fpr_now();
        view.top();
        if (able(each).count) {
            ASSERT_TRUE(view.estimate(hashes[0]));
        }
        ASSERT_EQ(file, before);
    }
}

TEST_P(Views, OfAnEmptyFilterSayNoToEverything) {
    for (const std::uint64_t planned : {std::uint64_t{0}, std::uint64_t{1}, view_keys}) {
        for (const named_spec& each : specs(planned)) {
            SCOPED_TRACE(each.name);
            const any_filter filter = make(each.spec);
            ASSERT_EQ(false_negatives(filter, strangers), strangers.size());
            std::vector<std::uint64_t> bits(bitmap_words(strangers.size()), UINT64_MAX);
            ASSERT_EQ(filter.may_contain_many(strangers, bits), 0u);
            for (const std::uint64_t word : bits) ASSERT_EQ(word, 0u);
            ASSERT_EQ(filter.keys(), 0u);
            ASSERT_EQ(filter.fill(), 0.0);
            ASSERT_EQ(filter.estimated_size(), 0.0);
            ASSERT_EQ(filter.estimated_fpr_now(), 0.0);
            if (able(each).count) {
                ASSERT_EQ(value_of(filter.estimate(strangers[0])), 0u);
            }
            ASSERT_EQ(false_negatives(value_of(any_view::open(file_of(filter))), strangers),
                      strangers.size());
        }
    }
}

TEST_P(Views, EstimateNumbersThatMeanSomething) {
    for (const named_spec& each : specs(view_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        double last_fill = 0, last_size = 0;
        for (const key_hash& hash : hashes) {
            ASSERT_TRUE(filter.insert(hash));
            ASSERT_GE(filter.fill(), last_fill);
            ASSERT_LE(filter.fill(), 1.0);
            last_fill = filter.fill();
        }
        last_size = filter.estimated_size();
        ASSERT_TRUE(std::isfinite(last_size) && last_size > 0) << last_size;
        ASSERT_TRUE(filter.estimated_fpr_now() > 0 && filter.estimated_fpr_now() <= 1)
            << filter.estimated_fpr_now();
    }
}

MEMBRANE_FOR_EVERY_KIND(Views);

}  // namespace
}  // namespace membrane::test
