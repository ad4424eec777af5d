// One layout of a filter that many threads use at once: its bytes, its locks, and what is done to one key in it. When the filter grows, the
// groups of lines move one by one to the next generation; the version of a group says that it has moved.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/unused_pages.hpp>
#include <membrane/kind/balanced_rank/concurrent/locked_lines.hpp>
#include <membrane/kind/balanced_rank/concurrent/read_lines.hpp>
#include <membrane/kind/balanced_rank/view.hpp>

MEMBRANE_TARGET_BEGIN

// A lookup.
template <bool KeepsEqual, class Steps>
class rank_reading : public number_rank_view<KeepsEqual, read_lines<number_digits, carried_address, Steps>> {
    using base = number_rank_view<KeepsEqual, read_lines<number_digits, carried_address, Steps>>;

public:
    using base::base, base::state;

    bool holds(const rank_address& at) const noexcept {
        return this->with_class([&]<layout_class Class>(typename base::template class_constant<Class>) {
            return this->template holds_entry<Class>(at);
        });
    }
};

// A change. Refused: nothing has changed.
template <bool KeepsEqual, class Steps>
class rank_change : public number_rank_view<KeepsEqual, locked_lines<number_digits, carried_address, Steps>> {
    using base = number_rank_view<KeepsEqual, locked_lines<number_digits, carried_address, Steps>>;

public:
    using base::base, base::commit, base::let_go, base::lock_first_group, base::unlock_as_moved;

    bool holds(const rank_address& at) const noexcept {
        return this->with_class([&]<layout_class Class>(typename base::template class_constant<Class>) {
            return this->template holds_entry<Class>(at);
        });
    }
    insertion insert(const rank_address& at) noexcept {
        return this->with_class([&]<layout_class Class>(typename base::template class_constant<Class>) {
            line<Class> first = this->template first_line<Class>(at.line);
            if constexpr (line<Class>::has_quick_insert)
                if (first.template insert_quickly<KeepsEqual>(at.entry)) return insertion::inserted;
            return this->template insert_entry<Class>(at);
        });
    }
    // False: less often than asked, if at all.
    bool insert_times(const rank_address& at, std::uint64_t times) noexcept {
        for (; times != 0; --times) {
            line<> first = this->template first_line<>(at.line);
            if (first.is_full() && !(at.entry < first.largest_of_full())) {
                first.set_forwarded(true);
                return this->forward(at, times);
            }
            if (insert(at) == insertion::refused) return false;
            commit();  // the next one may forward another entry, to another line
        }
        return true;
    }
    bool erase(const rank_address& at) noexcept {
        return this->with_class([&]<layout_class Class>(typename base::template class_constant<Class>) {
            return this->template erase_entry<Class>(at);
        });
    }
};

template <bool KeepsEqual, class Steps>
class rank_generation {
public:
    using view_type = number_rank_view<KeepsEqual>;
    using change_type = rank_change<KeepsEqual, Steps>;
    using reading_type = rank_reading<KeepsEqual, Steps>;

    // Takes a payload of this spec that has been checked.
    static result<std::unique_ptr<rank_generation>> of(const filter_spec& spec, aligned_buffer payload) {
        auto locks = rank_locks<Steps>::create(spec[rank_field::lines], second_lines(spec));
        if (!locks) return locks.error();
        std::unique_ptr<rank_generation> made(
            new (std::nothrow) rank_generation(spec, std::move(payload), std::move(*locks)));
        if (!made) return make_error(errc::out_of_memory, "layout of a filter");
        return made;
    }
    static result<std::unique_ptr<rank_generation>> create(const filter_spec& spec) {
        auto payload = aligned_buffer::zeroed(*view_type::payload_bytes(spec));
        if (!payload) return payload.error();
        return of(spec, std::move(*payload));
    }

    const filter_spec& spec() const noexcept { return spec_; }
    std::span<const std::byte> payload() const noexcept { return payload_.bytes(); }
    // A view of the bytes, for a thread that holds all locks.
    view_type view() noexcept { return view_type(spec_, payload_.data()); }
    std::uint64_t held_bytes() const noexcept { return payload_.size_bytes() + locks_.size_bytes(); }
    std::uint64_t groups() const noexcept { return locks_.first.groups(); }
    static std::uint64_t group_of(const rank_address& at) noexcept { return at.line / Steps::lines_in_group; }
    rank_address address_of(const key_hash& hash) const noexcept { return shape_.digits.of(hash); }
    rank_address address_of(std::uint64_t number) const noexcept { return shape_.digits.of_number(number); }

    // ---- lookups

    void prefetch(const rank_address& at) const noexcept {
        prefetch_far(first_ +
                     at.line * rank_line_bytes);  // the versions are in the second-level cache anyway
    }
    void prefetch_for_change(const rank_address& at) const noexcept {
        prefetch_for_write(first_ + at.line * rank_line_bytes);
        prefetch_for_write(&locks_.first.word(group_of(at)));
    }
    void prefetch_second(const rank_address& at) const noexcept {
        prefetch_far(second_ + shape_.second_address.second(at).line * rank_line_bytes);
    }
    // What the first table says: is it there, must one look on. A disturbed reading looks on, too.
    // `version_seen` is for look_second.
    template <layout_class Class>
    [[gnu::always_inline]] look_result look(const rank_address& at,
                                            std::uint64_t& version_seen) const noexcept {
        line_copy copy;
        const versions_around version = copy_with_versions<shared_words<Steps>>(
            locks_.first.word(group_of(at)), first_ + at.line * rank_line_bytes, copy);
        const line<Class> first(shape_.first_layout, copy.bytes);
        const bool is_there = first.template contains<KeepsEqual>(at.entry);
        const bool looks_on = first.may_have_forwarded(at.entry.chain);
        const bool is_valid = version_locks<Steps>::is_whole(version.before, version.after);
        version_seen = version.before;
        return {(is_there & is_valid) ? 1u : 0u, (looks_on | !is_valid) ? 1u : 0u};
    }
    // What the second table says to those who look on. A disturbed reading looks on again, and so does one of the list.
    template <layout_class Class>
    look_result look_second(const rank_address& at, std::uint64_t first_version) const noexcept {
        constexpr layout_class second_class = rank_shape<number_digits, carried_address>::second_class(Class);
        const rank_address further = shape_.second_address.second(at);
        line_copy copy;
        const versions_around version = copy_with_versions<shared_words<Steps>>(
            locks_.second.word(group_of(further)), second_ + further.line * rank_line_bytes, copy);
        const line<second_class> second(shape_.second_layout, copy.bytes);
        const bool is_there = second.template contains<KeepsEqual>(further.entry);
        // The first line must not have changed since: what it has pulled back is in neither. The compiler may not ask earlier.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        const bool is_valid =
            version_locks<Steps>::is_whole(version.before, version.after) &&
            version_locks<Steps>::is_whole(first_version, locks_.first.version(group_of(at)));
        const bool looks_on = second.may_have_forwarded(further.entry.chain);
        return {(is_there & is_valid) ? 1u : 0u, (looks_on | !is_valid) ? 1u : 0u};
    }
    template <class Work>
    auto with_class(const Work& work) const noexcept {
        return shape_.with_class(work);
    }
    reading_type read() const noexcept { return {shape_, first_, second_, list_, locks_}; }

    // ---- changes

    change_type change() noexcept { return {shape_, first_, second_, list_, locks_}; }

    // Locks everything against writers; readers go on. False, and nothing locked, if a group has moved.
    bool lock_all() noexcept {
        for (std::uint64_t group = 0; group < groups(); ++group)
            if (!locks_.first.lock(group)) {
                while (group-- != 0) locks_.first.unlock(group);
                return false;
            }
        for (std::uint64_t group = 0; group < locks_.second.groups(); ++group) locks_.second.lock(group);
        locks_.list.lock(0);
        return true;
    }
    void unlock_all() noexcept {
        locks_.list.unlock(0);
        for (std::uint64_t group = locks_.second.groups(); group-- != 0;) locks_.second.unlock(group);
        for (std::uint64_t group = groups(); group-- != 0;) locks_.first.unlock(group);
    }

    // ---- growth

    rank_generation* next() const noexcept {
        Steps::step();
        return next_.load(std::memory_order_acquire);
    }
    void set_next(rank_generation* next) noexcept {
        Steps::step();
        next_.store(next, std::memory_order_release);
    }
    bool is_moved(std::uint64_t group) const noexcept {
        return version_locks<Steps>::is_moved(locks_.first.version(group));
    }
    // Another group to be moved; every group comes up again and again.
    std::uint64_t next_group() noexcept {
        Steps::step();
        return moving_.fetch_add(1, std::memory_order_relaxed) % groups();
    }
    // After a group has moved: whether it was the last.
    bool count_moved() noexcept {
        Steps::step();
        return moved_.fetch_add(1, std::memory_order_acq_rel) + 1 == groups();
    }
    bool has_moved() const noexcept {
        Steps::step();
        return moved_.load(std::memory_order_acquire) == groups();
    }
    // The numbers of a group that `change` has locked, in ascending order.
    void read_group(const change_type& change, std::uint64_t group,
                    std::vector<counted_number>& numbers) const {
        std::vector<counted_number> line_numbers;
        const std::uint64_t end = std::min((group + 1) * Steps::lines_in_group, shape_.lines);
        for (std::uint64_t line = group * Steps::lines_in_group; line < end; ++line) {
            change.read_line(reader_, line, line_numbers);
            numbers.insert(numbers.end(), line_numbers.begin(), line_numbers.end());
        }
    }
    // Once everything has moved. Late readers then read zeros, and learn from the versions, which stay, that the line has moved.
    void return_memory() noexcept { return_pages(payload_.data(), payload_.size_bytes()); }

private:
    rank_generation(const filter_spec& spec, aligned_buffer payload, rank_locks<Steps> locks)
        : spec_(spec),
          payload_(std::move(payload)),
          first_(payload_.data()),
          second_(first_ + spec[rank_field::lines] * rank_line_bytes),
          shape_(spec_, second_ + second_lines(spec) * rank_line_bytes),
          list_(second_ + second_lines(spec) * rank_line_bytes, spec[rank_field::list_slots],
                list_homes(spec), shape_.second_lines, list_group_bits(spec)),
          locks_(std::move(locks)),
          reader_(shape_.digits) {}

    filter_spec spec_;
    aligned_buffer payload_;
    std::byte *first_, *second_;
    rank_shape<number_digits, carried_address> shape_;
    mutable shared_list<Steps> list_;
    mutable rank_locks<Steps> locks_;
    number_reader reader_;
    std::atomic<rank_generation*> next_{nullptr};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> moving_{0}, moved_{0};
};

MEMBRANE_TARGET_END
