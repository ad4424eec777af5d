// A growable or erasable balanced_rank filter that many threads use at once (doc/threads.md).
//
// Growth: when an insertion finds no room, the next generation is made, larger, and the insertion's own group of lines moves there. From
// then on each insertion first moves one more group, until none is left. Who finds that a group has moved goes on to the next
// generation. Readers wait for none of this. The old memory goes back to the system once everything has moved; its addresses and
// versions stay until the filter ends, so that a reader who was interrupted in the middle reads zeros, and then from the version that
// the line has moved. So lookups announce nothing and count nothing.
//
// Steps: see part/threads/shared_words.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <membrane/base/exceptions.hpp>
#include <membrane/kind/balanced_rank/concurrent/generation.hpp>
#include <membrane/kind/balanced_rank/growth.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/part/filter_copy.hpp>
#include <membrane/part/threads/striped_count.hpp>

MEMBRANE_TARGET_BEGIN

template <std::uint64_t Form, class Steps = running_freely>
class concurrent_rank {
    static_assert(has_universe(Form));

public:
    static constexpr bool is_multiset = Form == balanced_rank_form::erasable;
    static constexpr bool can_erase = is_multiset, can_count = is_multiset;
    using generation = rank_generation<is_multiset, Steps>;
    using view_type = typename generation::view_type;
    using family = balanced_rank_family;
    static constexpr std::size_t variant = Form;

    static result<std::unique_ptr<concurrent_rank>> create(const filter_spec& spec,
                                                           const growth_policy& policy = {}) {
        return of(generation::create(spec), policy, 0);
    }
    // Takes a payload of this spec that has been checked.
    static result<std::unique_ptr<concurrent_rank>> of(const filter_spec& spec, aligned_buffer payload,
                                                       const growth_policy& policy = {},
                                                       std::uint64_t keys = 0) {
        return of(generation::of(spec, std::move(payload)), policy, keys);
    }
    concurrent_rank(const concurrent_rank&) = delete;
    concurrent_rank& operator=(const concurrent_rank&) = delete;
    ~concurrent_rank() {
        for (generation* each = oldest_; each != nullptr;) delete std::exchange(each, each->next());
    }

    // Of the layout that lookups begin with. Stays as long as the filter.
    const filter_spec& spec() const noexcept { return current()->spec(); }
    // Insertions less erasures.
    std::uint64_t keys() const noexcept { return keys_.sum(); }
    bool is_growing() const noexcept { return current()->next() != nullptr; }
    // A writer is between its first and its last store in the lines of the key's group: lookups of keys in it wait.
    bool is_changing(const key_hash& hash) const noexcept {
        const generation* const now = current();
        return now->is_changing(generation::group_of(now->address_of(hash)));
    }
    // Memory in use.
    std::uint64_t held_bytes() const noexcept {
        std::uint64_t bytes = 0;
        for (const generation* each = current(); each != nullptr; each = each->next())
            bytes += each->held_bytes();
        return bytes;
    }

    // ---- keys

    [[gnu::flatten]] bool may_contain(const key_hash& hash) const noexcept {
        const generation& now = *current();
        return now.seen().with_walk([&](const auto& walk) { return versioned(walk, now).may_contain(hash); });
    }
    [[gnu::noinline, gnu::flatten]] std::size_t may_contain_many(
        std::span<const key_hash> hashes, std::span<std::uint64_t> answers) const noexcept {
        const generation& now = *current();
        return now.seen().with_walk(
            [&](const auto& walk) { return look_up_many(versioned(walk, now), hashes, answers); });
    }
    std::uint64_t estimate(const key_hash& hash) const noexcept requires is_multiset {
        return when_valid(hash,
                          [&](const auto& reading, const rank_address&) { return reading.estimate(hash); });
    }

    // Refused only if memory is: nothing has changed then. A multiset stores the key again.
    insertion insert(const key_hash& hash) noexcept { return insert_key<false, true>(hash); }
    // Of any number of threads that insert an absent key, one is told `inserted`.
    insertion insert_if_absent(const key_hash& hash) noexcept { return insert_key<is_multiset, false>(hash); }
    // How many were stored before the first that was refused.
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        return change_in_turn(
            hashes.size(), [&](std::size_t i) { prefetch_for_change(hashes[i]); },
            [&](std::size_t i) { return insert(hashes[i]) != insertion::refused; });
    }
    bool erase(const key_hash& hash) noexcept requires is_multiset {
        if (!has_erased_.load(std::memory_order_relaxed)) has_erased_.store(true, std::memory_order_relaxed);
        return erase_once(*current(), hash, [&] { keys_.take_one(); });
    }
    std::size_t erase_many(std::span<const key_hash> hashes) noexcept requires is_multiset {
        std::size_t erased = 0;
        change_in_turn(
            hashes.size(), [&](std::size_t i) { prefetch_for_change(hashes[i]); },
            [&](std::size_t i) {
                erased += erase(hashes[i]) ? 1 : 0;
                return true;
            });
        return erased;
    }

    // ---- the whole filter. Writers wait meanwhile, readers do not.

    // The state at one moment: with every key whose insertion had ended before, in the bytes that a filter of one thread has.
    result<filter_copy> copy() {
        return with_all_locked(
            [&](const filter_spec& spec, std::span<const std::byte> payload) -> result<filter_copy> {
                auto bytes = aligned_buffer::copy_of(payload);
                if (!bytes) return bytes.error();
                if (has_erased_.load(std::memory_order_relaxed))
                    view_type(spec, bytes->data()).clear_stale_marks();
                return filter_copy{spec, std::move(*bytes), keys()};
            });
    }
    result<double> estimated_size() {
        return with_all_locked([](const filter_spec& spec, std::span<const std::byte> payload) {
            return result<double>(view_of(spec, payload).estimated_size());
        });
    }
    result<double> estimated_fpr_now() {
        return with_all_locked([](const filter_spec& spec, std::span<const std::byte> payload) {
            return result<double>(view_of(spec, payload).estimated_fpr_now());
        });
    }
    // Room for so many keys in all. Writers go on, and help.
    result<void> reserve(std::uint64_t keys) {
        for (unsigned tries = 0;;) {
            generation& now = *current();
            if (now.next() != nullptr) {
                if (!move_all(now)) return no_memory();
                Steps::wait(tries++);  // the thread that moved the last group changes `current_`
                continue;
            }
            if (keys <= now.spec().planned_keys) return {};
            filter_spec layout = number_layout(Form, now.spec()[balanced_rank_field::universe], keys);
            layout.planned_fpr = now.spec().planned_fpr;
            if (auto started = start_growth(now, layout); !started) return started;
        }
    }

private:
    concurrent_rank(generation* first, const growth_policy& policy, std::uint64_t keys,
                    version_locks<Steps> start_lock)
        : current_(first), oldest_(first), policy_(policy), start_lock_(std::move(start_lock)), keys_(keys) {}
    static result<std::unique_ptr<concurrent_rank>> of(result<std::unique_ptr<generation>> first,
                                                       const growth_policy& policy, std::uint64_t keys) {
        if (!first) return first.error();
        auto start_lock = version_locks<Steps>::create(1);
        if (!start_lock) return start_lock.error();
        std::unique_ptr<concurrent_rank> made(
            new (std::nothrow) concurrent_rank(first->get(), policy, keys, std::move(*start_lock)));
        if (!made) return make_error(errc::out_of_memory, "filter");
        static_cast<void>(first->release());
        return made;
    }
    static error no_memory() { return make_error(errc::out_of_memory, "memory to grow"); }

    generation* current() const noexcept {
        Steps::step();
        return current_.load(std::memory_order_acquire);
    }

    // ---- lookups

    template <class, class, class>
    friend class versioned_walk;
    template <class Walk>
    versioned_walk<Walk, concurrent_rank, generation> versioned(const Walk& walk,
                                                                const generation& now) const noexcept {
        return {walk, *this, now};
    }

    // read(reading, address) of a reading that no writer disturbed.
    template <class Read>
    auto when_valid(const key_hash& hash, const Read& read) const noexcept {
        const generation* now = current();
        for (unsigned tries = 0;;) {
            const auto reading = now->read();
            const auto answer = read(reading, now->address_of(hash));
            const auto state = reading.state();
            if (state == read_state::valid) return answer;
            if (state == read_state::moved) now = now->next();
            else Steps::wait(tries++);
        }
    }
    [[gnu::noinline, gnu::pure]] bool look_on(const key_hash& hash) const noexcept {
        return when_valid(hash,
                          [](const auto& reading, const rank_address& at) { return reading.holds(at); });
    }
    void prefetch_for_change(const key_hash& hash) const noexcept {
        const generation* const now = current();
        now->prefetch_for_change(now->address_of(hash));
    }

    // ---- changes

    // work(generation, change, address) with the key's group locked, in the generation in which the key is. Key: a hash or a number.
    template <class Key, class Work>
    static auto change(generation& first, const Key& key, const Work& work) noexcept {
        for (generation* now = &first;; now = now->next()) {
            const rank_address at = now->address_of(key);
            auto changing = now->change();
            if (changing.lock_first_group(now->group_of(at))) return work(*now, changing, at);
        }
    }
    // Keys are counted while their group is locked, so that whoever has locked all groups knows how many they hold.
    template <bool LooksFirst, bool CountsPresent>
    insertion insert_key(const key_hash& hash) noexcept {
        for (;;) {
            generation& now = *current();
            if (now.next() != nullptr) help(now);
            generation* place = nullptr;
            std::uint64_t group = 0;
            const insertion done =
                change(now, hash, [&](generation& in, auto& changing, const rank_address& at) {
                    place = &in;
                    group = in.group_of(at);
                    if constexpr (LooksFirst)
                        if (changing.holds(at)) return insertion::present;
                    const insertion outcome = changing.insert(at);
                    if (outcome == insertion::inserted) changing.commit();
                    if (outcome == insertion::inserted || (CountsPresent && outcome == insertion::present))
                        keys_.add_one();
                    return outcome;
                });
            if (done != insertion::refused || !make_room(*place, group)) return done;
        }
    }
    // count(): while the group is locked.
    template <class Key, class Count>
    static bool erase_once(generation& from, const Key& key, const Count& count) noexcept {
        return change(from, key, [&](generation&, auto& changing, const rank_address& at) {
            if (!changing.erase(at)) return false;
            changing.commit();
            count();
            return true;
        });
    }

    // ---- growth

    result<void> start_growth(generation& full, const filter_spec& layout) noexcept {
        MEMBRANE_TRY {
            if (layout[balanced_rank_field::lines] == 0)
                return make_error(errc::size_overflow, "layout")
                    .with_note("no layout has room for so many numbers");
            const auto needed = view_type::payload_bytes(layout);
            if (!needed) return make_error(errc::size_overflow, "payload of this spec");
            if (*needed > policy_.max_bytes)
                return make_error(errc::too_large, "filter bytes")
                    .with_found(*needed)
                    .with_range(0, policy_.max_bytes);
            start_lock_.lock(0);
            if (full.next() != nullptr) {
                start_lock_.unlock(0);
                return {};
            }
            auto larger = generation::create(layout);
            if (larger) full.set_next(larger->release());
            start_lock_.unlock(0);
            if (!larger) return larger.error();
            return {};
        }
        MEMBRANE_CATCH(const std::bad_alloc&) { return no_memory(); }
    }
    bool start_growth(generation& full) noexcept {
        MEMBRANE_TRY {
            const double factor = std::clamp(policy_.factor, least_growth_factor, most_growth_factor);
            // A few keys of a large universe have a layout for many more: then the next one would be as small.
            filter_spec layout = full.spec();
            do layout = rank_growth<view_type>::larger(layout, factor);
            while (layout[balanced_rank_field::lines] != 0 &&
                   layout[balanced_rank_field::lines] <= full.spec()[balanced_rank_field::lines]);
            return start_growth(full, layout).has_value();
        }
        MEMBRANE_CATCH(const std::bad_alloc&) { return false; }
    }
    // After a refusal in this group. False if memory is refused.
    bool make_room(generation& full, std::uint64_t group) noexcept {
        if (full.is_paused()) return false;
        if ((full.next() != nullptr || start_growth(full)) && move_group(full, group)) return true;
        full.pause_moving();
        return false;
    }
    // Moves one group, if one is found soon.
    void help(generation& from) noexcept {
        if (from.is_paused()) return;
        for (unsigned tries = 0; tries < 8; ++tries) {
            const std::uint64_t group = from.next_group();
            if (from.is_moved(group)) continue;
            if (!move_group(from, group)) from.pause_moving();
            return;
        }
    }
    bool move_all(generation& from) noexcept {
        for (std::uint64_t group = 0; group < from.groups(); ++group)
            if (!move_group(from, group)) return false;
        return true;
    }
    // False if memory is refused: the group is then where it was.
    bool move_group(generation& from, std::uint64_t group) noexcept {
        MEMBRANE_TRY {
            auto changing = from.change();
            if (!changing.lock_first_group(group)) return true;
            std::vector<counted_number> numbers;
            from.read_group(changing, group, numbers);
            changing.let_go();
            generation& to = *from.next();
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                if (insert_number(to, numbers[i])) continue;
                while (i-- != 0) erase_number(to, numbers[i].number);
                return false;
            }
            changing.unlock_as_moved();
        }
        MEMBRANE_CATCH(const std::bad_alloc&) { return false; }
        if (from.count_moved()) leave_moved();
        return true;
    }
    bool insert_number(generation& to, const counted_number& added) noexcept {
        for (;;) {
            generation* place = nullptr;
            std::uint64_t group = 0;
            const bool is_stored =
                change(to, added.number, [&](generation& in, auto& changing, const rank_address& at) {
                    place = &in;
                    group = in.group_of(at);
                    const bool fits = changing.insert_times(at, added.times);
                    changing.commit();
                    return fits;
                });
            if (is_stored) return true;
            erase_number(to, added.number);
            if (!make_room(*place, group)) return false;
        }
    }
    // All of it: nobody but the thread that moves it has stored it there.
    void erase_number(generation& to, std::uint64_t number) noexcept {
        has_erased_.store(true, std::memory_order_relaxed);
        while (erase_once(to, number, [] {})) {
        }
    }
    // Lookups begin with the oldest generation that has not moved whole.
    void leave_moved() noexcept {
        for (generation* now = current(); now->has_moved(); now = current()) {
            generation* const next = now->next();
            Steps::step();
            if (current_.compare_exchange_strong(now, next)) now->return_memory();
        }
    }

    static view_type view_of(const filter_spec& spec, std::span<const std::byte> payload) noexcept {
        return view_type(spec, const_cast<std::byte*>(payload.data()));
    }
    // use(spec, payload) of the state at one moment, with all locked. Nearly always one generation holds everything. If a growth cannot end
    // for want of memory, the numbers of all generations are written into one payload.
    template <class Use>
    auto with_all_locked(const Use& use) noexcept
        -> decltype(use(std::declval<filter_spec>(), std::span<const std::byte>())) {
        for (unsigned tries = 0;; Steps::wait(tries++)) {
            generation& now = *current();
            const bool is_moved = now.next() == nullptr || move_all(now);
            if (is_moved && now.next() != nullptr) continue;  // until `current_` has changed
            // From the oldest to the newest, as insertions and growth lock them.
            generation* end = nullptr;
            for (generation* each = &now; each != nullptr; each = each->next()) {
                each->lock_all();
                end = each;
            }
            const auto unlock = [&] {
                for (generation* each = &now;; each = each->next()) {
                    each->unlock_all();
                    if (each == end) return;
                }
            };
            if (is_moved && end != &now) {
                unlock();
                continue;
            }
            auto outcome = end == &now ? use(now.spec(), now.payload()) : with_joined(now, use);
            unlock();
            return outcome;
        }
    }
    template <class Use>
    auto with_joined(generation& oldest, const Use& use) noexcept
        -> decltype(use(std::declval<filter_spec>(), std::span<const std::byte>())) {
        MEMBRANE_TRY {
            std::vector<counted_number> numbers;
            filter_spec layout = oldest.spec();
            for (generation* each = &oldest; each != nullptr; each = each->next()) {
                layout = each->spec();
                auto next = each->numbers_left();
                while (const auto number = next()) numbers.push_back(*number);
            }
            std::sort(numbers.begin(), numbers.end(),
                      [](const counted_number& a, const counted_number& b) { return a.number < b.number; });
            const auto joined = rank_growth<view_type>::from_numbers(layout, {}, [&] {
                return [&, at = std::size_t{0}]() mutable {
                    return at == numbers.size() ? std::nullopt : std::optional(numbers[at++]);
                };
            });
            if (!joined) return joined.error();
            return use(joined->spec(), joined->buffer().bytes());
        }
        MEMBRANE_CATCH(const std::bad_alloc&) { return no_memory(); }
    }

    std::atomic<generation*> current_;
    generation* const oldest_;  // each has the next one
    const growth_policy policy_;
    version_locks<Steps> start_lock_;
    std::atomic<bool> has_erased_{false};
    striped_count keys_;
};

MEMBRANE_TARGET_END
