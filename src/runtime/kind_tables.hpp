// What the registry knows of every kind, by target. src/kind/<kind>/ops.cpp defines it; it is compiled once for each target that the
// kind has code for.
#pragma once

#include <span>
#include <string_view>

#include <membrane/base/target.hpp>
#include <membrane/runtime/kind_ops.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

struct kind_table {
    kind_id id;
    std::string_view name;
    std::string_view meaning;
    std::span<const field_rule> fields;
    result<void> (*check_spec)(const filter_spec&);
    std::size_t (*variant_of)(const filter_spec&);
    std::span<const kind_ops> variants;  // one table for each view type
};

inline namespace library_portable {
kind_table bloom_table();
kind_table counting_bloom_table();
kind_table blocked_bloom_table();
kind_table choice_bloom_table();
kind_table balanced_bloom_table();
kind_table rank_table();
kind_table balanced_rank_table();
kind_table count_min_table();
}  // namespace library_portable

#if defined(MEMBRANE_HAS_AVX2_TARGET)
#define MEMBRANE_LIBRARY_VECTOR_TARGET library_avx2
#elif defined(MEMBRANE_HAS_NEON_TARGET)
#define MEMBRANE_LIBRARY_VECTOR_TARGET library_neon
#endif
#if defined(MEMBRANE_HAS_VECTOR_TARGET)
// `./dev test` runs the tests of the other kinds with one target only (portable_kinds_regex).
inline namespace MEMBRANE_LIBRARY_VECTOR_TARGET {
kind_table bloom_table();
kind_table counting_bloom_table();
kind_table blocked_bloom_table();
kind_table balanced_bloom_table();
kind_table balanced_rank_table();
}  // namespace MEMBRANE_LIBRARY_VECTOR_TARGET
#endif

}  // namespace membrane
