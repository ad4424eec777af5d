// The layout of a growable or erasable filter for a number of keys: what growth, header-only sizing and the planner call. Takes some
// tens of microseconds and no memory; test/rank/numbers.cpp holds it within 1 % of a search by the exact models.
//
// Searched are R, Z and the load of a line of the first table, and the load of a line of the second. With X Poisson with the mean
// load x1 and the chains L that fit beside Z cells,
//   forwarded     f = E[(X - Z)+] for each line
//   second reads  w = E[(X - Z + 1) / (X + 1); X > Z] + P(X > Z) / 2L
//   second table  its loads have the variance phi times the mean, phi = 1 + 0.68 x1 / L (fitted to model/balanced_rank.hpp): what a
//                 line forwards of one chain stays together. A negative binomial law of these moments gives the list's entries.
// The least bytes win, a second read being weighed as four bits for each key (decision 0018).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <membrane/kind/balanced_rank/spec.hpp>

namespace membrane {

namespace layout_choice {

inline constexpr unsigned most_second_bits = 44;
inline constexpr double most_second_reads = 0.13;
inline constexpr double bits_of_a_second_read = 4;
inline constexpr std::array<double, 5> loads{0.94, 0.99, 1.03, 1.07, 1.11};
inline constexpr std::array<double, 3> second_loads{0.72, 0.79, 0.86};

// Of a law given by its probability at 0 and the ratio of neighbours: E[(X - cells)+].
template <class Ratio>
double mean_above(double at_zero, unsigned cells, double mean, const Ratio& ratio) {
    // sum over x <= cells of (cells - x) p(x) = cells - mean + E[(X - cells)+]
    double p = at_zero, missing = 0;
    for (unsigned x = 0; x < cells; ++x) {
        missing += (cells - x) * p;
        p *= ratio(x);
    }
    return std::max(0.0, missing - (cells - mean));
}

struct line_loads {
    double forwarded, goes_on, overflows;
};
// X is Poisson with this mean.
inline line_loads loads_of(double mean, unsigned cells) {
    double p = std::exp(-mean);
    for (unsigned x = 1; x <= cells; ++x) p *= mean / x;
    line_loads all{0, 0, 0};
    for (unsigned x = cells + 1; x < cells + 64; ++x) {
        p *= mean / x;
        const double over = x - cells;
        all.forwarded += over * p;
        all.goes_on += (over + 1) / (x + 1.0) * p;
        all.overflows += p;
    }
    return all;
}

// Words of the list that suffice for nearly all filters: three standard deviations and a half, entries coming in clumps of about six.
// A quarter of the slots stays free, so that runs of words are short. The others grow.
inline std::uint64_t slots_for(double listed) {
    const double slots = 1.3 * listed + 8 * std::sqrt(listed) + 12;
    return (static_cast<std::uint64_t>(slots) + 7) / 8 * 8;
}

// Fingerprints of fewer bits are not stored in bytes: lookups and insertions take four times as long, so that a layout with them must
// be smaller by this factor. Below six bits a line would be full with 64 cells before its bits are used.
inline constexpr unsigned least_bits = 6, least_bits_in_bytes = 7;
inline constexpr double share_without_bytes = 0.92;

// A multiset whose one key comes again and again drives the entries of a whole line into the list. A filter of so many keys has room
// for them at once; a smaller one grows.
inline constexpr std::uint64_t least_keys_with_room_for_repeats = 2000;

// One search: the best layout so far, and its price.
class layout_search {
public:
    layout_search(std::uint64_t form, std::uint64_t universe, std::uint64_t keys)
        // A small universe holds no more different numbers than it has.
        : n_(static_cast<double>(form == balanced_rank_form::erasable
                                     ? std::max<std::uint64_t>(keys, 1)
                                     : std::clamp<std::uint64_t>(keys, 1, universe))),
          // 2^64 / S and a little more, so that rounding leaves enough places.
          places_(std::ldexp(1 / static_cast<double>(number_stride(universe)), 64) * (1 + 1e-12)) {
        best_.kind = kind_id::balanced_rank;
        best_.planned_keys = keys;
        best_[balanced_rank_field::form] = form;
        best_[balanced_rank_field::universe] = universe;
    }

    filter_spec run() {
        // Fingerprints of as many bits come out with a chain for each key; a line has fewer than 64 chains, so that filters of a few
        // lines have shorter ones.
        const double usual = std::log2(places_ / n_), shorter = std::max(0.0, 5.5 - std::log2(n_));
        const auto clamped = [](double bits) {
            return static_cast<unsigned>(std::clamp(bits, static_cast<double>(least_bits), 40.0));
        };
        const unsigned most = clamped(usual + 3);
        for (unsigned bits = clamped(usual); bits <= most; ++bits) try_bits(bits);
        for (unsigned bits = clamped(usual); bits-- > clamped(usual - 2 - shorter);) try_bits(bits);
        return best_;
    }

    // For somewhat more keys than a layout with fingerprints of so many bits has.
    filter_spec run_near(unsigned bits) {
        try_bits(bits);
        if (bits > least_bits) try_bits(bits - 1);
        if (bits < least_bits_in_bytes) try_bits(least_bits_in_bytes);
        return best_;
    }

private:
    void try_bits(unsigned bits) {
        for (unsigned cells = std::min(64u, 510 / (bits + 1)); cells != 0; --cells) {
            const unsigned chains = std::min(63u, 511 - cells * (bits + 1));
            const double least_lines = std::ceil(places_ / std::ldexp(chains, static_cast<int>(bits)));
            double before = 0;
            for (const double load : loads) {
                const double lines =
                    std::max(least_lines, std::min(most_lines(), std::ceil(n_ / (load * cells))));
                if (lines == before || !(lines < 0x1p46)) continue;
                before = lines;
                if ((lines + 1) * rank_line_bits >= least_) continue;
                const line_loads first = loads_of(n_ / lines, cells);
                const double second_reads = first.goes_on + first.overflows / (2 * chains);
                // A universe that is small for the keys has no more lines than these.
                if (second_reads > most_second_reads && lines < most_lines()) break;
                for (const double second_load : second_loads)
                    try_second(bits, cells, chains, lines, first.forwarded * lines, second_reads,
                               second_load);
            }
            // Fewer cells would leave more of the line unused.
            if (chains == 63) break;
        }
    }
    // The widening and the second chains tell the chains of the first table apart that a line of the second serves.
    void try_second(unsigned bits, unsigned cells, unsigned chains, double lines, double forwarded,
                    double second_reads, double second_load) {
        const double all_chains = lines * chains;
        unsigned more = 0, second_chains = 0, second_cells = 20;
        double second_lines = 0, served = 0;
        // The cells depend on the chains, which depend on the lines, which depend on the cells.
        for (unsigned round = 0; round < 4; ++round) {
            const double most_served =
                std::min(std::ldexp(63, static_cast<int>(most_second_bits - bits)), 0x1p18);
            second_lines = std::ceil(
                std::max({1.0, forwarded / (second_load * second_cells), all_chains / most_served}));
            served = std::ceil(all_chains / second_lines);
            more = 0;
            while (std::ldexp(63, static_cast<int>(more)) < served) ++more;
            second_chains =
                static_cast<unsigned>(std::max(1.0, std::ceil(std::ldexp(served, -static_cast<int>(more)))));
            second_cells = std::min(64u, (511 - second_chains) / (bits + more + 1));
            if (second_cells == 0) return;
        }
        if ((lines + second_lines) * rank_line_bits >= least_) return;
        const double mean = forwarded / second_lines, phi = 1 + 0.68 * n_ / all_chains;
        const double successes = mean / (phi - 1);
        const double listed =
            second_lines * mean_above(std::pow(phi, -successes), second_cells, mean, [&](unsigned x) {
                return (successes + x) * (phi - 1) / (phi * (x + 1.0));
            });
        double words = listed;
        if (best_[balanced_rank_field::form] == balanced_rank_form::erasable) {
            if (best_.planned_keys >= least_keys_with_room_for_repeats) words += second_cells;
            // Most keys are equal to another one then: those that come more often than a line has cells have a word each.
            const auto universe = static_cast<double>(best_[balanced_rank_field::universe]);
            if (n_ > universe / 2) words += std::min(universe, n_ / 64);
        }
        const std::uint64_t slots = slots_for(words);
        const double size = (lines + second_lines + 1) * rank_line_bits + 64.0 * static_cast<double>(slots);
        const double price = (bits < least_bits_in_bytes ? size / share_without_bytes : size) +
                             bits_of_a_second_read * second_reads * n_;
        if (price >= least_) return;
        filter_spec made = best_;
        made[balanced_rank_field::lines] = static_cast<std::uint64_t>(lines);
        made[balanced_rank_field::chains] = chains;
        made[balanced_rank_field::cells] = cells;
        made[balanced_rank_field::fingerprint_bits] = bits;
        made[balanced_rank_field::served_chains] = static_cast<std::uint64_t>(served);
        made[balanced_rank_field::second_chains] = std::min(63u, 511 - second_cells * (bits + more + 1));
        made[balanced_rank_field::second_cells] = second_cells;
        made[balanced_rank_field::second_fingerprint_bits] = bits + more;
        made[balanced_rank_field::list_slots] = slots;
        if (!check_balanced_rank_spec(made)) return;
        least_ = price;
        best_ = made;
    }

    double most_lines() const { return static_cast<double>(best_[balanced_rank_field::universe] - 1); }

    double n_, places_, least_ = INFINITY;
    filter_spec best_;
};

}  // namespace layout_choice

// For `keys` keys in this universe. None for more keys or numbers than any layout has room for, and for no numbers, which is what
// universe_of_at_least returns if they are too many: `lines` is then 0.
inline filter_spec number_layout(std::uint64_t form, std::uint64_t universe, std::uint64_t keys) {
    if (universe < least_universe || universe > most_universe) return {};
    return layout_choice::layout_search(form, universe, keys).run();
}

// Of a spec that number_layout made.
inline std::uint64_t number_payload_bytes(const filter_spec& spec) {
    return (spec[balanced_rank_field::lines] + second_lines(spec)) * (rank_line_bits / 8) +
           spec[balanced_rank_field::list_slots] * 8;
}

// The layout for `factor` times the planned keys and a few more; of no lines if there is none.
inline filter_spec larger_number_layout(const filter_spec& layout, double factor) {
    const double keys = static_cast<double>(layout.planned_keys) * factor + 8;
    if (!(keys < 0x1p62)) return {};
    filter_spec made = number_layout(layout[balanced_rank_field::form], layout[balanced_rank_field::universe],
                                     static_cast<std::uint64_t>(keys));
    made.planned_fpr = layout.planned_fpr;
    return made;
}

// The layout for a number of keys, or for more keys where the allocator's block has unused bytes. block_bytes(bytes) is the size of
// the block that the allocator makes for so many bytes.
template <class BlockBytes>
filter_spec number_layout_in_block(std::uint64_t form, std::uint64_t universe, std::uint64_t keys,
                                   const BlockBytes& block_bytes) {
    constexpr unsigned rounds = 3;
    // Of the block, a line is needed to align the first one.
    constexpr std::uint64_t spare = rank_line_bits / 8;
    filter_spec best = number_layout(form, universe, keys);
    if (best[balanced_rank_field::lines] == 0) return best;
    const std::uint64_t most = block_bytes(number_payload_bytes(best) + spare) - spare;
    // Bits for each key vary a little from layout to layout: aims a little lower in each round.
    double tried = static_cast<double>(keys), bytes = static_cast<double>(number_payload_bytes(best)),
           aim = 1;
    for (unsigned round = 0; round < rounds; ++round, aim -= 0.004) {
        const double more = aim * static_cast<double>(most) / bytes;
        if (more < 1.005) break;
        const auto wanted = static_cast<std::uint64_t>(tried * more);
        // All lengths of fingerprints again would take as long as the first search in each round.
        const filter_spec layout =
            layout_choice::layout_search(form, universe, wanted)
                .run_near(static_cast<unsigned>(best[balanced_rank_field::fingerprint_bits]));
        if (layout[balanced_rank_field::lines] == 0) break;
        const std::uint64_t size = number_payload_bytes(layout);
        if (size > most) continue;
        best = layout;
        tried = static_cast<double>(wanted);
        bytes = static_cast<double>(size);
    }
    return best;
}

}  // namespace membrane
