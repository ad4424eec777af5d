// Calls everything that can be called on an opened filter, whatever its bytes say: reading, and writing on a copy. Ends
// the program if an answer is impossible; memory errors are for the sanitizers to see.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/format/encode.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "require.hpp"

namespace membrane {

inline void require_rate(double rate) { MEMBRANE_REQUIRE(rate >= 0 && rate <= 1); }

inline std::vector<std::byte> file_bytes_of(const any_view& filter) { return encode_file(filter.as_file()); }

// Seven keys of every type that hashers take.
inline std::array<key_hash, 7> some_hashes(const hasher& hash) {
    return {hash("membrane"),
            hash(std::string_view()),
            hash(std::uint64_t{42}),
            hash(-1),
            key_hash{0, 0},
            key_hash{UINT64_MAX, UINT64_MAX},
            key_hash{0x9e3779b97f4a7c15, 0xd1b54a32d192ed03}};
}

// Labels of a file are found, changed and joined; those that cannot be set leave the others as they are.
inline void exercise_labels(const any_view& filter) {
    file_labels labels = filter.labels();
    for (const label& each : filter.labels().all()) MEMBRANE_REQUIRE(labels.find(each.name).has_value());
    const std::string before(labels.text());
    MEMBRANE_REQUIRE(!labels.set("no name", "value") && !labels.set("name", "\x1b[31m") &&
                     !labels.set("", "") && !labels.set("long", std::string(2000, 'x')));
    MEMBRANE_REQUIRE(labels.text() == before);
    if (labels.set("source", "żółw")) MEMBRANE_REQUIRE(labels.find("source") == "żółw");
    const auto again = file_labels::decode(labels.text());
    MEMBRANE_REQUIRE(again.has_value() && again->all() == labels.all());
    static_cast<void>(labels.merge(filter.labels()));
    labels.remove("source");
    MEMBRANE_REQUIRE(!labels.find("source").has_value() && labels.text().size() <= most_label_bytes);
}

inline void exercise_reading(const any_view& filter, bool slow_ones_too) {
    const auto hashes = some_hashes(filter.hash());
    std::uint64_t answers = 0;
    const std::size_t present = filter.may_contain_many(hashes, std::span(&answers, 1));
    std::size_t one_by_one = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const bool yes = filter.may_contain(hashes[i]);
        one_by_one += yes ? 1 : 0;
        MEMBRANE_REQUIRE(yes == (((answers >> i) & 1) != 0));
        const auto estimate = filter.estimate(hashes[i]);
        if (estimate) MEMBRANE_REQUIRE((*estimate != 0) == yes && *estimate <= filter.largest_estimate());
    }
    MEMBRANE_REQUIRE(present == one_by_one);
    MEMBRANE_REQUIRE(filter.top().size() * 32 <= filter.size_bytes());
    require_rate(filter.fill());
    require_rate(filter.estimated_fpr_now());
    if (!slow_ones_too) return;
    exercise_labels(filter);
    if (const auto packed = filter.pack()) {
        const auto again = any_filter::unpack(*packed);
        MEMBRANE_REQUIRE(again.has_value() && again->keys() == filter.keys());
        for (const key_hash hash : hashes)
            MEMBRANE_REQUIRE(again->may_contain(hash) == filter.may_contain(hash));
    }
    const double size = filter.estimated_size();
    MEMBRANE_REQUIRE(std::isfinite(size) && size >= 0);
    require_rate(filter.kind().plan.predicted_fpr(filter.spec(), filter.keys()));
    MEMBRANE_REQUIRE(filter.kind().plan.fpr_stddev_between(filter.spec(), filter.keys()) >= 0);
}

// Any bytes behind a good header: answers may contradict each other, but each is given.
inline void exercise_unchecked(const any_view& filter) {
    const auto hashes = some_hashes(filter.hash());
    std::uint64_t answers = 0;
    MEMBRANE_REQUIRE(filter.may_contain_many(hashes, std::span(&answers, 1)) <= hashes.size());
    for (const key_hash hash : hashes) {
        static_cast<void>(filter.may_contain(hash));
        static_cast<void>(filter.estimate(hash));
        static_cast<void>(filter.lookup_lines(hash));
    }
    require_rate(filter.fill());
    require_rate(filter.estimated_fpr_now());
    MEMBRANE_REQUIRE(std::isfinite(filter.estimated_size()) && filter.estimated_size() >= 0);
}

inline bool same_bytes(const any_view& a, const any_view& b) {
    return a.keys() == b.keys() && a.size_bytes() == b.size_bytes() &&
           std::memcmp(a.payload().data(), b.payload().data(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

// Bit i: hashes[i] is present.
inline std::uint64_t present_ones(const any_view& filter, std::span<const key_hash> hashes) {
    std::uint64_t answers = 0;
    filter.may_contain_many(hashes, std::span(&answers, 1));
    return answers;
}

inline void exercise_writing(const any_view& filter, bool slow_ones_too) {
    auto copy = any_filter::copy_of(filter);
    MEMBRANE_REQUIRE(copy.has_value());
    const auto hashes = some_hashes(filter.hash());
    for (const key_hash hash : hashes) {
        // Parts that two keys share by damage show in that storing one takes the other away.
        const std::uint64_t before = present_ones(*copy, hashes);
        const bool stored = copy->insert(hash);
        MEMBRANE_REQUIRE(!stored || copy->may_contain(hash));
        MEMBRANE_REQUIRE((before & ~present_ones(*copy, hashes)) == 0);
        const bool was_there = copy->may_contain(hash);
        const auto again = copy->try_insert_if_absent(hash);
        MEMBRANE_REQUIRE(was_there ? again && !*again : !again);
        static_cast<void>(copy->add(hash, UINT64_MAX - 3));
        static_cast<void>(copy->erase(hash));
    }
    if (!copy->merge(filter)) copy = any_filter::copy_of(filter);
    static_cast<void>(copy->merge(*copy));
    static_cast<void>(copy->intersect(filter));
    static_cast<void>(copy->intersect(*copy));
    while (copy->fold(1)) exercise_reading(*copy, false);
    MEMBRANE_REQUIRE(!copy->fold(UINT64_MAX));
    exercise_reading(*copy, slow_ones_too);
    if (slow_ones_too) {
        auto shrunk = any_filter::copy_of(filter);
        static_cast<void>(shrunk->lower_rate(0.25));
    }
    copy->set_top(filter.top());
    const std::vector<std::byte> saved = file_bytes_of(*copy);
    MEMBRANE_REQUIRE(saved.size() == copy->file_bytes());
    const auto reopened = any_view::open(saved);
    MEMBRANE_REQUIRE(reopened.has_value() && same_bytes(*reopened, *copy));
    copy->clear();
    MEMBRANE_REQUIRE(copy->fill() == 0 && copy->keys() == 0 && copy->top().empty());
}

inline void exercise(const any_view& filter, bool slow_ones_too) {
    exercise_reading(filter, slow_ones_too);
    exercise_writing(filter, slow_ones_too);
}

}  // namespace membrane
