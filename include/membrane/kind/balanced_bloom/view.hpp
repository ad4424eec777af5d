// balanced_bloom: Bloom blocks that refuse keys beyond a threshold, so that no block is much fuller than another; what a
// block refuses goes to the key's next candidate, and what all refuse to an exact list.
//
//   payload:  blocks of all tables in order, zeros up to a multiple of 64 bytes
//             scheme=sequential with a budget: u64 block accesses spent, 56 zero bytes
//             the overflow list
//
// A query reads candidate after candidate until a block holds the key's bits (yes) or cannot have refused it (no); then
// it asks the list. An insertion whose own query answers yes changes nothing. A key that all refuse while the list has
// no room goes into its last candidate block all the same: an insertion never fails. With a budget, keys that come when
// it is spent go to the list at once, and every query that would say no asks the list from then on.
// Source: balanced Bloom filters, sections V to IX, corrected (doc/decisions/0007).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <membrane/base/prefetch.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/kind/balanced_bloom/spec.hpp>
#include <membrane/kind/balanced_bloom/summary.hpp>
#include <membrane/kind/balanced_bloom/walk.hpp>
#include <membrane/part/bloom_block.hpp>
#include <membrane/part/overflow_list.hpp>
#include <membrane/part/placement/multi_level.hpp>
#include <membrane/part/placement/sequential.hpp>
#include <membrane/part/placement/single.hpp>

MEMBRANE_TARGET_BEGIN

template <class Placement>
Placement placement_of(const filter_spec& spec) noexcept {
    std::array<bucket_table, Placement::most_tables> tables{};
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const std::uint64_t blocks = spec[balanced_field::blocks(i)];
        tables[i] = {first, blocks, {spec[balanced_field::h(i)], spec[balanced_field::p(i)]}};
        first += blocks;
    }
    return Placement(tables, spec[balanced_field::d]);
}

template <unsigned BlockBits, placement Placement>
class balanced_bloom_view {
    using block = bloom_block<BlockBits>;
    template <class>
    friend class balanced_bloom_walk;

public:
    balanced_bloom_view(const filter_spec& spec, std::byte* payload) noexcept
        : payload_(payload),
          placement_(placement_of<Placement>(spec)),
          list_(payload + list_offset(spec), spec[balanced_field::list_slots]),
          blocks_(balanced_blocks(spec)),
          budget_(has_access_budget(spec) ? access_budget(spec) : UINT64_MAX),
          k_(spec[balanced_field::k]),
          forms_(forms_of(spec, std::make_index_sequence<Placement::most_tables>())),
          rule_(static_cast<stop_rule>(spec[balanced_field::rule])),
          has_budget_(has_access_budget(spec)) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto list = overflow_list::size_bytes(spec[balanced_field::list_slots]);
        return list ? checked_add(list_offset(spec), *list) : std::nullopt;
    }

    // What few lookups need is out of line, so that the others do not save registers for it.
    bool may_contain(const key_hash& hash) const noexcept {
        const answer found = look_first(hash);
        return found == answer::go_on ? may_contain_rest(hash) : found == answer::yes;
    }
    [[gnu::noinline, gnu::flatten]] std::size_t may_contain_many(
        std::span<const key_hash> hashes, std::span<std::uint64_t> answers) const noexcept {
        return look_up_many(balanced_bloom_walk<balanced_bloom_view>(*this), hashes, answers);
    }

    bool insert(key_hash hash) noexcept {
        // Most keys end here: the query would stop at this block, and the block takes them.
        if (!is_budget_spent()) {
            block first = block_at(hash, 0);
            if (first.holds(hash, k_)) return true;
            if (first.state().load < placement_.accepts(0).h) {
                first.put(hash, k_);
                spend(1);
                return true;
            }
        }
        if (may_contain(hash)) return true;
        if (is_budget_spent() && list_.insert(list_word(hash))) return true;
        place(hash);
        return true;
    }

    void prefetch_insert(key_hash hash) const noexcept { prefetch_for_write(at(hash, 0)); }

    double fill() const noexcept { return summary().fill(); }
    double estimated_fpr_now() const { return summary().fpr(); }
    double estimated_size() const { return summary().keys(); }

    std::uint64_t listed() const noexcept { return list_.count(); }
    std::uint64_t blocks() const noexcept { return blocks_; }

    // visit(offset) of each block that a lookup reads, in order, and of the list's slot if it is asked.
    template <class Visit>
    void trace_lookup(const key_hash& hash, Visit&& visit) const {
        follow(0, at(hash, 0), hash,
               [&](const std::byte* here) { visit(static_cast<std::uint64_t>(here - payload_)); });
    }

    result<void> check_payload() const {
        const std::byte* const budget = payload_ + *round_up(blocks_ * block::bytes, 64);
        if (!are_all_zero({payload_ + blocks_ * block::bytes, budget}))
            return make_error(errc::reserved_not_zero, "padding behind the blocks");
        if (has_budget_ && !are_all_zero({budget + 8, budget + 64}))
            return make_error(errc::reserved_not_zero, "padding behind the accesses");
        return list_.check();
    }

private:
    enum class answer : std::uint8_t { yes, no, go_on };
    // The first candidate alone. Coin and budget are asked together with the block's state, for one branch: every eighth absent key
    // goes on, which no branch predictor foresees.
    answer look_first(const key_hash& hash) const noexcept {
        const block here(at(hash, 0), forms_[0]);
        if (here.holds(hash, k_)) return answer::yes;
        const unsigned may_end =
            (here.may_have_refused() ? 0u : 1u) | (is_taken_by_coin(here, hash, 0) ? 1u : 0u);
        return (may_end & (has_budget_ ? 0u : 1u)) != 0 ? answer::no : answer::go_on;
    }
    [[gnu::noinline]] bool may_contain_rest(const key_hash& hash) const noexcept {
        return may_contain_from(0, at(hash, 0), hash);
    }
    // From candidate j on, whose place is known.
    bool may_contain_from(std::uint64_t j, std::byte* here, const key_hash& hash) const noexcept {
        return follow(j, here, hash, [](const std::byte*) {});
    }
    // visit(place) before each block and the list are read.
    template <class Visit>
    bool follow(std::uint64_t j, std::byte* here, const key_hash& hash, const Visit& visit) const {
        for (;; here = at(hash, j)) {
            visit(here);
            const answer found = look(block(here, form_of(j)), hash, j);
            if (found == answer::yes) return true;
            if (found == answer::no && !is_budget_spent()) return false;
            if (found == answer::no || ++j >= placement_.tries()) break;
        }
        if (list_.slots() != 0) visit(list_.home(list_word(hash)));
        return is_listed(hash);
    }

    static std::uint64_t list_offset(const filter_spec& spec) {
        return balanced_block_bytes(spec) + (has_access_budget(spec) ? 64 : 0);
    }
    static std::uint64_t list_word(key_hash hash) noexcept { return remix(hash, stream::list_word); }

    std::byte* at(key_hash hash, std::uint64_t j) const noexcept {
        return payload_ + placement_.bucket(hash, j) * block::bytes;
    }
    using block_forms = std::array<typename block::form, Placement::most_tables>;
    template <std::size_t... Tables>
    static block_forms forms_of(const filter_spec& spec, std::index_sequence<Tables...>) noexcept {
        const bool may_have_flag = has_flag(static_cast<stop_rule>(spec[balanced_field::rule]));
        return {typename block::form(spec[balanced_field::h(Tables)], may_have_flag)...};
    }
    const typename block::form& form_of(std::uint64_t j) const noexcept {
        return forms_[placement_.table_of(j)];
    }
    block block_number(std::uint64_t number, std::size_t table) const noexcept {
        return {payload_ + number * block::bytes, forms_[table]};
    }
    block block_at(key_hash hash, std::uint64_t j) const noexcept { return {at(hash, j), form_of(j)}; }

    answer look(const block& here, const key_hash& hash, std::uint64_t j) const noexcept {
        if (here.holds(hash, k_)) return answer::yes;
        // The block may have refused somebody, and the coin does not say that it would have taken this key.
        return here.may_have_refused() && !is_taken_by_coin(here, hash, j) ? answer::go_on : answer::no;
    }
    bool is_taken_by_coin(const block& here, key_hash hash, std::uint64_t j) const noexcept {
        return static_cast<int>(has_coin(rule_)) & static_cast<int>(here.may_have_refused_at_h()) &
               static_cast<int>(placement_.accepts(j).coin(hash, j));
    }
    bool is_listed(key_hash hash) const noexcept { return list_.contains(list_word(hash)); }

    // The key is nowhere yet.
    void place(key_hash hash) noexcept {
        const std::uint64_t last = placement_.tries() - 1;
        for (std::uint64_t j = 0;; ++j) {
            block here = block_at(hash, j);
            spend(1);
            if (placement_.accepts(j).takes(here.state().load, hash, j)) return here.put(hash, k_);
            here.mark_refusal();
            if (j == last) {
                if (!list_.insert(list_word(hash))) here.put(hash, k_);
                return;
            }
        }
    }

    // Counted with a budget only.
    std::uint64_t accesses() const noexcept { return load_le<std::uint64_t>(budget_place()); }
    bool is_budget_spent() const noexcept { return has_budget_ && accesses() >= budget_; }
    void spend(std::uint64_t more) noexcept {
        if (has_budget_ && !is_budget_spent()) store_le(budget_place(), accesses() + more);
    }
    std::byte* budget_place() const noexcept { return payload_ + *round_up(blocks_ * block::bytes, 64); }

    balanced_summary summary() const {
        balanced_summary all(k_, placement_.tries(), list_.count());
        for (std::size_t i = 0; i < Placement::most_tables; ++i) {
            const bucket_table& table = placement_.table(i);
            if (table.buckets == 0) continue;
            all.start_table(table.rule.h, static_cast<double>(table.rule.p) / static_cast<double>(coin_unit),
                            block::usable_bits(table.rule.h, has_flag(rule_)), rule_);
            for (std::uint64_t number = table.first; number < table.first + table.buckets; ++number) {
                const block here = block_number(number, i);
                const block_state state = here.state();
                all.add_block(here.ones(), state.load, state.has_refused);
            }
        }
        return all;
    }

    std::byte* payload_;
    Placement placement_;
    overflow_list list_;
    std::uint64_t blocks_;
    std::uint64_t budget_;
    std::uint64_t k_;
    block_forms forms_;
    stop_rule rule_;
    bool has_budget_;
};

struct balanced_bloom_family {
    using types = std::tuple<
        balanced_bloom_view<128, single_placement>, balanced_bloom_view<256, single_placement>,
        balanced_bloom_view<512, single_placement>, balanced_bloom_view<128, sequential_placement>,
        balanced_bloom_view<256, sequential_placement>, balanced_bloom_view<512, sequential_placement>,
        balanced_bloom_view<128, multi_level_placement>, balanced_bloom_view<256, multi_level_placement>,
        balanced_bloom_view<512, multi_level_placement>>;
    static std::size_t variant_of(const filter_spec& spec) {
        return 3 * static_cast<std::size_t>(spec[balanced_field::scheme]) +
               static_cast<std::size_t>(spec[balanced_field::block_bits] / 256);
    }

    static constexpr kind_id id = kind_id::balanced_bloom;
    static constexpr std::string_view name = "balanced_bloom";
    static constexpr std::string_view meaning =
        "blocks of one cache line that are equally full: fewer false positives from 14 bits per key on";
    static constexpr std::span<const field_rule> fields = balanced_bloom_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_balanced_bloom_spec(spec); }
};

MEMBRANE_TARGET_END
