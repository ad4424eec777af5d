// Random operations against an exact multiset. RapidCheck makes the sequences and, when one fails, shortens it.
#include <cstdint>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "contract/mirror.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class Property : public kind_test {
protected:
    // At least `wanted` operations, spread over the specs of the kind, in rounds with seeds 1, 2, ...
    void expect_no_difference(std::uint64_t wanted) const {
        const auto all = specs(150);
        std::uint64_t done = 0;
        for (std::uint64_t seed = 1; done < wanted; ++seed) {
            rc::detail::TestParams parameters;
            parameters.seed = seed;
            const auto property = [&] {
                const auto& chosen = all[*at_full_size(rc::gen::inRange<std::size_t>(0, all.size()))];
                const auto words =
                    *rc::gen::resize(20000, rc::gen::container<std::vector<std::uint32_t>>(
                                                at_full_size(rc::gen::arbitrary<std::uint32_t>())));
                mirror both(chosen.spec);
                for (const std::uint32_t word : words) {
                    const std::string problem = both.apply(word);
                    if (!problem.empty()) RC_FAIL(chosen.name + ": " + problem);
                }
                const std::string problem = both.check_all();
                if (!problem.empty()) RC_FAIL(chosen.name + ": " + problem);
                done += words.size();
            };
            const auto found = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters);
            if (!found.template is<rc::detail::SuccessResult>()) {
                std::ostringstream text;
                rc::detail::printResultMessage(found, text);
                FAIL() << text.str() << "\nseed " << seed;
            }
        }
        RecordProperty("operations", std::to_string(done));
    }

private:
    // Values from the whole range in every test, not only in the last ones.
    template <class T>
    static rc::Gen<T> at_full_size(rc::Gen<T> values) {
        return rc::gen::resize(rc::kNominalSize, values);
    }
};

TEST_P(Property, AMillionOperationsAgreeWithAnExactMultiset) { expect_no_difference(1'000'000); }
MEMBRANE_FOR_EVERY_KIND(Property);

class LongProperty : public Property {};

TEST_P(LongProperty, AHundredMillionOperationsAgreeWithAnExactMultiset) { expect_no_difference(100'000'000); }
MEMBRANE_FOR_EVERY_KIND(LongProperty);

}  // namespace
}  // namespace membrane::test
