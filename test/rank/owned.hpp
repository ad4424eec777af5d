// Views with memory of their own, of any spec; balanced_rank as planned, and what lookups of strangers find in it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/hash/integer_hash.hpp>
#include <membrane/kind/balanced_rank/view.hpp>
#include <membrane/plan/kind_plans.hpp>

#include "support/given.hpp"

namespace membrane::test {

template <class View>
class owned {
public:
    explicit owned(const filter_spec& spec)
        : spec_(spec),
          buffer_(*aligned_buffer::zeroed(*View::payload_bytes(spec))),
          view(spec, buffer_.data()) {}

    std::vector<std::byte> bytes() const { return {buffer_.bytes().begin(), buffer_.bytes().end()}; }
    std::byte* data() { return buffer_.data(); }
    // Without the marks of the lines: an erasure may leave one that nothing stands behind.
    std::vector<std::byte> entries() const {
        std::vector<std::byte> all = bytes();
        const std::uint64_t lines = spec_[balanced_rank_field::lines] + second_lines(spec_);
        for (std::uint64_t i = 0; i < lines; ++i) all[i * 64 + 63] &= std::byte{0x7f};
        return all;
    }

private:
    filter_spec spec_;
    aligned_buffer buffer_;

public:
    View view;
};

inline key_hash hash_of(std::uint64_t number) { return integer_fold({1, 2}, number); }
inline std::vector<key_hash> hashes_from(std::uint64_t first, std::uint64_t count) {
    std::vector<key_hash> hashes;
    for (std::uint64_t i = 0; i < count; ++i) hashes.push_back(hash_of(first + i));
    return hashes;
}

// The largest universe whose numbers this layout tells apart.
inline std::uint64_t universe_filling(const filter_spec& spec) {
    const std::uint64_t places =
        std::min(rank_places(spec[balanced_rank_field::lines], spec[balanced_rank_field::chains],
                             spec[balanced_rank_field::fingerprint_bits]),
                 most_universe);
    unsigned halvings = 0;
    while (places >> halvings >= most_universe_mantissa) ++halvings;
    std::uint64_t mantissa = places >> halvings;
    while (!tells_numbers_apart(places, mantissa << halvings)) --mantissa;
    return mantissa << halvings;
}

inline filter_spec planned_spec(std::uint64_t form, std::uint64_t keys, double fpr) {
    const auto spec =
        plan::balanced_rank_plan.size({.keys = keys, .fpr = fpr, .bits_per_key = {}},
                                      giving(kind_id::balanced_rank, balanced_rank_field::form, form));
    if (!spec) throw std::runtime_error(describe(spec.error()));
    return *spec;
}

// Mean lines that lookups of strangers read.
template <class View>
double negative_reads(const View& view, std::uint64_t strangers) {
    std::uint64_t reads = 0;
    for (std::uint64_t i = 0; i < strangers; ++i)
        view.trace_lookup(hash_of((std::uint64_t{1} << 40) + i), [&](std::uint64_t) { ++reads; });
    return static_cast<double>(reads) / static_cast<double>(strangers);
}

template <class View>
double negative_rate(const View& view, std::uint64_t strangers) {
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < strangers; ++i)
        found += view.may_contain(hash_of((std::uint64_t{1} << 40) + i)) ? 1 : 0;
    return static_cast<double>(found) / static_cast<double>(strangers);
}

}  // namespace membrane::test
