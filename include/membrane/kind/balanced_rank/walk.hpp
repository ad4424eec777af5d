// The lookup of a balanced_rank filter, described once:
//
//   where first     start_of(hash): one line of the first table and the entry wanted in it, known from the hash alone
//   what it says    yes: the line contains the entry
//                   no:  it does not, and the line has forwarded nothing of this chain
//                   go on otherwise, about one lookup in seventeen
//   where next      second_of(line, entry): one line of the second table, and behind it the overflow list
//
// Single lookups, batches (part/batch_lookup.hpp), counts and traces are made from these; `follow` has all of it in one function.
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

    struct first_step {
        std::byte* line;
        line_entry entry;
    };
    // HashInMemory: see hash_digits.
    template <bool HashInMemory = false>
    [[gnu::always_inline]] first_step start_of(const key_hash& hash) const noexcept {
        if constexpr (Tables::has_numbers) {
            const rank_address at = tables_.shape_.digits.template of<HashInMemory>(hash);
            // Word by word here and below: compilers copy a pair through memory, and reading 16 bytes just after two stores of 8 waits for
            // both.
            return {line_at(at.line), {at.entry.chain, at.entry.fingerprint}};
        } else {
            return {line_at(tables_.shape_.digits.template line<HashInMemory>(hash)), hashed_entry(hash)};
        }
    }
    auto first_line(std::byte* at) const noexcept { return tables_.template first_line_at<First>(at); }
    // By branches, for a single lookup.
    [[gnu::always_inline]] static bool is_in(const line<First>& first, const line_entry& entry) noexcept {
        return ((IsNear && First != layout_class::wide) || first.has_equal_byte_for(entry)) &&
               first.template contains<keeps_equal>(entry);
    }
    rank_address second_of(const std::byte* at, line_entry entry) const noexcept {
        const auto number = static_cast<std::uint64_t>(at - tables_.first_) / rank_line_bytes;
        return tables_.shape_.second_address.second({number, entry});
    }
    // What is behind the first table.
    bool second_contains(const rank_address& at) const noexcept {
        const auto second = tables_.template second_line<Second>(at.line);
        if (second.template contains<keeps_equal>(at.entry)) return true;
        return second.may_have_forwarded(at.entry.chain) && tables_.list_contains(tables_.number_of(at));
    }

    // Without the list: goes_on says that the entry may be there.
    look_result look_in_second(const rank_address& at) const noexcept {
        const auto second = tables_.template second_line<Second>(at.line);
        return {second.template contains<keeps_equal>(at.entry) ? 1u : 0u,
                second.may_have_forwarded(at.entry.chain) ? 1u : 0u};
    }

    template <bool HashInMemory>
    [[gnu::always_inline]] bool may_contain(const key_hash& hash) const noexcept {
        const first_step at = start_of<HashInMemory>(hash);
        const auto first = first_line(at.line);
        if (is_in(first, at.entry)) return true;
        // The fingerprint is cut from the word again, where it is needed.
        const std::uint64_t fingerprint_word = Tables::has_numbers ? at.entry.fingerprint : hash.high;
        return first.may_have_forwarded(at.entry.chain) &&
               rank_walk<Tables, First, Second, false>::rest_contains(tables_, at.line, at.entry.chain,
                                                                      fingerprint_word);
    }
    // Out of line, so that a lookup that ends in the first table saves no registers; short, since its instructions wait for the
    // second line and fill the reorder buffer. One body for near and far tables. Words instead of a hash: a hash would be passed in
    // memory.
    [[gnu::noinline, gnu::pure, gnu::flatten]] static bool rest_contains(
        const Tables& tables, const std::byte* at, std::uint64_t chain,
        std::uint64_t word) noexcept requires Tables::has_plain_bytes {
        const rank_walk walk(tables);
        const unsigned bits = line<First>::fingerprint_bits(tables.shape_.first_layout);
        return walk.second_contains(walk.second_of(at, {chain, word & low_bits(bits)}));
    }
    // The lookup step by step: look(line, entry, offset in the payload) of each line until it says that it has found enough, and
    // look_at_list(number, offset) behind the last.
    template <class Look, class LookAtList>
    void follow(const key_hash& hash, const Look& look, const LookAtList& look_at_list) const {
        const auto [at, entry] = start_of(hash);
        const auto first = first_line(at);
        if (look(first, entry, static_cast<std::uint64_t>(at - tables_.first_)) ||
            !first.may_have_forwarded(entry.chain))
            return;
        const rank_address further = second_of(at, entry);
        const auto second = tables_.template second_line<Second>(further.line);
        if (look(second, further.entry, (tables_.shape_.lines + further.line) * rank_line_bytes) ||
            !second.may_have_forwarded(further.entry.chain))
            return;
        look_at_list(tables_.number_of(further),
                     (tables_.shape_.lines + tables_.shape_.second_lines) * rank_line_bytes);
    }
    // visit(offset) of each line read, in order.
    template <class Visit>
    void trace(const key_hash& hash, Visit&& visit) const {
        follow(
            hash,
            [&](const auto& line, line_entry entry, std::uint64_t offset) {
                visit(offset);
                return line.template contains<keeps_equal>(entry);
            },
            [&](std::uint64_t, std::uint64_t offset) { visit(offset); });
    }
    std::uint64_t count(const key_hash& hash) const noexcept {
        std::uint64_t times = 0;
        follow(
            hash,
            [&](const auto& line, line_entry entry, std::uint64_t) {
                times += line.count_of(entry);
                return false;
            },
            [&](std::uint64_t number, std::uint64_t) {
                times = saturating_sum(times, tables_.list().count_of(number));
            });
        return times;
    }

    // ---- batches: part/batch_lookup.hpp says what each member is for

    static constexpr unsigned rounds = 2;
    static constexpr bool has_quick_look = true;
#if defined(MEMBRANE_TARGET_AVX2)
    static constexpr std::size_t group =
        IsNear && First != layout_class::any && Tables::has_lines_in_place ? 4 : 1;
#else
    static constexpr std::size_t group = 1;
#endif
    // hash_digits: the entry, and of far tables the first line, are computed again from the hash, which is faster than storing them.
    struct far_place {
        rank_address second;
    };
    struct near_place {
        std::byte* line;
    };
    // number_digits: both are kept, and `next` puts the second address in their place.
    struct number_place {
        std::byte* line;
        line_entry entry;
        std::uint64_t further;  // the second line; in concurrent/ the version of the first
    };
    using place = std::conditional_t<Tables::has_numbers, number_place,
                                     std::conditional_t<IsNear, near_place, far_place>>;

    void start(place& at, const key_hash& hash) const noexcept {
        const first_step first = start_of(hash);
        if constexpr (Tables::has_numbers) keep(at.entry, first.entry);
        if constexpr (Tables::has_numbers || IsNear) at.line = first.line;
        if constexpr (IsNear) prefetch_for_read(first.line);
        else prefetch_far(first.line);
    }
    look_result look(const place& at, const key_hash& hash) const noexcept {
        const first_step step = first_of(at, hash);
        const auto first = first_line(step.line);
        return {first.template contains<keeps_equal>(step.entry) ? 1u : 0u,
                first.may_have_forwarded(step.entry.chain) ? 1u : 0u};
    }
    look_result quick_look(const place* at, const key_hash* hash) const noexcept {
#if defined(MEMBRANE_TARGET_AVX2)
        if constexpr (group == 4) {
            const auto lines = four_lines_at(at, hash);
            return {lines.may_hold(), lines.may_have_forwarded()};
        }
#endif
        const first_step step = first_of(*at, *hash);
        const auto first = first_line(step.line);
        return {first.may_hold(step.entry), first.may_have_forwarded(step.entry.chain) ? 1u : 0u};
    }
#if defined(MEMBRANE_TARGET_AVX2)
    look_result look_at_group(const place* at, const key_hash* hashes) const noexcept {
        const auto lines = four_lines_at(at, hashes);
        return {lines.template contain<keeps_equal>(), lines.may_have_forwarded()};
    }
#endif
    template <unsigned Round>
    bool next(place& at, const key_hash& hash) const noexcept {
        if constexpr (!IsNear) {
            const first_step first = first_of(at, hash);
            const rank_address second = second_of(first.line, first.entry);
            prefetch_far(tables_.second_ + second.line * rank_line_bytes);
            if constexpr (Tables::has_numbers) keep(at.entry, second.entry), at.further = second.line;
            else at.second = second;
        }
        return true;
    }
    template <unsigned Round>
    look_result look_again(const place& at, const key_hash& hash) const noexcept {
        return {second_contains(further_of(at, hash)) ? 1u : 0u, 0};
    }

protected:
    static constexpr bool keeps_equal = Tables::keeps_equal;

    static void keep(line_entry& kept, const line_entry& entry) noexcept {
        kept.chain = entry.chain;
        kept.fingerprint = entry.fingerprint;
    }
    std::byte* line_at(std::uint64_t number) const noexcept {
        return tables_.first_ + number * rank_line_bytes;
    }
    [[gnu::always_inline]] line_entry hashed_entry(const key_hash& hash) const noexcept {
        return tables_.shape_.digits.template entry<static_cast<unsigned>(First)>(hash);
    }
    [[gnu::always_inline]] first_step first_of(const place& at, const key_hash& hash) const noexcept {
        if constexpr (Tables::has_numbers) return {at.line, {at.entry.chain, at.entry.fingerprint}};
        else if constexpr (IsNear) return {at.line, hashed_entry(hash)};
        else return start_of(hash);
    }
    rank_address further_of(const place& at, const key_hash& hash) const noexcept {
        if constexpr (IsNear) return second_of(at.line, first_of(at, hash).entry);
        else if constexpr (Tables::has_numbers) return {at.further, at.entry};
        else return at.second;
    }
#if defined(MEMBRANE_TARGET_AVX2)
    four_lines<First> four_lines_at(const place* at, const key_hash* hashes) const noexcept {
        if constexpr (Tables::has_numbers) {
            return {tables_.shape_.first_layout, at};
        } else {
            static_assert(sizeof(place) == sizeof(std::byte*));
            return {tables_.shape_.first_layout, &at->line, hashes};
        }
    }
#endif
    const Tables& tables_;
};

MEMBRANE_TARGET_END
