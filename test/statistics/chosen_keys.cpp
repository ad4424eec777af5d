// What somebody gains who may choose the keys that are inserted. With the hash key known he picks, of a million keys, those that do most
// harm: keys that set the most bits, or keys that all lie in a few blocks, buckets or lines. With the same keys and a secret
// hash key he gains nothing: the rate stays inside five sigma of the kind's own model.
//
// LongChosenKeys prints the table of doc/security.md.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/base/endian.hpp>
#include <membrane/hash/remix.hpp>

#include "statistics/rates.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

// Smaller is worse for the filter.
using score = std::function<double(const key_hash&)>;

// Keys that lie close together: in one block, bucket or line, or in few of them.
score crowding(const filter_spec& spec) {
    const auto first_word = [](const key_hash& hash) { return static_cast<double>(hash.low); };
    switch (spec.kind) {
        case kind_id::blocked_bloom:
        case kind_id::balanced_rank: return first_word;
        case kind_id::rank:
            return [](const key_hash& hash) { return static_cast<double>(remix(hash, stream::rank_place)); };
        case kind_id::balanced_bloom:
            return [](const key_hash& hash) {
                return static_cast<double>(
                    std::max(remix(hash, stream::candidate), remix(hash, stream::candidate + 1)));
            };
        case kind_id::count_min:
            return [](const key_hash& hash) { return static_cast<double>(remix(hash, stream::row_start)); };
        default: return {};
    }
}

struct attack_result {
    double rate = 0;           // of strangers
    std::uint64_t stored = 0;  // of the keys that were offered
    std::uint64_t bytes = 0;
    double ns_per_insertion = 0;
};

class ChosenKeys : public kind_test {
protected:
    static constexpr std::uint64_t wanted_keys = 5000, strangers = 200'000;

    filter_spec spec() const { return value_of(entry().plan.size({.keys = wanted_keys, .fpr = 0.01}, {})); }

    // Integers, the worst first: by the score, or those that set the most of the bits that are still free.
    std::vector<std::uint64_t> chosen(const hasher& known, std::uint64_t candidates) const {
        std::vector<std::uint64_t> keys;
        if (const score crowded = crowding(spec())) {
            std::vector<std::pair<double, std::uint64_t>> scored;
            for (std::uint64_t key = 0; key < candidates; ++key)
                scored.emplace_back(crowded(known(key)), key);
            std::partial_sort(scored.begin(), scored.begin() + wanted_keys, scored.end());
            for (std::uint64_t i = 0; i < wanted_keys; ++i) keys.push_back(scored[i].second);
            return keys;
        }
        // Bits that insertion sets, seen on a copy of the filter.
        any_filter copy = make(spec(), known), empty = make(spec(), known);
        const std::uint64_t tries = candidates / wanted_keys;
        for (std::uint64_t key = 0; keys.size() < wanted_keys; key += tries) {
            std::uint64_t best = key;
            int most = -1;
            for (std::uint64_t tried = key; tried < key + tries; ++tried)
                if (const int cells = new_cells(copy, empty, known(tried)); cells > most) {
                    most = cells;
                    best = tried;
                }
            keys.push_back(best);
            static_cast<void>(copy.insert(best));
        }
        return keys;
    }
    // Cells that are empty in the filter and would be used by this key, as an empty filter of the same spec shows.
    static int new_cells(const any_filter& filter, any_filter& empty, const key_hash& hash) {
        static_cast<void>(empty.insert(hash));
        const bool has_counters = filter.spec().kind == kind_id::counting_bloom;
        int cells = 0;
        for (std::size_t at = 0; at + 8 <= filter.size_bytes(); at += 8) {
            auto used = load_le<std::uint64_t>(empty.payload().data() + at);
            if (used == 0) continue;
            auto before = load_le<std::uint64_t>(filter.payload().data() + at);
            if (has_counters)
                for (std::uint64_t* const word : {&used, &before})
                    *word = (*word | *word >> 1 | *word >> 2 | *word >> 3) & 0x1111111111111111;
            cells += std::popcount(used & ~before);
        }
        empty.clear();
        return cells;
    }

    attack_result offered(const std::vector<std::uint64_t>& keys, const hasher& hash) const {
        attack_result found;
        any_filter filter = make(spec(), hash);
        const auto start = std::chrono::steady_clock::now();
        for (const std::uint64_t key : keys) found.stored += filter.insert(key) ? 1 : 0;
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        found.ns_per_insertion = took.count() / static_cast<double>(keys.size());
        found.rate =
            static_cast<double>(false_positives(filter, hash, strangers)) / static_cast<double>(strangers);
        found.bytes = filter.size_bytes();
        for (const std::uint64_t key : keys) {
            if (found.stored == keys.size()) {
                EXPECT_TRUE(filter.may_contain(key)) << key;
            }
        }
        EXPECT_TRUE(any_view::open(file_of(filter)));
        return found;
    }
    void expect_no_gain_without_the_key(const std::vector<std::uint64_t>& keys, std::uint64_t filters) const {
        const double predicted = entry().plan.predicted_fpr(spec(), wanted_keys);
        const auto accepted = model::five_sigma(predicted, strangers, filters,
                                                entry().plan.fpr_stddev_between(spec(), wanted_keys));
        model::running_summary rates;
        for (std::uint64_t seed = 100; seed < 100 + filters; ++seed) {
            const attack_result found = offered(keys, numbered_hasher(seed, hash_id::siphash13));
            EXPECT_EQ(found.stored, keys.size());
            rates.add(found.rate);
        }
        EXPECT_TRUE(accepted.contains(rates.mean()))
            << "measured " << rates.mean() << ", accepted " << accepted.low << " to " << accepted.high;
    }
};

TEST_P(ChosenKeys, GainNothingAgainstASecretHashKey) {
    expect_no_gain_without_the_key(chosen(numbered_hasher(1, hash_id::siphash13), 100'000), 10);
}
MEMBRANE_FOR_EVERY_KIND(ChosenKeys);

class LongChosenKeys : public ChosenKeys {};

TEST_P(LongChosenKeys, WithTheHashKeyKnownAndSecret) {
    constexpr std::uint64_t candidates = 10'000'000;
    const hasher known = numbered_hasher(1, hash_id::siphash13);
    std::vector<std::uint64_t> usual(wanted_keys);
    for (std::uint64_t i = 0; i < wanted_keys; ++i) usual[i] = i;
    const auto keys = chosen(known, candidates);
    const attack_result honest = offered(usual, known), attack = offered(keys, known);
    std::printf("| `%s` | %.2f %% | %.2f %% | %llu of %llu | %llu | %llu | %.0f | %.0f |\n",
                GetParam().c_str(), 100 * honest.rate, 100 * attack.rate,
                static_cast<unsigned long long>(attack.stored), static_cast<unsigned long long>(wanted_keys),
                static_cast<unsigned long long>(honest.bytes), static_cast<unsigned long long>(attack.bytes),
                honest.ns_per_insertion, attack.ns_per_insertion);
    expect_no_gain_without_the_key(keys, 50);
}
MEMBRANE_FOR_EVERY_KIND(LongChosenKeys);

}  // namespace
}  // namespace membrane::test
