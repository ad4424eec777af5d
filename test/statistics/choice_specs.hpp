// Specs of choice_bloom and filters whose keys chose together, for the tests of its rates.
#pragma once

#include <cstdint>
#include <span>

#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/kind/choice_bloom/spec.hpp>

#include "statistics/rates.hpp"

namespace membrane::test {

inline filter_spec choice_spec(std::uint64_t size_bits, std::uint64_t choices, std::uint64_t k,
                               std::uint64_t rounds, std::uint64_t how = search::greedy,
                               std::uint64_t how_probed = probes::independent) {
    filter_spec spec = initial_spec(kind_id::choice_bloom, choice_bloom_fields);
    spec[choice_field::size] = size_bits;
    spec[choice_field::choices] = choices;
    spec[choice_field::k] = k;
    spec[choice_field::rounds] = rounds;
    spec[choice_field::search] = how;
    spec[choice_field::probes] = how_probed;
    return spec;
}

inline any_filter chosen_together(const filter_spec& spec, std::span<const key_hash> hashes,
                                  const hasher& hash, const rounds_request& request = {}) {
    any_filter filter = make(spec, hash);
    value_of(filter.choose_together(hashes, request));
    return filter;
}

// As the spec says: one by one, or together.
inline any_filter chosen(const filter_spec& spec, std::span<const key_hash> hashes, const hasher& hash) {
    return spec[choice_field::rounds] > 1 ? chosen_together(spec, hashes, hash) : filled(spec, hashes, hash);
}

// Mean over filters with hash keys of their own.
inline double mean_fill(const filter_spec& spec, std::uint64_t keys, std::uint64_t filters) {
    model::running_summary fills;
    for (std::uint64_t i = 0; i < filters; ++i) {
        const hasher hash = numbered_hasher(700 + i);
        fills.add(chosen(spec, hashes_of(hash, 0, keys), hash).fill());
    }
    return fills.mean();
}

}  // namespace membrane::test
