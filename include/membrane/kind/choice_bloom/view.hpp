// choice_bloom: a Bloom filter in which each key has several groups of k positions and sets the group that needs the fewest new
// bits (Lumetta and Mitzenmacher, "Using the power of two choices to improve Bloom filters"). A lookup answers yes if any of the
// key's groups is all ones.
//
// Here the positions of a group lie anywhere in the array; blocked_view.hpp keeps all groups of a key in one block. With one
// choice the bits equal bloom's.
//
// Two filters of the same keys can differ (insertion order), and a key that is in both may have set different groups, so they
// cannot be intersected. They cannot be folded either: the rate depends on how many keys chose before and after the
// array was halved, which the bits do not record.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include <membrane/base/target.hpp>
#include <membrane/kind/choice_bloom/array.hpp>
#include <membrane/kind/choice_bloom/blocked_view.hpp>
#include <membrane/kind/choice_bloom/spec.hpp>
#include <membrane/part/choice_size.hpp>

MEMBRANE_TARGET_BEGIN

template <class Probe>
class choice_bloom_view : public choice_array<Probe> {
    using array = choice_array<Probe>;
    using array::choices_;
    using array::streams_of;
    using typename array::flat;
    using typename flat::is_folded;

public:
    using array::array;

    bool may_contain(key_hash hash) const noexcept {
        for (std::uint64_t g = 0; g < choices_; ++g)
            if (flat::template ask<is_folded::no>(hash, streams_of(g))) return true;
        return false;
    }

    // As in flat_view, group by group.
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        std::fill_n(answers.begin(), (hashes.size() + 63) / 64, std::uint64_t{0});
        std::size_t present = 0;
        for (std::size_t first = 0; first < hashes.size(); first += flat::stretch) {
            const auto now = hashes.subspan(first, std::min(flat::stretch, hashes.size() - first));
            std::uint64_t found = 0;
            for (std::uint64_t g = 0; g < choices_; ++g)
                found |= flat::template ask_some<is_folded::no>(now, std::min(flat::group, flat::k_),
                                                                streams_of(g));
            answers[first / 64] |= found << first % 64;
            present += static_cast<std::size_t>(std::popcount(found));
        }
        return present;
    }

    // The bytes that a sequential lookup reads: it leaves a group at the first unset bit and stops after a covered group.
    template <class Visit>
    void trace_lookup(key_hash hash, Visit&& visit) const noexcept {
        for (std::uint64_t g = 0; g < choices_; ++g) {
            auto walk = flat::probe_.places(hash, streams_of(g));
            std::uint64_t used = 0;
            for (; used < flat::k_; ++used) {
                const std::uint64_t bit = walk.next().position();
                visit(bit / 8);
                if (!flat::cells_.test(bit)) break;
            }
            if (used == flat::k_) return;
        }
    }

    void prefetch(key_hash hash) const noexcept {
        for_each_place(hash, std::min(flat::group, flat::k_),
                       [&](std::uint64_t bit) { flat::cells_.prefetch(bit); });
    }
    void prefetch_insert(key_hash hash) const noexcept {
        for_each_place(hash, flat::k_, [&](std::uint64_t bit) { flat::cells_.prefetch_write(bit); });
    }

    double estimated_fpr_now() const noexcept {
        return -std::expm1(static_cast<double>(choices_) * std::log1p(-flat::estimated_fpr_now()));
    }

    // Assumes online insertion. Offline rounds leave fewer ones; the estimate is then a lower bound.
    double estimated_size() const noexcept {
        const double bits = static_cast<double>(flat::size_);
        const double used =
            std::min(flat::fill(), 1 - 0.5 / bits);  // a full array counts as half a bit short of full
        return bits * choice_keys_per_bit(used, choices_, flat::k_);
    }

private:
    template <class Visit>
    void for_each_place(key_hash hash, std::uint64_t count, const Visit& visit) const noexcept {
        for (std::uint64_t g = 0; g < choices_; ++g) {
            auto walk = flat::probe_.places(hash, streams_of(g));
            for (std::uint64_t i = 0; i < count; ++i) visit(walk.next().position());
        }
    }
};

struct choice_bloom_family {
    using types =
        std::tuple<choice_bloom_view<independent_probe>,
                   choice_bloom_view<progression_probe<odd_ring, no_growth>>,
                   choice_bloom_view<progression_probe<flat_ring, no_growth>>,
                   choice_bloom_view<progression_probe<odd_ring, tetrahedral_growth>>,
                   choice_bloom_view<progression_probe<flat_ring, square_growth>>,
                   choice_bloom_view<progression_probe<flat_ring, cube_growth>>,
                   choice_bloom_view<progression_probe<flat_ring, tetrahedral_growth>>, blocked_choice_view>;
    static std::size_t variant_of(const filter_spec& spec) {
        switch (spec[choice_field::probes]) {
            case probes::independent: return 0;
            case probes::two_hash: return 1 + spec[choice_field::strides];
            case probes::enhanced:
                return spec[choice_field::strides] == strides::coprime ? 3 : 4 + spec[choice_field::growth];
            default: return 7;
        }
    }

    static constexpr kind_id id = kind_id::choice_bloom;
    static constexpr std::string_view name = "choice_bloom";
    static constexpr std::string_view meaning =
        "each key sets the best of several groups of k bits: a lower rate in the same memory";
    static constexpr std::span<const field_rule> fields = choice_bloom_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_choice_bloom_spec(spec); }
};

MEMBRANE_TARGET_END
