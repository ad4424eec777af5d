// Malformed files, one reason each, and what the reader says about them: what, where, found, expected.
#pragma once

#include <bit>
#include <functional>
#include <initializer_list>
#include <string_view>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/kind/bloom/spec.hpp>
#include <membrane/kind/count_min/spec.hpp>

#include "small_files.hpp"

namespace membrane::corrupt {

inline filter_spec bloom_of(std::uint64_t size_bits, std::uint64_t k) {
    filter_spec spec = initial_spec(kind_id::bloom, bloom_fields);
    spec[flat_field::size] = size_bits;
    spec[flat_field::k] = k;
    return spec;
}

inline filter_spec count_min_of(std::uint64_t width, std::uint64_t depth, std::uint64_t slots,
                                std::uint64_t key_bytes) {
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    spec[count_min_field::width] = width;
    spec[count_min_field::depth] = depth;
    spec[count_min_field::top_slots] = slots;
    spec[count_min_field::top_key_bytes] = key_bytes;
    return spec;
}

inline filter_spec blocked_of(std::uint64_t blocks) {
    filter_spec spec = initial_spec(kind_id::blocked_bloom, blocked_bloom_fields);
    spec[blocked_field::blocks] = blocks;
    return spec;
}

constexpr std::size_t field_at(std::size_t field) { return layout::fields_at + 8 * field; }

template <class Word>
std::function<void(file_bytes&)> set(std::size_t offset, Word value) {
    return [=](file_bytes& file) { store_le(file.data() + offset, value); };
}
inline std::function<void(file_bytes&)> set_rate(double rate) {
    return set(layout::planned_fpr_at, std::bit_cast<std::uint64_t>(rate));
}

struct malformed {
    std::string_view reason;
    filter_spec spec;
    std::function<void(file_bytes&)> damage;  // before the checksums are repaired
    std::string_view said;
};

inline void expect_said(const file_bytes& file, std::string_view reason, std::string_view said) {
    const auto view = any_view::open(file);
    ASSERT_FALSE(view) << reason;
    EXPECT_EQ(describe(view.error()), said) << reason;
    const auto trusted = any_view::open(file, checksum::trust);
    EXPECT_FALSE(trusted && trusted->check_payload()) << reason;
}

// Whoever can damage a file can repair its checksums.
inline void expect_all_said(std::initializer_list<malformed> cases) {
    for (const malformed& each : cases) {
        file_bytes file = file_of(each.spec, 1);
        each.damage(file);
        repair_checksums(file);
        expect_said(file, each.reason, each.said);
    }
}

}  // namespace membrane::corrupt
