// The lines and the list of a filter that many threads change, as one change sees them: the operations of entries.hpp run over copies of
// the lines, whose groups are locked, and `commit` stores what they changed. Made anew for each change; nothing of it is shared.
//
// The order of locks: one group of the first table, then one of the second, then the list. A change never needs two groups of one table at
// once. An erasure may look into several lines of the second table before it finds the entry to pull back; it lets go of each before it
// takes the next. Between, nobody can forward entries of its line of the first table or pull them back, since that line is locked.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include <membrane/kind/balanced_rank/shape.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>
#include <membrane/part/threads/shared_line.hpp>
#include <membrane/part/threads/version_locks.hpp>

MEMBRANE_TARGET_BEGIN

template <class Steps>
using shared_list = basic_counted_list<shared_words<Steps>>;

// The locks of one layout.
template <class Steps>
struct rank_locks {
    static result<rank_locks> create(std::uint64_t lines, std::uint64_t second_lines) {
        auto first = version_locks<Steps>::create(groups_of(lines));
        auto second = version_locks<Steps>::create(groups_of(second_lines));
        auto list = version_locks<Steps>::create(1);
        if (!first) return first.error();
        if (!second) return second.error();
        if (!list) return list.error();
        return rank_locks{std::move(*first), std::move(*second), std::move(*list)};
    }
    static constexpr std::uint64_t groups_of(std::uint64_t lines) noexcept {
        return (lines + Steps::lines_in_group - 1) / Steps::lines_in_group;
    }
    std::uint64_t size_bytes() const noexcept {
        return first.size_bytes() + second.size_bytes() + list.size_bytes();
    }

    version_locks<Steps> first, second, list;  // the list has one
};

template <class Digits, class Second, class Steps>
class locked_lines {
public:
    using shape_type = rank_shape<Digits, Second>;
    using words = shared_words<Steps>;

    locked_lines(const shape_type& shape, std::byte* first, std::byte* second, shared_list<Steps>& list,
                 rank_locks<Steps>& locks) noexcept
        : shape_(shape), first_(first), second_(second), list_(list), locks_(locks) {}
    locked_lines(const locked_lines&) = delete;
    locked_lines& operator=(const locked_lines&) = delete;
    ~locked_lines() { unlock(); }

protected:
    static constexpr std::uint64_t none = UINT64_MAX;

    // False if the group has moved to another layout.
    bool lock_first_group(std::uint64_t group) noexcept {
        if (!locks_.first.lock(group)) return false;
        first_group_ = group;
        return true;
    }
    // Stores the lines that were asked for last, and lets go of the second table and the list.
    void commit() noexcept {
        // Both versions are odd before the first store: an entry that moves from one line to the other is never in neither.
        if (first_at_ != nullptr) locks_.first.begin_change(first_group_);
        if (second_at_ != nullptr) {
            locks_.second.begin_change(second_group_);
            write_shared_line<words>(second_copy_, second_at_);
        }
        if (first_at_ != nullptr) write_shared_line<words>(first_copy_, first_at_);
        first_at_ = nullptr;
        let_go();
    }
    // Of the second table and the list, without storing anything.
    void let_go() const noexcept {
        if (has_list_) locks_.list.unlock(0);
        if (second_group_ != none) locks_.second.unlock(second_group_);
        has_list_ = false;
        second_group_ = none;
        second_at_ = nullptr;
    }
    void unlock() noexcept {
        let_go();
        if (first_group_ != none) locks_.first.unlock(first_group_);
        first_group_ = none;
    }
    // Everything of the group is elsewhere.
    void unlock_as_moved() noexcept {
        let_go();
        locks_.first.unlock_as_moved(first_group_);
        first_group_ = none;
    }

    // ---- what the operations ask for

    template <layout_class Class>
    line<Class> first_line_at(std::byte* at) const noexcept {
        if (first_at_ != at) copy_shared_line<words>(at, first_copy_);
        first_at_ = at;
        return {shape_.first_layout, first_copy_.bytes};
    }
    template <layout_class Class>
    line<Class> second_line_at(std::byte* at) const noexcept {
        if (second_at_ != at) {
            const std::uint64_t group =
                static_cast<std::uint64_t>(at - second_) / rank_line_bytes / Steps::lines_in_group;
            // Of the second table one line is changed before a commit, the last that is asked for.
            assert(second_at_ == nullptr || !differs_from(second_copy_, second_at_));
            if (second_group_ != group || has_list_) let_go();
            if (second_group_ == none) locks_.second.lock(group);
            second_group_ = group;
            second_at_ = at;
            copy_shared_line<words>(at, second_copy_);
        }
        return {shape_.second_layout, second_copy_.bytes};
    }
    const shared_list<Steps>& list() const noexcept {
        lock_list();
        return list_;
    }
    // The list is changed where it stands: its version is odd from here to the end of the change.
    shared_list<Steps>& changed_list() noexcept {
        lock_list();
        locks_.list.begin_change(0);
        return list_;
    }

    const shape_type& shape_;
    std::byte* const first_;
    std::byte* const second_;

private:
    void lock_list() const noexcept {
        if (!has_list_) locks_.list.lock(0);
        has_list_ = true;
    }
    shared_list<Steps>& list_;
    rank_locks<Steps>& locks_;
    // Looking takes locks and makes copies.
    mutable std::uint64_t first_group_ = none, second_group_ = none;
    mutable std::byte* first_at_ = nullptr;
    mutable std::byte* second_at_ = nullptr;
    mutable bool has_list_ = false;
    mutable line_copy first_copy_, second_copy_;
};

MEMBRANE_TARGET_END
