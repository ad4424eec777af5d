// One thread is interrupted at every one of its atomic steps, and others run meanwhile: an insertion that grows the filter, an erasure
// that pulls entries back, a lookup.
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/concurrent_blocks.hpp>
#include <membrane/kind/blocked_bloom/sizing.hpp>

#include "concurrent/small.hpp"
#include "concurrent/stepping.hpp"

namespace membrane::test {
namespace {

std::vector<key_hash> first_hashes(std::uint64_t count) {
    std::vector<key_hash> hashes;
    for (std::uint64_t key = 0; key < count; ++key) hashes.push_back(small_hash(key));
    return hashes;
}

// A filter that the next insertion grows.
template <std::uint64_t Form>
class growing_soon {
public:
    using filter_type = concurrent_rank<Form, stepping>;

    growing_soon() : spec(small_spec(Form)), members(first_hashes(keys_before_growth<filter_type>(spec))) {
        renew();
    }

    void renew() {
        filter = std::move(*filter_type::create(spec));
        for (const key_hash& hash : members) static_cast<void>(filter->insert(hash));
    }
    std::uint64_t missing() const {
        std::uint64_t count = 0;
        for (const key_hash& hash : members) count += filter->may_contain(hash) ? 0 : 1;
        return count;
    }
    // Enough insertions that the growth that the first begins is over.
    std::vector<key_hash> added() const {
        std::vector<key_hash> hashes;
        for (std::uint64_t key = 0; key < spec[balanced_rank_field::lines] + 2; ++key)
            hashes.push_back(small_hash(5000 + key));
        return hashes;
    }
    void grow() const {
        for (const key_hash& hash : added()) static_cast<void>(filter->insert(hash));
    }
    std::vector<key_hash> members_and(const std::vector<key_hash>& more) const {
        std::vector<key_hash> all = members;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    const filter_spec spec;
    const std::vector<key_hash> members;
    std::unique_ptr<filter_type> filter;
};

std::uint64_t steps_of(const std::function<void()>& body) {
    step_schedule alone({});
    alone.run({body});
    return alone.steps();
}

// Quick tests look at a few hundred of the steps, spread evenly; long ones at each.
constexpr std::uint64_t few = 300, all = UINT64_MAX;
std::uint64_t stride_of(std::uint64_t steps, std::uint64_t most) { return 1 + steps / most; }

template <std::uint64_t Form>
void readers_during_growth(std::uint64_t most) {
    growing_soon<Form> at;
    const std::uint64_t steps = steps_of([&] { at.grow(); });
    ASSERT_NE(at.filter->spec().planned_keys, at.spec.planned_keys);
    ASSERT_GT(steps, 500u);
    for (std::uint64_t step = 0; step < steps; step += stride_of(steps, most)) {
        at.renew();
        std::uint64_t missing = 0, found = 0;
        step_schedule({{step, 1}})
            .run({[&] { at.grow(); },
                  [&] {
                      missing = at.missing();
                      for (std::uint64_t key = 9000; key < 9050; ++key)
                          found += at.filter->may_contain(small_hash(key)) ? 1 : 0;
                  }});
        ASSERT_EQ(missing, 0u) << "step " << step;
        ASSERT_EQ(found, 0u) << "step " << step;
        ASSERT_TRUE(holds_exactly<Form>(*at.filter, at.members_and(at.added()))) << "step " << step;
    }
}
TEST(Moments, ReadersFindEveryKeyDuringAGrowth) {
    readers_during_growth<balanced_rank_form::growable>(few);
    readers_during_growth<balanced_rank_form::erasable>(few);
}
TEST(LongMoments, ReadersFindEveryKeyAtEveryMomentOfAGrowth) {
    readers_during_growth<balanced_rank_form::growable>(all);
    readers_during_growth<balanced_rank_form::erasable>(all);
}

// Both threads insert the same new keys, one of them interrupted at every step: each key is new to one of them.
template <std::uint64_t Form>
void writers_during_growth(std::uint64_t most) {
    growing_soon<Form> at;
    const auto insert = [&](std::uint64_t& news) {
        for (const key_hash& hash : at.added())
            news += at.filter->insert_if_absent(hash) == insertion::inserted ? 1 : 0;
    };
    std::uint64_t alone = 0;
    const std::uint64_t steps = steps_of([&] { insert(alone); });
    ASSERT_EQ(alone, at.added().size());
    for (std::uint64_t step = 0; step < steps; step += stride_of(steps, most)) {
        at.renew();
        std::uint64_t news[2] = {0, 0};
        step_schedule({{step, 1}}).run({[&] { insert(news[0]); }, [&] { insert(news[1]); }});
        ASSERT_EQ(news[0] + news[1], at.added().size()) << "step " << step;
        ASSERT_TRUE(holds_exactly<Form>(*at.filter, at.members_and(at.added()))) << "step " << step;
    }
}
TEST(Moments, TwoWritersShareTheNewKeysDuringAGrowth) {
    writers_during_growth<balanced_rank_form::growable>(few);
    writers_during_growth<balanced_rank_form::erasable>(few);
}
TEST(LongMoments, TwoWritersShareTheNewKeysAtEveryMomentOfAGrowth) {
    writers_during_growth<balanced_rank_form::growable>(all);
    writers_during_growth<balanced_rank_form::erasable>(all);
}

// A lookup of a member is interrupted at every step, and meanwhile the filter grows whole, or the entries around it are erased.
void interrupted_lookups(std::size_t every) {
    growing_soon<balanced_rank_form::erasable> at;
    for (std::size_t key = 0; key < at.members.size(); key += every) {
        at.renew();
        const std::uint64_t steps =
            steps_of([&] { static_cast<void>(at.filter->may_contain(at.members[key])); });
        for (std::uint64_t step = 0; step <= steps; ++step)
            for (const bool grows : {true, false}) {
                at.renew();
                bool is_found = false;
                const auto disturb = [&] {
                    if (grows) return at.grow();
                    for (std::size_t other = 0; other < at.members.size(); ++other)
                        if (other != key) static_cast<void>(at.filter->erase(at.members[other]));
                };
                step_schedule({{step, 1}})
                    .run({[&] { is_found = at.filter->may_contain(at.members[key]); }, disturb});
                ASSERT_TRUE(is_found) << "key " << key << ", step " << step;
            }
    }
}

TEST(Moments, ALookupIsInterrupted) { interrupted_lookups(11); }
TEST(LongMoments, EveryLookupIsInterruptedAtEveryStep) { interrupted_lookups(1); }

// The state that save() takes is whole at every moment: what had ended before is in it, and its bytes are those of its keys.
void copies_during_growth(std::uint64_t most) {
    growing_soon<balanced_rank_form::growable> at;
    const std::uint64_t steps = steps_of([&] { at.grow(); });
    for (std::uint64_t step = 0; step < steps; step += stride_of(steps, most)) {
        at.renew();
        std::size_t ended_before = 0, ended = 0;
        result<filter_copy> copy = make_error(errc::full, "");
        step_schedule({{step, 1}})
            .run({[&] {
                      for (const key_hash& hash : at.added()) {
                          static_cast<void>(at.filter->insert(hash));
                          ++ended;
                      }
                  },
                  [&] {
                      ended_before = ended;
                      copy = at.filter->copy();
                  }});
        ASSERT_TRUE(copy) << "step " << step;
        bool is_explained = false;
        // The call under way may be in it or not; while the copy waited for that writer, further ones may have ended.
        for (std::size_t count = ended_before; count <= at.added().size() && !is_explained; ++count) {
            auto hashes = at.added();
            hashes.resize(count);
            const auto expected =
                bytes_of_one_thread<balanced_rank_form::growable>(copy->spec, at.members_and(hashes));
            is_explained = expected.size() == copy->payload.size_bytes() &&
                           std::memcmp(expected.data(), copy->payload.data(), expected.size()) == 0;
        }
        ASSERT_TRUE(is_explained) << "step " << step;
    }
}

TEST(Moments, ACopyIsTakenDuringAGrowth) { copies_during_growth(few); }
TEST(LongMoments, ACopyIsTakenAtEveryMomentOfAGrowth) { copies_during_growth(all); }

// A writer stops for good in the middle of a change. Whoever asks for keys of other lines is answered; who asks for the lines that it is
// changing waits, and only from the first of its stores to the last.
TEST(Moments, AStoppedWriterHoldsUpOnlyItsOwnLines) {
    using filter_type = concurrent_rank<balanced_rank_form::erasable, stepping>;
    const filter_spec spec = small_spec(balanced_rank_form::erasable, 400);  // many lines
    const auto members = first_hashes(300);
    const auto filled = [&] {
        auto filter = *filter_type::create(spec);
        for (const key_hash& hash : members) static_cast<void>(filter->insert(hash));
        return filter;
    };
    const key_hash changed = small_hash(7000);
    const auto change = [&](filter_type& filter) {
        static_cast<void>(filter.insert(changed));
        static_cast<void>(filter.erase(changed));
    };
    auto filter = filled();
    const std::uint64_t steps = steps_of([&] { change(*filter); });
    const number_digits digits(spec);
    const std::uint64_t changed_line = digits.of(changed).line;
    std::uint64_t held_up = 0, own = 0, others = 0;
    for (std::uint64_t step = 0; step < steps; ++step)
        for (std::size_t key = 0; key < members.size(); key += 7) {
            const bool is_other = digits.of(members[key]).line != changed_line;
            filter = filled();
            bool is_found = false, is_changing = false;
            step_schedule schedule({{step, 1}}, true);
            schedule.run({[&] { change(*filter); },
                          [&] {
                              is_changing = filter->is_changing(members[key]);
                              is_found = filter->may_contain(members[key]);
                          }});
            ASSERT_TRUE(is_found);
            ASSERT_EQ(schedule.is_stuck(), is_changing) << "step " << step << ", key " << key;
            if (is_other) {
                ++others;
                ASSERT_FALSE(is_changing) << "step " << step << ", key " << key;
            } else {
                ++own;
                held_up += is_changing ? 1 : 0;
            }
        }
    EXPECT_GT(others, 1000u);
    // Each of the two changes stores the eight words of a line; the steps before, looking and locking, hold nobody up.
    EXPECT_GE(held_up * steps, own * 16);
    EXPECT_LT(held_up, own * 2 / 3);
}

// Lookups of a Bloom filter wait for nobody, and insertions without locks do not either.
TEST(Moments, BlocksNeverWait) {
    using view = blocked_bloom_view<512, 64>;
    const filter_spec spec = *blocked_bloom_spec_for(50, 0.01);
    const auto stuck_at = [&]<class Filter>(std::unique_ptr<Filter> (*make)(const filter_spec&), auto other) {
        const auto hash = small_hash(1);
        auto filter = make(spec);
        const std::uint64_t steps = steps_of([&] { static_cast<void>(filter->insert(hash)); });
        std::uint64_t stuck = 0;
        for (std::uint64_t step = 0; step < steps; ++step) {
            filter = make(spec);
            step_schedule schedule({{step, 1}}, true);
            schedule.run({[&] { static_cast<void>(filter->insert(hash)); }, [&] { other(*filter); }});
            stuck += schedule.is_stuck() ? 1 : 0;
            EXPECT_TRUE(filter->may_contain(hash));
        }
        return stuck;
    };
    using exact = concurrent_blocks<view, block_insertions::exact, stepping>;
    using lock_free = concurrent_blocks<view, block_insertions::lock_free, stepping>;
    const auto look = [](auto& filter) { static_cast<void>(filter.may_contain(small_hash(1))); };
    const auto insert = [](auto& filter) { static_cast<void>(filter.insert(small_hash(1))); };
    const auto make_exact = +[](const filter_spec& of) { return std::move(*exact::create(of)); };
    const auto make_free = +[](const filter_spec& of) { return std::move(*lock_free::create(of)); };
    EXPECT_EQ(stuck_at(make_exact, look), 0u);
    EXPECT_EQ(stuck_at(make_free, look), 0u);
    EXPECT_EQ(stuck_at(make_free, insert), 0u);
    EXPECT_GT(stuck_at(make_exact, insert), 0u);
}

}  // namespace
}  // namespace membrane::test
