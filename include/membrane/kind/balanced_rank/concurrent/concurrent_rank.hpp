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
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <membrane/base/exceptions.hpp>
#include <membrane/kind/balanced_rank/concurrent/generation.hpp>
#include <membrane/kind/balanced_rank/growth.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/part/filter_copy.hpp>

MEMBRANE_TARGET_BEGIN

template <std::uint64_t Form, class Steps = running_freely>
class concurrent_rank {
    static_assert(has_universe(Form));

public:
    static constexpr bool is_multiset = Form == rank_form::erasable;
    static constexpr bool can_erase = is_multiset, can_count = is_multiset;
    using generation = rank_generation<is_multiset, Steps>;
    using view_type = typename generation::view_type;
    using family = balanced_rank_family;
    static constexpr std::size_t variant = Form;

    static result<std::unique_ptr<concurrent_rank>> create(const filter_spec& spec,
                                                           const growth_policy& policy = {}) {
        return of(generation::create(spec), policy);
    }
    // Takes a payload of this spec that has been checked.
    static result<std::unique_ptr<concurrent_rank>> of(const filter_spec& spec, aligned_buffer payload,
                                                       const growth_policy& policy = {}) {
        return of(generation::of(spec, std::move(payload)), policy);
    }
    concurrent_rank(const concurrent_rank&) = delete;
    concurrent_rank& operator=(const concurrent_rank&) = delete;
    ~concurrent_rank() {
        for (generation* each = oldest_; each != nullptr;) delete std::exchange(each, each->next());
    }

    // Of the layout that lookups begin with. Stays as long as the filter.
    const filter_spec& spec() const noexcept { return current()->spec(); }
    bool is_growing() const noexcept { return current()->next() != nullptr; }
    // Memory in use.
    std::uint64_t held_bytes() const noexcept {
        std::uint64_t bytes = 0;
        for (const generation* each = current(); each != nullptr; each = each->next())
            bytes += each->held_bytes();
        return bytes;
    }

    // ---- keys

    bool may_contain(const key_hash& hash) const noexcept {
        const generation* const now = current();
        const rank_address at = now->address_of(hash);
        return now->with_class([&]<layout_class Class>(class_constant<Class>) {
            std::uint64_t version;
            look_result found = now->template look<Class>(at, version);
            if (found.is_there == 0 && found.goes_on != 0)
                found = now->template look_second<Class>(at, version);
            return found.is_there != 0 || (found.goes_on != 0 && look_on(hash));
        });
    }
    [[gnu::noinline]] std::size_t may_contain_many(std::span<const key_hash> hashes,
                                                   std::span<std::uint64_t> answers) const noexcept {
        const generation* const now = current();
        return now->with_class([&]<layout_class Class>(class_constant<Class>) {
            return look_up_many(walk<Class>{*this, *now}, hashes, answers);
        });
    }
    std::uint64_t estimate(const key_hash& hash) const noexcept requires is_multiset {
        return when_valid(hash,
                          [&](const auto& reading, const rank_address&) { return reading.estimate(hash); });
    }

    // Refused only if memory is: nothing has changed then. A multiset stores the key again.
    insertion insert(const key_hash& hash) noexcept { return insert_key<false>(hash); }
    // Of any number of threads that insert an absent key, one is told `inserted`.
    insertion insert_if_absent(const key_hash& hash) noexcept { return insert_key<is_multiset>(hash); }
    // How many were stored before the first that was refused.
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        return change_in_turn(
            hashes.size(), [&](std::size_t i) { prefetch_for_change(hashes[i]); },
            [&](std::size_t i) { return insert(hashes[i]) != insertion::refused; });
    }
    bool erase(const key_hash& hash) noexcept requires is_multiset {
        if (!has_erased_.load(std::memory_order_relaxed)) has_erased_.store(true, std::memory_order_relaxed);
        return erase_once(*current(), hash);
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
        return with_all_locked([&](generation& now) -> result<filter_copy> {
            auto bytes = aligned_buffer::copy_of(now.payload());
            if (!bytes) return bytes.error();
            if (has_erased_.load(std::memory_order_relaxed))
                view_type(now.spec(), bytes->data()).clear_stale_marks();
            return filter_copy{now.spec(), std::move(*bytes)};
        });
    }
    result<double> estimated_size() {
        return with_all_locked([](generation& now) -> result<double> { return now.view().estimated_size(); });
    }
    result<double> estimated_fpr_now() {
        return with_all_locked(
            [](generation& now) -> result<double> { return now.view().estimated_fpr_now(); });
    }
    // Room for so many keys in all. Writers go on, and help.
    result<void> reserve(std::uint64_t keys) {
        for (;;) {
            generation& now = *current();
            if (now.next() != nullptr) {
                if (!move_all(now)) return no_memory();
                continue;
            }
            if (keys <= now.spec().planned_keys) return {};
            filter_spec layout = number_layout(Form, now.spec()[rank_field::universe], keys);
            layout.planned_fpr = now.spec().planned_fpr;
            if (auto started = start_growth(now, layout); !started) return started;
        }
    }

private:
    template <layout_class Class>
    using class_constant =
        typename rank_shape<number_digits, carried_address>::template class_constant<Class>;

    explicit concurrent_rank(generation* first, const growth_policy& policy, version_locks<Steps> start_lock)
        : current_(first), oldest_(first), policy_(policy), start_lock_(std::move(start_lock)) {}
    static result<std::unique_ptr<concurrent_rank>> of(result<std::unique_ptr<generation>> first,
                                                       const growth_policy& policy) {
        if (!first) return first.error();
        auto start_lock = version_locks<Steps>::create(1);
        if (!start_lock) return start_lock.error();
        std::unique_ptr<concurrent_rank> made(
            new (std::nothrow) concurrent_rank(first->get(), policy, std::move(*start_lock)));
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

    template <layout_class Class>
    struct walk {
        struct place {
            rank_address at;
            mutable std::uint64_t version;  // with which the first line was seen
        };
        static constexpr unsigned rounds = 2;
        static constexpr bool has_quick_look = false;
        static constexpr std::size_t group = 1;

        void start(place& to, const key_hash& hash) const noexcept {
            to.at = now.address_of(hash);
            now.prefetch(to.at);
        }
        [[gnu::always_inline]] look_result look(const place& from, const key_hash&) const noexcept {
            return now.template look<Class>(from.at, from.version);
        }
        template <unsigned Round>
        bool next(const place& from, const key_hash&) const noexcept {
            now.prefetch_second(from.at);
            return true;
        }
        template <unsigned Round>
        look_result look_again(const place& from, const key_hash& hash) const noexcept {
            const look_result found = now.template look_second<Class>(from.at, from.version);
            if (found.is_there != 0 || found.goes_on == 0) return {found.is_there, 0};
            return {filter.look_on(hash) ? 1u : 0u, 0};
        }

        const concurrent_rank& filter;
        const generation& now;
    };

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
    [[gnu::noinline]] bool look_on(const key_hash& hash) const noexcept {
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
    template <bool LooksFirst>
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
                    return outcome;
                });
            if (done != insertion::refused || !make_room(*place, group)) return done;
        }
    }
    template <class Key>
    static bool erase_once(generation& from, const Key& key) noexcept {
        return change(from, key, [](generation&, auto& changing, const rank_address& at) {
            const bool erased = changing.erase(at);
            if (erased) changing.commit();
            return erased;
        });
    }

    // ---- growth

    result<void> start_growth(generation& full, const filter_spec& layout) noexcept {
        MEMBRANE_TRY {
            if (layout[rank_field::lines] == 0)
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
            while (layout[rank_field::lines] != 0 &&
                   layout[rank_field::lines] <= full.spec()[rank_field::lines]);
            return start_growth(full, layout).has_value();
        }
        MEMBRANE_CATCH(const std::bad_alloc&) { return false; }
    }
    // After a refusal in this group. False if memory is refused.
    bool make_room(generation& full, std::uint64_t group) noexcept {
        if (full.next() == nullptr && !start_growth(full)) return false;
        return move_group(full, group);
    }
    // Moves one group, if one is found soon.
    void help(generation& from) noexcept {
        for (unsigned tries = 0; tries < 8; ++tries) {
            const std::uint64_t group = from.next_group();
            if (from.is_moved(group)) continue;
            static_cast<void>(move_group(from, group));
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
        while (erase_once(to, number)) {
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

    template <class Use>
    auto with_all_locked(const Use& use) noexcept -> decltype(use(std::declval<generation&>())) {
        for (unsigned tries = 0;;) {
            generation& now = *current();
            if (now.next() != nullptr) {
                if (!move_all(now)) return no_memory();
            } else if (now.lock_all()) {
                auto outcome = use(now);
                now.unlock_all();
                return outcome;
            }
            Steps::wait(tries++);
        }
    }

    std::atomic<generation*> current_;
    generation* const oldest_;  // each has the next one
    const growth_policy policy_;
    version_locks<Steps> start_lock_;
    std::atomic<bool> has_erased_{false};
};

MEMBRANE_TARGET_END
