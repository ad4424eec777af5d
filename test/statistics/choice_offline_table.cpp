// Prints the table of model/choice_offline.hpp, for src/model/choice_offline_table.inc: about ten minutes.
#include <cmath>
#include <cstdint>
#include <iostream>

#include <gtest/gtest.h>

#include <membrane/model/choice_offline.hpp>
#include <membrane/model/two_choice.hpp>

#include "statistics/choice_specs.hpp"

namespace membrane::test {
namespace {

TEST(ChoiceRounds, DISABLED_PrintTheTableOfShares) {
    for (const std::uint64_t how : {search::greedy, search::annealed}) {
        std::cout << "{{\n";
        for (std::uint64_t choices = 2; choices <= 4; ++choices) {
            std::cout << "{{\n";
            for (const std::uint64_t k : model::offline_k) {
                const std::uint64_t keys = std::max<std::uint64_t>(1000, 96000 / k);
                std::cout << "{{";
                for (const double ones : model::offline_ones) {
                    const double per_bit = model::choice_bloom_keys_per_bit(ones, choices, k).value();
                    const auto bits =
                        static_cast<std::uint64_t>(static_cast<double>(keys) / per_bit) / 64 * 64;
                    std::cout << "{{";
                    for (const std::uint64_t rounds : model::offline_rounds) {
                        double together = 0, alone = 0;
                        for (std::uint64_t i = 0; i < (rounds >= 40 ? 1u : 2u); ++i) {
                            const hasher hash{hash_id::fold, {i * 77 + rounds + k * 1000 + choices, 5}};
                            const auto hashes = hashes_of(hash, 0, keys);
                            const auto spec = choice_spec(bits, choices, k, rounds, how);
                            alone += filled(spec, hashes, hash).fill();
                            together += chosen_together(spec, hashes, hash).fill();
                        }
                        std::cout << std::lround(10000 * together / alone) << ",";
                    }
                    std::cout << "}},";
                }
                std::cout << "}},\n";
            }
            std::cout << "}},\n";
        }
        std::cout << "}},\n";
    }
}

}  // namespace
}  // namespace membrane::test
