// Which golden files there must be, made from the registry alone: per kind every variant and every value of an enumerated
// field at least once, each of them folded where the kind folds, and the kind's initial spec under every hash
// and with labels.
//
// A golden file is written once and never again: it is what a release wrote, and every later release must read it. The
// tests take everything they need from the file and the text beside it, so that sizing rules may change freely.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

namespace membrane::golden {

inline constexpr std::uint64_t strangers_asked = 20'000;
inline constexpr std::size_t false_positives_pinned = 100;
inline constexpr hash_key fixed_key{0x0706050403020100, 0x0f0e0d0c0b0a0908};

struct golden_case {
    std::string name;  // of the file, without folder and extension
    filter_spec spec;  // before folding
    hash_id hash;
    std::uint64_t folds;
    std::string labels{};  // as file_labels::text() has them
};

std::vector<golden_case> cases_of(const kind_entry& kind);

// Key number i: text, an integer or a hash, in turn. Members are 0 .. planned_keys-1, strangers start at a million.
key_hash key_of(const hasher& hash, std::uint64_t i);
inline key_hash stranger_of(const hasher& hash, std::uint64_t i) {
    return key_hash(key_of(hash, 1'000'000 + i));
}
// How often a member is inserted into a kind that counts.
inline std::uint64_t times_of(std::uint64_t i) { return 1 + i % 5; }

any_filter fill(const golden_case& wanted);

// The text that stands beside a golden file: what the file answers.
std::string pinned_answers(const any_view& filter);

}  // namespace membrane::golden
