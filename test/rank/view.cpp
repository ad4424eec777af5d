// balanced_rank beside an exact multiset of hashes, in shapes so small that every line overflows.
#include <membrane/kind/balanced_rank/view.hpp>

#include <map>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "rank/owned.hpp"

namespace membrane::test {
namespace {

struct small_case {
    std::uint64_t lines, chains, cells, bits, served, second_chains, second_cells, second_bits, slots;
};

constexpr small_case small_cases[]{
    {1, 1, 1, 1, 1, 1, 1, 3, 2},        {3, 4, 2, 3, 7, 3, 2, 6, 8},
    {16, 8, 4, 5, 32, 6, 3, 9, 300},    {40, 52, 51, 8, 520, 43, 36, 12, 64},
    {7, 20, 6, 8, 53, 16, 8, 11, 12},   {64, 63, 3, 12, 448, 63, 5, 15, 512},
    {5, 63, 64, 5, 320, 40, 50, 8, 50}, {100, 49, 33, 13, 392, 30, 25, 18, 100},
};

filter_spec spec_of(const small_case& shape, std::uint64_t form) {
    filter_spec spec = initial_spec(kind_id::balanced_rank, balanced_rank_fields);
    spec.fields = {form,         shape.lines,         shape.chains,       shape.cells,       shape.bits,
                   shape.served, shape.second_chains, shape.second_cells, shape.second_bits, shape.slots};
    if (has_universe(form)) spec[balanced_rank_field::universe] = universe_filling(spec);
    return spec;
}

TEST(BalancedRank, ErasableIsAMultiset) {
    for (const small_case& shape : small_cases) {
        const filter_spec spec = spec_of(shape, balanced_rank_form::erasable);
        ASSERT_TRUE(check_balanced_rank_spec(spec)) << describe(check_balanced_rank_spec(spec).error());
        SCOPED_TRACE(testing::Message() << shape.lines << " lines of " << shape.cells << " cells");
        owned<erasable_rank_view> filter(spec);
        std::map<std::uint64_t, std::uint64_t> truth;
        std::vector<std::uint64_t> present;
        std::mt19937_64 random(shape.lines);
        // Half as many again as the shape has places for.
        const std::uint64_t room =
            (shape.lines * shape.cells + second_lines(spec) * shape.second_cells + shape.slots) * 3 / 2 + 20;
        std::uint64_t refused = 0;
        for (unsigned step = 0; step < 40'000; ++step) {
            const bool grow =
                present.size() < 4 || (present.size() < room && random() % 100 < (step / 3000 % 2 ? 45 : 75));
            if (grow) {
                const std::uint64_t key = random() % (room * 4);
                const auto before = step % 50 == 0 ? filter.bytes() : std::vector<std::byte>();
                if (filter.view.insert(hash_of(key))) {
                    ++truth[key];
                    present.push_back(key);
                } else {
                    ++refused;
                    if (!before.empty()) {
                        ASSERT_EQ(before, filter.bytes());
                    }
                }
            } else {
                const std::size_t at = random() % present.size();
                const std::uint64_t key = present[at];
                ASSERT_TRUE(filter.view.erase(hash_of(key))) << "step " << step;
                present[at] = present.back();
                present.pop_back();
                if (--truth[key] == 0) truth.erase(key);
            }
            ASSERT_EQ(filter.view.estimated_size(), static_cast<double>(present.size()));
            if (step % 101 != 0) continue;
            for (const auto& [key, times] : truth) {
                ASSERT_TRUE(filter.view.may_contain(hash_of(key))) << "step " << step;
                ASSERT_GE(filter.view.estimate(hash_of(key)), times) << "step " << step;
            }
            const auto checked = filter.view.check_payload();
            ASSERT_TRUE(checked) << describe(checked.error()) << " at step " << step;
        }
        // A fresh filter with the same keys has the same entries; taking all out leaves nothing.
        owned<erasable_rank_view> fresh(spec);
        for (const std::uint64_t key : present) ASSERT_TRUE(fresh.view.insert(hash_of(key)));
        ASSERT_EQ(fresh.view.estimated_size(), filter.view.estimated_size());
        for (const std::uint64_t key : present) ASSERT_TRUE(filter.view.erase(hash_of(key)));
        ASSERT_EQ(filter.bytes(), owned<erasable_rank_view>(spec).bytes());
        // Two entries, of any number of keys, are all that the smallest shape can tell apart: they always fit.
        ASSERT_EQ(refused == 0, shape.lines == 1) << refused;
    }
}

// As many keys as the shape takes. Since the contents do not depend on the order, neither does whether they fit.
template <class View>
void expect_the_same_in_any_order(const filter_spec& spec) {
    const std::uint64_t cells = spec[balanced_rank_field::lines] * spec[balanced_rank_field::cells];
    std::vector<std::uint64_t> keys;
    owned<View> first(spec);
    while (keys.size() < cells * 11 / 10 && first.view.insert(hash_of(keys.size())))
        keys.push_back(keys.size());
    ASSERT_GE(2 * keys.size(), cells);
    std::mt19937_64 random(7);
    for (int order = 0; order < 5; ++order) {
        std::shuffle(keys.begin(), keys.end(), random);
        owned<View> filter(spec);
        for (const std::uint64_t key : keys) ASSERT_TRUE(filter.view.insert(hash_of(key)));
        for (const std::uint64_t key : keys) ASSERT_TRUE(filter.view.may_contain(hash_of(key)));
        ASSERT_TRUE(filter.view.check_payload());
        ASSERT_EQ(filter.bytes(), first.bytes());
    }
}

TEST(BalancedRank, ContentsDoNotDependOnTheOrder) {
    for (const small_case& shape : small_cases) {
        SCOPED_TRACE(testing::Message() << shape.lines << " lines of " << shape.cells << " cells");
        expect_the_same_in_any_order<fixed_rank_view>(spec_of(shape, balanced_rank_form::fixed));
        expect_the_same_in_any_order<growable_rank_view>(spec_of(shape, balanced_rank_form::growable));
        expect_the_same_in_any_order<erasable_rank_view>(spec_of(shape, balanced_rank_form::erasable));
    }
}

TEST(BalancedRank, EveryEntryIsVisited) {
    for (const small_case& shape : small_cases) {
        const filter_spec spec = spec_of(shape, balanced_rank_form::erasable);
        owned<erasable_rank_view> filter(spec);
        const carried_address address(spec);
        using entry = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
        std::map<entry, std::uint64_t> expected, visited;
        for (std::uint64_t key = 0; key < shape.lines * shape.cells * 6 / 5; ++key) {
            const key_hash hash = hash_of(key / 2);
            if (!filter.view.insert(hash)) continue;
            const rank_address at = number_digits(spec).of(hash);
            ++expected[{at.line, at.entry.chain, at.entry.fingerprint}];
        }
        filter.view.for_each_entry([&](rank_place place, const rank_address& at, std::uint64_t times) {
            const auto origin = place == rank_place::first ? at : address.origin(at).value();
            visited[{origin.line, origin.entry.chain, origin.entry.fingerprint}] += times;
        });
        ASSERT_EQ(visited, expected) << shape.lines << " lines";
    }
}

TEST(BalancedRank, CarriedAddressesComeBack) {
    for (const small_case& shape : small_cases) {
        const filter_spec spec = spec_of(shape, balanced_rank_form::erasable);
        const carried_address address(spec);
        std::map<std::pair<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>, int> met;
        for (std::uint64_t line = 0; line < shape.lines; ++line)
            for (std::uint64_t chain = 0; chain < shape.chains; ++chain) {
                const rank_address second = address.second({line, {chain, 1}});
                ASSERT_LT(second.line, second_lines(spec));
                ASSERT_LT(second.entry.chain, shape.second_chains);
                ASSERT_EQ(second.entry.fingerprint >> shape.second_bits, 0u);
                const std::pair key{second.line, std::pair{second.entry.chain, second.entry.fingerprint}};
                ASSERT_EQ(++met[key], 1);
                const auto origin = address.origin(second);
                ASSERT_TRUE(origin && origin->line == line && origin->entry == (line_entry{chain, 1}));
                // And step by step.
                if (chain == 0) continue;
                const auto at = address.next(address.chain_of_line(line, chain - 1));
                ASSERT_EQ(at.chain, chain);
                ASSERT_EQ(address.second_line(at), second.line);
                ASSERT_EQ(address.second(at, 1).entry, second.entry);
            }
    }
}

}  // namespace
}  // namespace membrane::test
