// The lookup of a balanced_rank filter, described once:
//
//   where first     line_of(hash), entry_of(hash): one line of the first table, known from the hash alone
//   what it says    yes: the line contains the entry
//                   no:  it does not, and the line has forwarded nothing of this chain
//                   go on otherwise, about one lookup in seventeen
//   where next      second_of(line, entry): one line of the second table, and behind it the overflow list
//
// Single lookups, batches (part/batch_lookup.hpp), counts and traces are made from these.
//
// IsNear: the tables are in the caches of a core. There a branch that is taken at random costs most; in memory an instruction that
// waits for a line costs most, since it keeps the place of another lookup in the reorder buffer. Static layout classes and IsNear
// change instructions only, never answers (doc/decisions/0017).
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/base/prefetch.hpp>
#include <membrane/kind/balanced_rank/tables.hpp>
#include <membrane/part/batch_lookup.hpp>

#if defined(MEMBRANE_TARGET_AVX2)
#include <membrane/kind/balanced_rank/four_lines.hpp>
#endif

MEMBRANE_TARGET_BEGIN

template <class Tables, layout_class First, layout_class Second, bool IsNear>
class rank_walk {
public:
    explicit rank_walk(const Tables& tables) noexcept : tables_(tables) {}

    // ---- one lookup

    [[gnu::always_inline]] std::byte* line_of(const key_hash& hash) const noexcept {
        return tables_.first_ + fastrange_of(hash.low, tables_.lines_) * rank_line_bytes;
    }
    [[gnu::always_inline]] line_entry entry_of(const key_hash& hash) const noexcept {
        return first_entry<static_cast<unsigned>(First)>(hash, tables_.first_layout_.chains(),
                                                         tables_.first_layout_.fingerprint_bits());
    }
    line<First> first_line(std::byte* at) const noexcept { return {tables_.first_layout_, at}; }
    rank_address second_of(const std::byte* at, line_entry entry) const noexcept {
        const auto number = static_cast<std::uint64_t>(at - tables_.first_) / rank_line_bytes;
        return tables_.address_.second({number, entry});
    }
    // What is behind the first table.
    bool second_contains(const rank_address& at) const noexcept {
        const line<Second> second = tables_.template second_line<Second>(at.line);
        if (second.template contains<Tables::is_erasable>(at.entry)) return true;
        return second.may_have_forwarded(at.entry.chain) && list_contains(tables_, tables_.number_of(at));
    }

    // HashInMemory: the line's number is computed from the hash where it stands, by one instruction. In registers it would have to be
    // stored first.
    template <bool HashInMemory>
    [[gnu::always_inline]] bool may_contain(const key_hash& hash) const noexcept {
        std::byte* const at = HashInMemory ? line_of(hash) : first_of_hash(hash);
        const line_entry entry = entry_of(hash);
        const line<First> first = first_line(at);
        if (((IsNear && First != layout_class::wide) || first.has_equal_byte_for(entry)) &&
            first.template contains<Tables::is_erasable>(entry))
            return true;
        return first.may_have_forwarded(entry.chain) && rest_contains(tables_, at, entry.chain, hash.high);
    }
    // visit(offset) of each line read, in order.
    template <class Visit>
    void trace(const key_hash& hash, Visit&& visit) const {
        std::byte* const at = line_of(hash);
        const line_entry entry = entry_of(hash);
        visit(static_cast<std::uint64_t>(at - tables_.first_));
        const line<First> first = first_line(at);
        if (first.template contains<Tables::is_erasable>(entry) || !first.may_have_forwarded(entry.chain))
            return;
        const rank_address further = second_of(at, entry);
        visit((tables_.lines_ + further.line) * rank_line_bytes);
        const line<Second> second = tables_.template second_line<Second>(further.line);
        if (second.template contains<Tables::is_erasable>(further.entry) ||
            !second.may_have_forwarded(further.entry.chain))
            return;
        visit((tables_.lines_ + tables_.second_lines_) * rank_line_bytes);
    }
    std::uint64_t count(const key_hash& hash) const noexcept {
        std::byte* const at = line_of(hash);
        const line_entry entry = entry_of(hash);
        std::uint64_t times = first_line(at).count_of(entry);
        if (!first_line(at).may_have_forwarded(entry.chain)) return times;
        const rank_address further = second_of(at, entry);
        const line<Second> second = tables_.template second_line<Second>(further.line);
        times += second.count_of(further.entry);
        if (second.may_have_forwarded(further.entry.chain))
            times += tables_.list_.count_of(tables_.number_of(further));
        return times;
    }

    // ---- batches: part/batch_lookup.hpp says what each member is for

    static constexpr unsigned rounds = 2;
    static constexpr bool has_quick_look = true;
#if defined(MEMBRANE_TARGET_AVX2)
    static constexpr std::size_t group = IsNear && First != layout_class::any ? 4 : 1;
#else
    static constexpr std::size_t group = 1;
#endif
    // Far: the first line's address is computed again, which is faster than storing it.
    struct far_place {
        rank_address second;
    };
    struct near_place {
        std::byte* line;
    };
    using place = std::conditional_t<IsNear, near_place, far_place>;

    void start(place& at, const key_hash& hash) const noexcept {
        std::byte* const first = first_of_hash(hash);
        if constexpr (IsNear) {
            at.line = first;
            prefetch_for_read(first);
        } else {
            prefetch_far(first);
        }
    }
    look_result look(const place& at, const key_hash& hash) const noexcept {
        const line<First> first = first_line(first_of(at, hash));
        const line_entry entry = entry_of(hash);
        return {first.template contains<Tables::is_erasable>(entry) ? 1u : 0u,
                first.may_have_forwarded(entry.chain) ? 1u : 0u};
    }
    look_result quick_look(const place* at, const key_hash* hash) const noexcept {
#if defined(MEMBRANE_TARGET_AVX2)
        if constexpr (group == 4) {
            const four_lines<First> lines(tables_.first_layout_, lines_of(at), hash);
            return {lines.may_hold(), lines.may_have_forwarded()};
        }
#endif
        const line<First> first = first_line(first_of(*at, *hash));
        const line_entry entry = entry_of(*hash);
        return {first.may_hold(entry), first.may_have_forwarded(entry.chain) ? 1u : 0u};
    }
#if defined(MEMBRANE_TARGET_AVX2)
    look_result look_at_group(const place* at, const key_hash* hashes) const noexcept {
        const four_lines<First> lines(tables_.first_layout_, lines_of(at), hashes);
        return {lines.template contain<Tables::is_erasable>(), lines.may_have_forwarded()};
    }
#endif
    template <unsigned Round>
    bool next(place& at, const key_hash& hash) const noexcept {
        if constexpr (!IsNear) {
            at.second = second_of(first_of(at, hash), entry_of(hash));
            prefetch_far(tables_.second_ + at.second.line * rank_line_bytes);
        }
        return true;
    }
    template <unsigned Round>
    look_result look_again(const place& at, const key_hash& hash) const noexcept {
        if constexpr (IsNear) return {second_contains(second_of(at.line, entry_of(hash))) ? 1u : 0u, 0};
        else return {second_contains(at.second) ? 1u : 0u, 0};
    }

private:
    std::byte* first_of_hash(const key_hash& hash) const noexcept {
        return tables_.first_ + fastrange(hash.low, tables_.lines_) * rank_line_bytes;
    }
    std::byte* first_of(const place& at, const key_hash& hash) const noexcept {
        if constexpr (IsNear) return at.line;
        else return first_of_hash(hash);
    }
    static std::byte* const* lines_of(const near_place* at) noexcept {
        static_assert(sizeof(near_place) == sizeof(std::byte*));
        return &at->line;
    }
    // Out of line, so that a lookup that ends in the first table saves no registers; short, since its instructions wait for the
    // second line and fill the reorder buffer. Words instead of a hash: a hash would be passed in memory.
    [[gnu::noinline, gnu::pure, gnu::flatten]] static bool rest_contains(const Tables& tables,
                                                                         const std::byte* at,
                                                                         std::uint64_t chain,
                                                                         std::uint64_t high) noexcept {
        const rank_walk walk(tables);
        const unsigned bits = line<First>::fingerprint_bits(tables.first_layout_);
        return walk.second_contains(walk.second_of(at, {chain, high & low_bits(bits)}));
    }
    [[gnu::noinline, gnu::pure]] static bool list_contains(const Tables& tables,
                                                           std::uint64_t number) noexcept {
        return tables.list_.contains(number);
    }

    const Tables& tables_;
};

MEMBRANE_TARGET_END
