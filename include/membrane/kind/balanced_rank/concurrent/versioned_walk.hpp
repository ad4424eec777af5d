// The lookup of a filter of one thread (walk.hpp) over lines that others may be changing: the version of the first line's group is taken
// when the lookup starts, and each answer counts only if the version is still the same when the line has been read. Else `look_on`, which
// reads everything again, answers (read_lines.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <membrane/kind/balanced_rank/concurrent/locked_lines.hpp>
#include <membrane/kind/balanced_rank/view.hpp>

MEMBRANE_TARGET_BEGIN

// The lines where they stand; where that is not allowed, copies made word by word.
template <class Digits, class Second, class Steps>
class seen_lines {
public:
    using shape_type = rank_shape<Digits, Second>;

    seen_lines(const shape_type& shape, std::byte* first, std::byte* second) noexcept
        : shape_(shape), first_(first), second_(second) {}

protected:
    static constexpr bool has_lines_in_place = reads_in_place<Steps>;

    template <layout_class Class>
    line<Class> first_line_at(std::byte* at) const noexcept {
        return {shape_.first_layout, seen_by(copy_, at)};
    }
    template <layout_class Class>
    line<Class> second_line_at(std::byte* at) const noexcept {
        return {shape_.second_layout, seen_by(copy_, at)};
    }
    // Lookups that come so far are made by read_lines.
    const counted_list& list() const noexcept = delete;

    const shape_type& shape_;
    std::byte* const first_;
    std::byte* const second_;

private:
    struct no_copy {};
    static std::byte* seen_by(no_copy&, std::byte* at) noexcept { return at; }
    static std::byte* seen_by(line_copy& copy, std::byte* at) noexcept {
        copy_shared_line<shared_words<Steps>>(at, copy);
        return copy.bytes;
    }
    [[no_unique_address]] mutable std::conditional_t<reads_in_place<Steps>, no_copy, line_copy> copy_;
};

template <bool KeepsEqual, class Steps>
class rank_seen : public number_rank_view<KeepsEqual, seen_lines<number_digits, carried_address, Steps>> {
    using base = number_rank_view<KeepsEqual, seen_lines<number_digits, carried_address, Steps>>;

public:
    using base::base;
    using base::with_walk;
};

// Walk: rank_walk of a rank_seen. Filter: has look_on(hash).
template <class Walk, class Filter, class Generation>
class versioned_walk : public Walk {
public:
    using typename Walk::place;

    versioned_walk(const Walk& walk, const Filter& filter, const Generation& generation) noexcept
        : Walk(walk), filter_(filter), generation_(generation) {}

    [[gnu::always_inline]] bool may_contain(const key_hash& hash) const noexcept {
        const auto start = Walk::start_of(hash);
        place at{start.line, start.entry, 0};
        take_version(at);
        const auto first = Walk::first_line(at.line);
        const bool is_there = Walk::is_in(first, at.entry);
        const look_result found{is_there ? 1u : 0u,
                                !is_there && first.may_have_forwarded(at.entry.chain) ? 1u : 0u};
        if (!is_whole(at, found)) [[unlikely]]
            return filter_.look_on(hash);
        return is_there || (found.goes_on != 0 && rest_contains(at, hash));
    }

    // ---- batches: part/batch_lookup.hpp

    void start(place& at, const key_hash& hash) const noexcept {
        Walk::start(at, hash);
        take_version(at);
    }
    // The versions of a word's keys are asked for together, after their lines were looked at.
    [[gnu::always_inline]] std::uint64_t disturbed(const place* at, std::size_t count,
                                                   const look_result& found) const noexcept {
        const auto versions = generation_.first_versions_after(found);
        const auto change = [&](std::size_t i) {
            return versions.change_since(generation_.group_of(at[i].line), at[i].further);
        };
        std::uint64_t changes = 0, keys = 0;
        for (std::size_t i = 0; i < count; ++i) changes |= change(i);
        if (!versions.is_change(changes)) [[likely]]
            return 0;
        for (std::size_t i = 0; i < count; ++i) keys |= std::uint64_t{versions.is_change(change(i))} << i;
        return keys;
    }
    bool is_there(const key_hash& hash) const noexcept { return filter_.look_on(hash); }
    template <unsigned Round>
    bool next(const place& at, const key_hash&) const noexcept {
        generation_.prefetch_second(Walk::second_of(at.line, at.entry));
        return true;
    }
    template <unsigned Round>
    look_result look_again(const place& at, const key_hash& hash) const noexcept {
        return {rest_contains(at, hash) ? 1u : 0u, 0};
    }

private:
    [[gnu::always_inline]] void take_version(place& at) const noexcept {
        at.further = generation_.first_version_before(at.line);
    }
    [[gnu::always_inline]] bool is_whole(const place& at, const look_result& found) const noexcept {
        return generation_.first_versions_after(found).is_whole(generation_.group_of(at.line), at.further);
    }
    // The first line must not have changed since: what it has pulled back would be in neither.
    [[gnu::noinline, gnu::pure]] bool rest_contains(const place& at, const key_hash& hash) const noexcept {
        const rank_address further = Walk::second_of(at.line, at.entry);
        std::uint64_t line = further.line;
        const std::uint64_t version = generation_.second_version_before(line);
        const look_result found = Walk::look_in_second({line, further.entry});
        if (generation_.second_versions_after(found).is_whole(generation_.second_group_of(line), version) &&
            is_whole(at, found)) {
            if (found.is_there != 0) return true;
            if (found.goes_on == 0) return false;
        }
        return filter_.look_on(hash);
    }

    const Filter& filter_;
    const Generation& generation_;
};

MEMBRANE_TARGET_END
