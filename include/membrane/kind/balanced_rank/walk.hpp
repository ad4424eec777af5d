// How a key is looked for in a balanced_rank, step by step: one lookup goes through the steps at once, many of them wait for their
// lines in part/batch_ring.hpp. `Code` is what is done in a line (kind/balanced_rank/line_code.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/base/prefetch.hpp>
#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/part/batch_ring.hpp>
#include <membrane/kind/balanced_rank/address.hpp>
#include <membrane/kind/balanced_rank/looks.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

template <class Tables, class Code>
struct rank_lookup_steps {
    using place = rank_address;  // of the second table; that of the first is made again sooner than kept
    static constexpr bool has_next = true;
    static constexpr bool has_glance = Code::has_glance;
    static constexpr std::size_t keys_together = 1;

    void start(place&, key_hash hash) const noexcept {
        prefetch_far(tables.first_ + tables.line_of(hash) * rank_line_bytes);
    }
    // No branch: the ring collects the answers.
    first_look look(const place&, key_hash hash) const noexcept {
        const rank_address at = asked_of(hash);
        return {is_there(at) ? 1u : 0u, is_further(at) ? 1u : 0u};
    }
    first_look glance(const place*, const key_hash* hash) const noexcept {
        const rank_address at = asked_of(*hash);
        return {code.may_hold(tables.first_line(at.line, code), at.entry) ? 1u : 0u,
                is_further(at) ? 1u : 0u};
    }
    void next(place& at, key_hash hash) const noexcept {
        at = tables.address_.second(asked_of(hash));
        prefetch_far(tables.second_ + at.line * rank_line_bytes);
    }
    bool settle(const place& at, key_hash) const noexcept { return tables.second_contains(at, second_code); }

    rank_address asked_of(const key_hash& hash) const noexcept { return tables.address_of(hash, code); }
    bool is_there(const rank_address& at) const noexcept {
        return code.template contains<Tables::is_erasable>(tables.first_line(at.line, code), at.entry);
    }
    // Asked first of a table in memory, one key at a time. Each instruction that waits for a line takes the place of another lookup
    // whose line could be on its way: most strangers end here, and a branch that is taken at random costs less.
    bool has_alike(const rank_address& at) const noexcept {
        return code.has_alike(tables.first_line(at.line, code), at.entry);
    }
    bool is_further(const rank_address& at) const noexcept {
        return code.may_have_forwarded(tables.first_line(at.line, code), at.entry.chain);
    }
    bool looks_further(const rank_address& at) const noexcept {
        return tables.second_contains(tables.address_.second(at), second_code);
    }
    // Of a line of the first table.
    const std::byte* line_of(const rank_address& at) const noexcept {
        return tables.first_ + at.line * rank_line_bytes;
    }
    std::uint64_t number_of(const std::byte* line) const noexcept { return tables.number_of_line(line); }

    const Tables& tables;
    Code code;
    typename Code::second second_code{};
};

// Many lookups in tables in the near caches. Lines come into the first cache soon, and the time is that of the instructions: the
// line is kept, several keys are looked at together, and what is behind a line is read without being asked for. In memory all
// three take longer.
template <class Tables, class Code>
struct near_rank_lookup_steps {
    using place = std::byte*;  // the line of the first table
    static constexpr bool has_next = true;
    static constexpr bool has_glance = Code::has_glance;
    static constexpr std::size_t keys_together = rank_looks<Code>::keys;

    void start(place& line, key_hash hash) const noexcept {
        line = tables.first_ + tables.line_of(hash) * rank_line_bytes;
        prefetch_for_read(line);
    }
    first_look look(const place& line, const key_hash& hash) const noexcept {
        return look_at(look_at_one_line<Code>(code.shape_of(tables.first_shape_), &line, &hash));
    }
    first_look look_together(const place* lines, const key_hash* hashes) const noexcept {
        return look_at(rank_looks<Code>(code.shape_of(tables.first_shape_), lines, hashes));
    }
    first_look glance(const place* lines, const key_hash* hashes) const noexcept {
        const rank_looks<Code> at(code.shape_of(tables.first_shape_), lines, hashes);
        return {at.may_hold(), at.may_have_forwarded()};
    }
    bool settle(place line, const key_hash& hash) const noexcept {
        const rank_address first{tables.number_of_line(line), tables.entry_of(hash, code)};
        return tables.second_contains(tables.address_.second(first), second_code);
    }

    template <class Looks>
    static first_look look_at(const Looks& at) noexcept {
        return {at.template contain<Tables::is_erasable>(), at.may_have_forwarded()};
    }

    const Tables& tables;
    Code code;
    typename Code::second second_code{};
};

}  // namespace membrane
