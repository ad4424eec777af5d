// Fields of the kind `choice_bloom`: a bit array in which each key has `choices` groups of k positions and sets one of them.
//
// rounds: how the groups were chosen. 1: online, each key at its insertion, by the bits set at that time. More: offline, with
// all keys known, each key chose again in every round. The expected rate differs and cannot be derived from the bits, so the
// number is part of the spec. `search` is the rule of the later rounds.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <membrane/part/flat_spec.hpp>

namespace membrane {

namespace choice_field {
enum : std::size_t { size, choices, k, probes, growth, strides, rounds, search, count };
}

// The probes of the flat kinds with the same numbers, except that `blocked` (all groups in one block) replaces `partitioned`.
namespace choice_probes {
enum : std::uint64_t { blocked = probes::partitioned, count };
}
inline constexpr std::array<std::string_view, choice_probes::count> choice_probes_names{
    probes_names[0], probes_names[1], probes_names[2], "blocked"};
inline constexpr std::uint64_t choice_block_bits = 512;

namespace search {
enum : std::uint64_t { greedy, annealed, count };
}
inline constexpr std::array<std::string_view, search::count> search_names{"greedy", "annealed"};

inline constexpr std::uint64_t max_choices = 4;
inline constexpr std::uint64_t max_rounds = 100'000;

inline constexpr std::array<field_rule, choice_field::count> choice_bloom_fields{{
    {"size_bits", 1, max_size_bits, 0, "bits of the array"},
    {"choices", 1, max_choices, 2, "groups of places per key, of which it sets one"},
    {"k", 1, max_probes, 8, "places in a group"},
    {"probes", 0, choice_probes::count - 1, probes::two_hash,
     "how a group's positions come from the hash; blocked: all groups in one cache line",
     choice_probes_names},
    {"growth", 0, growth::count - 1, growth::tetrahedral, "f(i) of probes=enhanced: i^2, i^3, (i^3-i)/6",
     growth_names},
    {"strides", 0, strides::count - 1, strides::coprime,
     "of double and enhanced: coprime (odd) never repeats a position, any is the paper's", strides_names},
    {"rounds", 1, max_rounds, 1, "1: keys choose as they come; more: all keys choose together, this often"},
    {"search", 0, search::count - 1, search::annealed,
     "how rounds choose: greedy takes the fewest new bits, annealed sometimes more in early rounds",
     search_names},
}};

constexpr bool is_blocked_choice(const filter_spec& spec) {
    return spec[choice_field::probes] == choice_probes::blocked;
}

// The spec of one group as a flat filter. For `blocked` only the array's size is meaningful.
constexpr filter_spec flat_spec_of_group(const filter_spec& spec) {
    filter_spec flat;
    flat[flat_field::size] = spec[choice_field::size];
    flat[flat_field::k] = spec[choice_field::k];
    flat[flat_field::probes] = spec[choice_field::probes];
    flat[flat_field::growth] = spec[choice_field::growth];
    flat[flat_field::strides] = spec[choice_field::strides];
    return flat;
}

// With odd strides b, i b + i^2 and i b + i^3 are even for every i, so all positions of a group are even or all are odd. Keys
// that choose then collect in the fuller half: at 32 bits per key the rate is twice the model's.
constexpr bool has_one_parity(const filter_spec& group) {
    return group[flat_field::probes] == probes::enhanced && group[flat_field::strides] == strides::coprime &&
           group[flat_field::growth] != growth::tetrahedral;
}

inline result<void> check_choice_bloom_spec(const filter_spec& spec) {
    if (auto checked = check_fields(spec, choice_bloom_fields); !checked) return checked;
    if (flat_needs_whole_words(flat_spec_of_group(spec)) && spec[choice_field::size] % 64 != 0)
        return make_error(errc::bad_field, "size_bits")
            .with_found(spec[choice_field::size])
            .with_note("with strides=coprime it must be a multiple of 64");
    if (has_one_parity(flat_spec_of_group(spec)))
        return make_error(errc::bad_field, "growth")
            .with_found(spec[choice_field::growth])
            .with_note("square and cube need strides=any, or take growth=tetrahedral");
    if (is_blocked_choice(spec) && spec[choice_field::size] % choice_block_bits != 0)
        return make_error(errc::bad_field, "size_bits")
            .with_found(spec[choice_field::size])
            .with_note("with probes=blocked it must be a multiple of 512");
    return {};
}

}  // namespace membrane
