// Planning is for people who wait: less than 0.2 s of processor time for any kind and any direction at a billion keys.
#include <ctime>

#include <gtest/gtest.h>

#include <membrane/runtime/planner.hpp>

#include "support/filters.hpp"
#include "support/instrumented.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

#ifdef MEMBRANE_TEST_IS_INSTRUMENTED
constexpr double allowed_seconds = 4;
#else
constexpr double allowed_seconds = 0.2;
#endif

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class PlanTime : public kind_test {};

TEST_P(PlanTime, IsBelowAFifthOfASecondAtABillionKeys) {
    constexpr std::uint64_t billion = 1'000'000'000;
    for (const plan::requirement& wanted :
         {plan::requirement{.keys = billion, .fpr = 0.1}, plan::requirement{.keys = billion, .fpr = 0.01},
          plan::requirement{.keys = billion, .fpr = 1e-4}, plan::requirement{.keys = billion, .fpr = 1e-6},
          plan::requirement{.keys = billion, .bits_per_key = 12},
          plan::requirement{.keys = billion, .max_bytes = 10'000'000'000},
          plan::requirement{.fpr = 0.01, .max_bytes = 1'000'000'000},
          plan::requirement{.keys = billion, .fpr = 0.01, .average_reads = 1.3}}) {
        const double from = processor_seconds();
        const auto made = plan::size_kind(plan_row(entry()), wanted, {});
        const double taken = processor_seconds() - from;
        EXPECT_LT(taken, allowed_seconds)
            << "fpr " << wanted.fpr.value_or(0) << ", bits " << wanted.bits_per_key.value_or(0) << ", bytes "
            << wanted.max_bytes.value_or(0) << ": " << (made ? "sized" : describe(made.error()));
    }
}

MEMBRANE_FOR_EVERY_KIND(PlanTime);

}  // namespace
}  // namespace membrane::test
