// The lines and the list of a filter that many threads change, as one lookup sees them: copies of the lines and the versions at which they
// were taken. An answer counts if, when it is known, all of these are still the same: then everything was so at one moment.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/kind/balanced_rank/concurrent/locked_lines.hpp>

MEMBRANE_TARGET_BEGIN

// disturbed: a writer came between; ask again. moved: ask the next layout.
enum class read_state : std::uint8_t { valid, disturbed, moved };

template <class Digits, class Second, class Steps>
class read_lines {
public:
    using shape_type = rank_shape<Digits, Second>;
    using words = shared_words<Steps>;

    read_lines(const shape_type& shape, std::byte* first, std::byte* second, const shared_list<Steps>& list,
               const rank_locks<Steps>& locks) noexcept
        : shape_(shape), first_(first), second_(second), list_(list), locks_(locks) {}

protected:
    read_state state() const noexcept {
        if (version_locks<Steps>::is_moved(first_version_)) return read_state::moved;
        const bool is_whole = is_same(locks_.first, first_group_, first_version_) &&
                              is_same(locks_.second, second_group_, second_version_) &&
                              is_same(locks_.list, list_group_, list_version_);
        return is_whole ? read_state::valid : read_state::disturbed;
    }

    // ---- what the operations ask for

    template <layout_class Class>
    line<Class> first_line_at(std::byte* at) const noexcept {
        if (first_group_ == none) {
            first_group_ = group_of(at - first_);
            first_version_ = locks_.first.version(first_group_);
            copy_shared_line<words>(at, first_copy_);
        }
        return {shape_.first_layout, first_copy_.bytes};
    }
    template <layout_class Class>
    line<Class> second_line_at(std::byte* at) const noexcept {
        if (second_group_ == none) {
            second_group_ = group_of(at - second_);
            second_version_ = locks_.second.version(second_group_);
            copy_shared_line<words>(at, second_copy_);
        }
        return {shape_.second_layout, second_copy_.bytes};
    }
    const shared_list<Steps>& list() const noexcept {
        if (list_group_ == none) {
            list_group_ = 0;
            list_version_ = locks_.list.version(0);
        }
        return list_;
    }

    const shape_type& shape_;
    std::byte* const first_;
    std::byte* const second_;

private:
    static constexpr std::uint64_t none = UINT64_MAX;

    static std::uint64_t group_of(std::ptrdiff_t offset) noexcept {
        return static_cast<std::uint64_t>(offset) / rank_line_bytes / Steps::lines_in_group;
    }
    static bool is_same(const version_locks<Steps>& locks, std::uint64_t group,
                        std::uint64_t version) noexcept {
        return group == none ||
               (!version_locks<Steps>::is_changing(version) && locks.is_unchanged(group, version));
    }

    const shared_list<Steps>& list_;
    const rank_locks<Steps>& locks_;
    // A lookup reads one line of each table.
    mutable std::uint64_t first_group_ = none, second_group_ = none, list_group_ = none;
    mutable std::uint64_t first_version_ = 0, second_version_ = 0, list_version_ = 0;
    mutable line_copy first_copy_, second_copy_;
};

MEMBRANE_TARGET_END
