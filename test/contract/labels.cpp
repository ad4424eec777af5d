// Labels stay with the filter whatever replaces its contents.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/runtime/number_files.hpp>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t labelled_keys = 200;
constexpr std::uint64_t room_for_labelled = 4 * labelled_keys;
constexpr char label_text[] = "name=malware\nsource=https://example.org/list?a=b\n";

void expect_labels(const any_view& filter, const char* after) {
    EXPECT_EQ(filter.labels().text(), label_text) << "after " << after;
}

class Labels : public kind_test {
protected:
    const std::vector<key_hash> hashes = hashes_of(numbered_hasher(1), 0, labelled_keys);
    const std::vector<key_hash> more = hashes_of(numbered_hasher(1), labelled_keys, labelled_keys);

    any_filter labelled(const named_spec& each) const {
        any_filter filter = filled(each.spec, hashes);
        filter.set_labels(value_of(file_labels::decode(label_text)));
        return filter;
    }

    void stay_when_keys_come_and_go(const named_spec& each) const {
        any_filter filter = labelled(each);
        filter.insert_many(more);
        expect_labels(filter, "insertion");
        if (able(each).erase) static_cast<void>(value_of(filter.erase_many(more)));
        expect_labels(filter, "erasure");
        filter.clear();
        expect_labels(filter, "clear");
        expect_done(filter.build(hash_batches(hashes)));
        expect_labels(filter, "build");
    }
    void stay_in_copies_and_files(const named_spec& each) const {
        any_filter filter = labelled(each);
        expect_labels(value_of(any_filter::copy_of(filter)), "a copy");
        expect_labels(value_of(any_filter::open_copy(file_of(filter))), "a file");
        any_filter moved = std::move(filter);
        expect_labels(moved, "a move");
        if (const auto packed = moved.pack(); packed)
            expect_labels(value_of(any_filter::unpack(*packed)), "packing");
    }
    void stay_in_other_sizes(const named_spec& each) const {
        any_filter folded = labelled(each);
        if (folded.fold(1)) expect_labels(folded, "fold");
        any_filter lowered = labelled(each);
        if (const auto times = lowered.lower_rate(0.5); times && *times != 0)
            expect_labels(lowered, "lower_rate");
        any_filter fitting = labelled(each);
        if (fitting.shrink_to_fit()) expect_labels(fitting, "shrink_to_fit");
        if (fitting.reserve(8 * room_for_labelled)) expect_labels(fitting, "reserve");
    }
    void stay_in_joined_filters(const named_spec& each) const {
        const any_filter other = filled(each.spec, more);
        any_filter merged = labelled(each);
        if (merged.merge(other)) expect_labels(merged, "merge");
        any_filter merged_into = filled(each.spec, more);
        if (merged_into.merge(labelled(each))) expect_labels(merged_into, "merge into another");
        any_filter common = labelled(each);
        if (common.intersect(other)) expect_labels(common, "intersect");
    }
    void are_in_a_patch(const named_spec& each) const {
        if (!able(each).grow) return;
        const any_filter older = filled(each.spec, more);
        const auto patch = value_of(diff(older, labelled(each)));
        expect_labels(value_of(patched(older, patch)), "a patch");
    }
    void stay_after_more_rounds(const named_spec& each) const {
        any_filter filter = labelled(each);
        if (filter.choose_together(hashes, {.start = rounds_start::present}))
            expect_labels(filter, "more rounds");
    }
};

TEST_P(Labels, StayWhateverReplacesTheContents) {
    for (const named_spec& each : specs(room_for_labelled)) {
        SCOPED_TRACE(each.name);
        stay_when_keys_come_and_go(each);
        stay_in_copies_and_files(each);
        stay_in_other_sizes(each);
        stay_in_joined_filters(each);
        are_in_a_patch(each);
        stay_after_more_rounds(each);
    }
}

MEMBRANE_FOR_EVERY_KIND(Labels);

}  // namespace
}  // namespace membrane::test
