// Compares the header-only sizing of a kind with the planner's, which inverts the exact models.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

inline constexpr std::uint64_t sized_keys[]{0, 1, 10, 1000, 10'000, 1'000'000, 10'000'000, 1'000'000'000};
inline constexpr double sized_rates[]{0.3, 0.1, 0.03, 0.01, 0.001, 1e-4, 1e-5, 1e-6};

struct header_case {
    const kind_plan& plan;
    given_fields given;
    // Bits of a spec, and by how many bits it may exceed the planner's because words, blocks and lines are whole.
    double (*bits)(const filter_spec&);
    double whole_bits;
    double most_more = 1.01;
};

inline given_fields given_fields_of(std::initializer_list<std::pair<std::size_t, std::uint64_t>> values) {
    given_fields given;
    for (const auto& [field, value] : values) {
        given.spec[field] = value;
        given.is_given.set(field);
    }
    return given;
}

// For every number of keys and rate: the exact rate of what header_spec(keys, fpr) makes is at most fpr, in at most 1 % more bits
// than planned (kind.most_more).
template <class HeaderSpec>
void expect_as_planned(const header_case& kind, requirement wanted, const HeaderSpec& header_spec) {
    for (const std::uint64_t keys : sized_keys)
        for (const double fpr : sized_rates) {
            SCOPED_TRACE(testing::Message() << keys << " keys at " << fpr);
            wanted.keys = keys;
            wanted.fpr = fpr;
            const result<filter_spec> made = header_spec(keys, fpr);
            ASSERT_TRUE(made) << describe(made.error());
            EXPECT_EQ(made->planned_keys, keys);
            EXPECT_EQ(made->planned_fpr, fpr);
            EXPECT_LE(kind.plan.predicted_fpr(*made, keys), fpr);
            const result<filter_spec> planned = kind.plan.size(wanted, kind.given);
            ASSERT_TRUE(planned) << describe(planned.error());
            const double most = kind.bits(*planned);
            EXPECT_LE(kind.bits(*made), std::max(kind.most_more * most, most + kind.whole_bits));
        }
}

// Every (keys, fpr) gives a spec that passes its check, or an error that names what is wrong.
template <class HeaderSpec, class Check>
void expect_total(const HeaderSpec& header_spec, const Check& check,
                  std::uint64_t most_usual_keys = std::uint64_t{1} << 48) {
    for (const double fpr : {-1.0, 0.0, 1.0, 2.0, 1e-300, HUGE_VAL, std::nan("")})
        EXPECT_EQ(header_spec(std::uint64_t{1000}, fpr).error().what, "fpr") << fpr;
    std::uint64_t keys = 0;
    for (int step = 0; step < 64; ++step, keys = keys * 2 + 1)
        for (double fpr = 0.999999; fpr > 1e-18; fpr *= fpr > 0.9 ? 0.97 : 0.2) {
            const result<filter_spec> made = header_spec(keys, fpr);
            if (made) {
                const auto checked = check(*made);
                EXPECT_TRUE(checked) << keys << " keys at " << fpr << ": " << describe(checked.error());
            } else {
                EXPECT_FALSE(made.error().what.empty());
                EXPECT_FALSE(made.error().note.empty()) << made.error().what;
                // Usual filters are refused only if fingerprints would be digits of more than 2^54 numbers.
                const bool is_usual = fpr >= 1e-6 && keys <= most_usual_keys;
                EXPECT_FALSE(is_usual && static_cast<double>(keys) / fpr <= 0x1p54)
                    << keys << " keys at " << fpr;
            }
        }
}

}  // namespace membrane::plan
