// What fuzzers of whole files have in common: they begin with valid ones, since no mutation makes a header with right checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

namespace membrane::fuzz {

using file_samples = std::vector<std::vector<std::byte>>;

// One filter of each kind, with a few keys.
inline std::vector<any_filter> small_filters() {
    std::vector<any_filter> all;
    for (const kind_entry& kind : registry()) {
        const auto spec = kind.plan.size({.keys = 20, .fpr = 0.1}, {});
        if (!spec) continue;
        auto filter = any_filter::create(*spec, {hash_id::siphash13, {1, 2}});
        for (std::uint64_t key = 0; key < 20; ++key) static_cast<void>(filter->insert(key));
        all.push_back(std::move(*filter));
    }
    return all;
}

// Gives the samples themselves to the fuzzer's function, also where no fuzzer runs.
template <class TestOneInput>
int try_samples(const file_samples& samples, const TestOneInput& test_one_input) {
    for (const std::vector<std::byte>& sample : samples)
        test_one_input(reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size());
    return 0;
}

// A sample in place of data that is too short for a file, and of one input in 64; the size of what is then there.
inline std::size_t sample_or_data(const file_samples& samples, std::span<std::uint8_t> room, std::size_t size,
                                  std::size_t least_bytes, unsigned seed) {
    const std::vector<std::byte>& sample = samples[seed / 64 % samples.size()];
    if ((size >= least_bytes && seed % 64 != 0) || sample.size() > room.size()) return size;
    std::memcpy(room.data(), sample.data(), sample.size());
    return sample.size();
}

}  // namespace membrane::fuzz
