// Measuring a false positive rate: many filters with hash keys of their own, the same number of strangers asked of each,
// so that the scatter between filters is in the sample and in its standard error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <membrane/model/interval.hpp>

#include "support/filters.hpp"

namespace membrane::test {

struct experiment {
    filter_spec spec;
    std::uint64_t keys = 0;
    std::uint64_t filters = 0;
    std::uint64_t probes = 0;  // strangers asked of each filter
    std::uint64_t first_seed = 1;
};

inline void insert_integers(any_filter& filter, const hasher& hash, std::uint64_t first,
                            std::uint64_t count) {
    std::vector<key_hash> batch;
    for (std::uint64_t done = 0; done < count; done += batch.size()) {
        batch = hashes_of(hash, first + done, std::min<std::uint64_t>(4096, count - done));
        if (filter.insert_many(batch) != batch.size())
            throw std::runtime_error("full after " + std::to_string(filter.keys()) + " keys");
    }
}

// Whether a filter has room for so many keys, of any hash key.
inline bool has_room(const filter_spec& spec, std::uint64_t keys) {
    return keys <= spec.planned_keys || !capabilities_of(spec).can_be_full;
}

// How many of `count` integers that were never inserted are taken for present.
inline std::uint64_t false_positives(const any_view& filter, const hasher& hash, std::uint64_t count) {
    constexpr std::uint64_t first_stranger = std::uint64_t{1} << 40;
    std::vector<key_hash> batch(4096);
    std::vector<std::uint64_t> answers(bitmap_words(batch.size()));
    std::uint64_t found = 0;
    for (std::uint64_t done = 0; done < count; done += batch.size()) {
        batch.resize(std::min<std::uint64_t>(4096, count - done));
        for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = hash(first_stranger + done + i);
        found += filter.may_contain_many(batch, answers);
    }
    return found;
}

// One rate per filter.
inline model::running_summary measured_rates(const experiment& made) {
    model::running_summary rates;
    any_filter filter = make(made.spec);
    for (std::uint64_t i = 0; i < made.filters; ++i) {
        const hasher hash = numbered_hasher(made.first_seed + i);
        filter.clear();
        insert_integers(filter, hash, 0, made.keys);
        rates.add(static_cast<double>(false_positives(filter, hash, made.probes)) /
                  static_cast<double>(made.probes));
    }
    return rates;
}

}  // namespace membrane::test
