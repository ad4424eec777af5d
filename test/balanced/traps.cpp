// The two traps of the paper, and a third one, put in on purpose: the checker finds each of them, and nothing in a
// filter of the same parts without them.
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/part/bloom_block.hpp>
#include <membrane/part/overflow_list.hpp>
#include <membrane/part/placement/multi_level.hpp>
#include <membrane/part/placement/sequential.hpp>

#include "support/keys.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t trap_k = 2;
constexpr std::uint64_t slots = 4096;

enum class trap { none, stops_at_load_h, budget_without_list, covered_anywhere };

// The parts of the library put together once more, plainly, with a place for each mistake.
template <class Placement, trap Trap>
class trapped_filter {
public:
    trapped_filter(Placement placed, std::uint64_t blocks, std::uint64_t budget)
        : placed_(placed),
          bytes_(blocks * 32),
          list_bytes_(*overflow_list::size_bytes(slots)),
          list_(list_bytes_.data(), slots),
          budget_(budget) {
        for (std::uint64_t j = 0; j < placed_.tries(); ++j) forms_.emplace_back(placed_.accepts(j).h, false);
    }

    void insert(key_hash hash) {
        if (Trap == trap::covered_anywhere ? is_covered(hash) : may_contain(hash)) return;
        if (accesses_ >= budget_) {
            list_.insert(remix(hash, stream::list_word));
            return;
        }
        for (std::uint64_t j = 0; j < placed_.tries(); ++j) {
            ++accesses_;
            auto here = block_at(hash, j);
            if (placed_.accepts(j).takes(here.state().load, hash, j)) return here.put(hash, trap_k);
            here.mark_refusal();
        }
        list_.insert(remix(hash, stream::list_word));
    }

    bool may_contain(key_hash hash) {
        bool is_stopped = false;
        for (std::uint64_t j = 0; j < placed_.tries() && !is_stopped; ++j) {
            auto here = block_at(hash, j);
            if (here.holds(hash, trap_k)) return true;
            const block_state state = here.state();
            const std::uint64_t h = placed_.accepts(j).h;
            is_stopped = Trap == trap::stops_at_load_h ? state.load <= h : state.load < h;
        }
        if (is_stopped && (accesses_ < budget_ || Trap == trap::budget_without_list)) return false;
        return list_.contains(remix(hash, stream::list_word));
    }

private:
    bloom_block<256> block_at(key_hash hash, std::uint64_t j) {
        return {bytes_.data() + placed_.bucket(hash, j) * 32, forms_[j]};
    }
    bool is_covered(key_hash hash) {
        for (std::uint64_t j = 0; j < placed_.tries(); ++j)
            if (block_at(hash, j).holds(hash, trap_k)) return true;
        return list_.contains(remix(hash, stream::list_word));
    }

    Placement placed_;
    std::vector<bloom_block<256>::form> forms_;
    std::vector<std::byte> bytes_, list_bytes_;
    overflow_list list_;
    std::uint64_t budget_;
    std::uint64_t accesses_ = 0;
};

// Keys missed after any of the insertions, over many small filters.
template <class MakeFilter>
std::uint64_t missed(MakeFilter make_filter) {
    std::uint64_t count = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto filter = make_filter();
        const auto keys = hashes_of(numbered_hasher(seed), 0, 600);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            filter.insert(keys[i]);
            if (!filter.may_contain(keys[i])) ++count;
        }
        for (const key_hash& key : keys) count += filter.may_contain(key) ? 0 : 1;
    }
    return count;
}

template <trap Trap>
auto several_levels(std::uint64_t budget) {
    return [=] {
        const acceptance rule{9, std::uint64_t{1} << 31};
        const bucket_table tables[]{{0, 40, rule}, {40, 8, rule}, {48, 2, rule}};
        return trapped_filter<multi_level_placement, Trap>({tables, 3}, 50, budget);
    };
}
template <trap Trap>
auto in_sequence(std::uint64_t budget) {
    return [=] {
        const bucket_table tables[]{{0, 50, {12, std::uint64_t{1} << 31}}};
        return trapped_filter<sequential_placement, Trap>({tables, 3}, 50, budget);
    };
}

TEST(BalancedTraps, AreNotInThePartsThemselves) {
    EXPECT_EQ(missed(several_levels<trap::none>(UINT64_MAX)), 0u);
    EXPECT_EQ(missed(in_sequence<trap::none>(UINT64_MAX)), 0u);
    EXPECT_EQ(missed(in_sequence<trap::none>(500)), 0u);
}

TEST(BalancedTraps, StoppingAtLoadHIsFound) {
    EXPECT_GT(missed(several_levels<trap::stops_at_load_h>(UINT64_MAX)), 100u);
    EXPECT_GT(missed(in_sequence<trap::stops_at_load_h>(UINT64_MAX)), 100u);
}

TEST(BalancedTraps, ABudgetWithoutTheListIsFound) {
    EXPECT_GT(missed(in_sequence<trap::budget_without_list>(500)), 100u);
}

TEST(BalancedTraps, TakingAKeyForPresentWhereItsQueryDoesNotGoIsFound) {
    EXPECT_GT(missed(several_levels<trap::covered_anywhere>(UINT64_MAX)), 0u);
}

}  // namespace
}  // namespace membrane::test
