// One layout of a filter that many threads use at once: its bytes, its locks, and what is done to one key in it. When the filter grows, the
// groups of lines move one by one to the next generation; the version of a group says that it has moved.
#pragma once

#include <algorithm>
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
#include <membrane/kind/balanced_rank/concurrent/versioned_walk.hpp>
#include <membrane/kind/balanced_rank/view.hpp>

MEMBRANE_TARGET_BEGIN

// A lookup.
template <bool KeepsEqual, class Steps>
class rank_reading : public number_rank_view<KeepsEqual, read_lines<number_digits, carried_address, Steps>> {
    using base = number_rank_view<KeepsEqual, read_lines<number_digits, carried_address, Steps>>;

public:
    using base::base, base::holds, base::state;
};

// A change. Refused: nothing has changed.
template <bool KeepsEqual, class Steps>
class rank_change : public number_rank_view<KeepsEqual, locked_lines<number_digits, carried_address, Steps>> {
    using base = number_rank_view<KeepsEqual, locked_lines<number_digits, carried_address, Steps>>;

public:
    using base::base, base::commit, base::holds, base::let_go, base::lock_first_group, base::unlock_as_moved;

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
            commit();  // a change has one line of the second table, and the next insertion may forward to another
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
        auto locks = rank_locks<Steps>::create(spec[balanced_rank_field::lines], second_lines(spec));
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
    std::uint64_t held_bytes() const noexcept { return payload_.size_bytes() + locks_.size_bytes(); }
    std::uint64_t groups() const noexcept { return locks_.first.groups(); }
    static std::uint64_t group_of(const rank_address& at) noexcept { return at.line / Steps::lines_in_group; }
    rank_address address_of(const key_hash& hash) const noexcept { return shape_.digits.of(hash); }
    rank_address address_of(std::uint64_t number) const noexcept { return shape_.digits.of_number(number); }

    // ---- lookups

    rank_seen<KeepsEqual, Steps> seen() const noexcept { return {shape_, first_, second_}; }
    void prefetch_second(const rank_address& further) const noexcept {
        prefetch_far(second_ + further.line * rank_line_bytes);
    }
    // Of the group of a line, before and after the line is read (version_locks.hpp).
    [[gnu::always_inline]] std::uint64_t first_version_before(std::byte*& line) const noexcept {
        return locks_.first.version_before(group_of(line), line);
    }
    std::uint64_t second_version_before(std::uint64_t& line) const noexcept {
        return locks_.second.version_before(second_group_of(line), line);
    }
    auto first_versions_after(const look_result& found) const noexcept {
        return locks_.first.versions_after(found);
    }
    auto second_versions_after(const look_result& found) const noexcept {
        return locks_.second.versions_after(found);
    }
    [[gnu::always_inline]] std::uint64_t group_of(const std::byte* line) const noexcept {
        return static_cast<std::uint64_t>(line - first_) / (rank_line_bytes * Steps::lines_in_group);
    }
    static constexpr std::uint64_t second_group_of(std::uint64_t line) noexcept {
        return line / Steps::lines_in_group;
    }
    reading_type read() const noexcept { return {shape_, first_, second_, list_, locks_}; }

    bool is_changing(std::uint64_t group) const noexcept {
        return version_locks<Steps>::is_changing(locks_.first.version(group));
    }

    // ---- changes

    void prefetch_for_change(const rank_address& at) const noexcept {
        prefetch_for_write(first_ + at.line * rank_line_bytes);
        prefetch_for_write(&locks_.first.word(group_of(at)));
    }
    change_type change() noexcept { return {shape_, first_, second_, list_, locks_}; }

    // Locks everything against writers; readers go on. Of groups that have moved nothing is left to be locked.
    void lock_all() noexcept {
        for (std::uint64_t group = 0; group < groups(); ++group) locks_.first.lock(group);
        for (std::uint64_t group = 0; group < locks_.second.groups(); ++group) locks_.second.lock(group);
        locks_.list.lock(0);
    }
    void unlock_all() noexcept {
        locks_.list.unlock(0);
        for (std::uint64_t group = locks_.second.groups(); group-- != 0;) locks_.second.unlock(group);
        for (std::uint64_t group = groups(); group-- != 0;)
            if (!is_moved(group)) locks_.first.unlock(group);
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
    // A group could not be moved for want of memory: so many insertions do not try.
    static constexpr std::uint32_t pause_length = 64;
    void pause_moving() noexcept { pause_.store(pause_length, std::memory_order_relaxed); }
    // Insertions of several threads at once may count as one.
    bool is_paused() noexcept {
        const std::uint32_t left = pause_.load(std::memory_order_relaxed);
        if (left != 0) pause_.store(left - 1, std::memory_order_relaxed);
        return left != 0;
    }
    // The numbers of the groups that have not moved, in ascending order. For a thread that has locked these groups; throws
    // std::bad_alloc.
    auto numbers_left() {
        return [this, cursor = number_cursor<view_type>(view_)]() mutable {
            auto number = cursor.next();
            while (number && is_moved(group_of(address_of(number->number)))) number = cursor.next();
            return number;
        };
    }
    // Once everything has moved. Late readers then read zeros, and learn from the versions, which stay, that the line has moved.
    void return_memory() noexcept { return_pages(payload_.data(), payload_.size_bytes()); }

private:
    rank_generation(const filter_spec& spec, aligned_buffer payload, rank_locks<Steps> locks)
        : spec_(spec),
          payload_(std::move(payload)),
          first_(payload_.data()),
          second_(first_ + spec[balanced_rank_field::lines] * rank_line_bytes),
          shape_(spec_, second_ + second_lines(spec) * rank_line_bytes),
          list_(second_ + second_lines(spec) * rank_line_bytes, spec[balanced_rank_field::list_slots],
                list_homes(spec), shape_.second_lines, list_group_bits(spec)),
          locks_(std::move(locks)),
          reader_(shape_.digits),
          view_(spec_, payload_.data()) {}

    filter_spec spec_;
    aligned_buffer payload_;
    std::byte *first_, *second_;
    rank_shape<number_digits, carried_address> shape_;
    mutable shared_list<Steps> list_;
    mutable rank_locks<Steps> locks_;
    number_reader reader_;
    view_type view_;  // for a thread that has locked what it reads
    std::atomic<rank_generation*> next_{nullptr};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> moving_{0}, moved_{0};
    std::atomic<std::uint32_t> pause_{0};
};

MEMBRANE_TARGET_END
