// Random operations against an exact multiset. RapidCheck makes the sequences; one that fails is shortened here, in a
// bounded number of replays: RapidCheck would shorten thousands of numbers for longer than a test may run.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "contract/mirror.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

// What goes wrong, and after how many words; empty if nothing does.
struct outcome {
    std::string problem;
    std::size_t words = 0;
};

outcome replay(const filter_spec& spec, std::span<const std::uint32_t> words) {
    mirror both(spec);
    for (std::size_t i = 0; i < words.size(); ++i)
        if (auto problem = both.apply(words[i]); !problem.empty()) return {problem, i + 1};
    return {both.check_all(), words.size()};
}

// A shorter sequence that fails too: without all that follows the failure, then without whatever can be left out.
std::vector<std::uint32_t> shortened(const filter_spec& spec, std::vector<std::uint32_t> words) {
    words.resize(replay(spec, words).words);
    int replays = 2000;
    for (std::size_t chunk = words.size() / 2; chunk != 0; chunk /= 2) {
        for (std::size_t at = 0; at + chunk <= words.size() && replays > 0; --replays) {
            std::vector<std::uint32_t> fewer = words;
            const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
            fewer.erase(from, from + static_cast<std::ptrdiff_t>(chunk));
            if (const outcome tried = replay(spec, fewer); tried.problem.empty()) {
                at += chunk;
            } else {
                fewer.resize(tried.words);
                words = std::move(fewer);
            }
        }
    }
    return words;
}

std::string report(const named_spec& chosen, const std::vector<std::uint32_t>& words) {
    const auto few = shortened(chosen.spec, words);
    std::ostringstream text;
    text << chosen.name << ": " << replay(chosen.spec, few).problem
         << "; the words of the sequence:" << std::hex;
    for (const std::uint32_t word : few) text << " 0x" << word;
    return text.str();
}

class Property : public kind_test {
protected:
    // At least `wanted` operations, spread over the specs of the kind, in rounds with seeds 1, 2, ...
    void expect_no_difference(std::uint64_t wanted, std::uint64_t first_seed = 1) const {
        const auto all = specs(150);
        std::uint64_t done = 0;
        for (std::uint64_t seed = first_seed; done < wanted; ++seed) {
            rc::detail::TestParams parameters;
            parameters.seed = seed;
            parameters.disableShrinking = true;
            std::string failure;
            const auto property = [&] {
                const auto& chosen = all[*at_full_size(rc::gen::inRange<std::size_t>(0, all.size()))];
                const auto words =
                    *rc::gen::resize(20000, rc::gen::container<std::vector<std::uint32_t>>(
                                                at_full_size(rc::gen::arbitrary<std::uint32_t>())));
                if (!replay(chosen.spec, words).problem.empty()) failure = report(chosen, words);
                RC_ASSERT(failure.empty());
                done += words.size();
            };
            const auto found = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters);
            ASSERT_TRUE(found.template is<rc::detail::SuccessResult>()) << failure << "\nseed " << seed;
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

// MEMBRANE_COUNT operations instead, and MEMBRANE_SEED for others.
TEST_P(LongProperty, AHundredMillionOperationsAgreeWithAnExactMultiset) {
    const char* const count = std::getenv("MEMBRANE_COUNT");
    const char* const seed = std::getenv("MEMBRANE_SEED");
    expect_no_difference(count == nullptr ? 100'000'000 : std::strtoull(count, nullptr, 10),
                         seed == nullptr ? 1 : 1'000'000 * std::strtoull(seed, nullptr, 10));
}
MEMBRANE_FOR_EVERY_KIND(LongProperty);

}  // namespace
}  // namespace membrane::test
