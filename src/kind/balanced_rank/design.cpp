#include "kind/balanced_rank/design.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace membrane::plan {

namespace {

// For at most 1.2 lines per negative lookup in all; the difference is left to the list.
constexpr double most_negative_reads = 1.18;

// The price of a second line in bits per key (doc/decisions/0018-load-of-a-line.md). For a given rate, a few hundredths of a bit per
// key save a sixth to a third of the second lines; for a given size the rate matters more.
constexpr double second_line_bits_at_a_rate = 4;
constexpr double second_line_bits_at_a_size = 1;

// At this rate a line is full with 64 cells of 6 bits; shorter fingerprints would only leave bits unused.
constexpr double most_useful_fpr = 0.015;
// A word of 64 bits plus its share of gaps and margin.
constexpr std::uint64_t listed_entry_bits = 80;

// Fingerprints shorter than this are not stored in bytes, and lookups in such lines take five times as long: they must be smaller
// by this factor.
constexpr std::uint64_t least_bits_in_bytes = 7;
constexpr double share_without_bytes = 0.99;

result<model::balanced_rank_optimum> best_for_rate(double fpr, model::balanced_rank_requirement bound) {
    auto best = model::best_balanced_rank_for_fpr(fpr, bound);
    if (!best || best->shape.first.fingerprint_bits >= least_bits_in_bytes) return best;
    bound.least_fingerprint_bits = least_bits_in_bytes;
    auto in_bytes = model::best_balanced_rank_for_fpr(fpr, bound);
    const bool is_worth_it =
        !in_bytes || best->numbers.bits_per_key < share_without_bytes * in_bytes->numbers.bits_per_key;
    return is_worth_it ? best : in_bytes;
}

struct solved_shape {
    model::rank_model_form form{};
    bool is_for_bits = false;
    double limit = 0;  // bits per key, or a rate
    std::optional<result<model::balanced_rank_optimum>> best;
};

}  // namespace

// A search takes tens of milliseconds and is repeated while a number of keys, a size or a field is searched, so each thread caches
// the last results.
result<model::balanced_rank_optimum> best_rank_shape(const requirement& wanted, model::rank_model_form form) {
    thread_local std::array<solved_shape, 64> solved;
    thread_local std::size_t next = 0;
    const bool is_for_bits = wanted.bits_per_key.has_value();
    const double limit =
        is_for_bits ? std::clamp(*wanted.bits_per_key, least_rank_bits_per_key, most_rank_bits_per_key)
                    : std::clamp(wanted.fpr.value_or(default_fpr), 1e-8, most_useful_fpr);
    for (const solved_shape& each : solved)
        if (each.best && each.form == form && each.is_for_bits == is_for_bits && each.limit == limit)
            return *each.best;
    model::balanced_rank_requirement bound;
    bound.form = form;
    bound.negative_reads = most_negative_reads;
    bound.list_entry_bits = listed_entry_bits;
    bound.second_line_bits = is_for_bits ? second_line_bits_at_a_size : second_line_bits_at_a_rate;
    solved_shape& made = solved[next];
    next = (next + 1) % solved.size();
    made = {form, is_for_bits, limit, {}};
    made.best = is_for_bits ? model::best_balanced_rank_for_bits(limit, bound) : best_for_rate(limit, bound);
    return *made.best;
}

}  // namespace membrane::plan
