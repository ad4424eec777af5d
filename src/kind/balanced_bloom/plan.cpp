#include <membrane/plan/kind_plans.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <membrane/kind/balanced_bloom/spec.hpp>
#include <membrane/model/balanced_process.hpp>

#include "kind/balanced_bloom/design.hpp"
#include "kind/balanced_bloom/prediction.hpp"
#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

// With fewer blocks the variation of the loads over filters exceeds what balancing gains.
constexpr double least_balanced_blocks = 64;
// Share of the list's slots in use; above it, insertions begin to move many words.
constexpr double list_density = 0.85;
constexpr double default_accesses = 1.1;
// Close to SEQUENTIAL's least overflow at a = 1.1, d = 2 for 8 to 40 bits per key.
constexpr double sequential_overflow = 0.02;
constexpr double single_overflow = 1e-3;
constexpr double most_bits_per_key = 128;

class sizer {
public:
    sizer(const requirement& wanted, const given_fields& given)
        : given_(given),
          start_(start_spec(kind_id::balanced_bloom, balanced_bloom_fields, wanted, given)),
          keys_(std::max(1.0, static_cast<double>(wanted.keys))) {}

    const filter_spec& start() const { return start_; }

    // A filter of about this total size.
    result<filter_spec> with_bits(double bits_per_key) const {
        double list_bits = 0;
        filter_spec spec;
        // Two rounds suffice: the list is small, so its share of the bits hardly changes the overflow.
        for (int round = 0; round < 2; ++round) {
            const auto design = design_for(std::max(bits_per_key - list_bits, bits_per_key / 2));
            if (!design) return design.error();
            auto made = spec_of_design(*design);
            if (!made) return made.error();
            spec = *made;
            list_bits = 64 * static_cast<double>(spec[balanced_field::list_slots]) / keys_;
            if (list_bits < 0.01 * bits_per_key && round == 0 && list_bits < 0.01) break;
        }
        return spec;
    }

    // The same, never larger than requested: the blocks shrink until the list fits, too.
    result<filter_spec> within(const requirement& wanted) const {
        const double allowed = 8 * static_cast<double>(most_size_bytes(wanted));
        double bits = *wanted.bits_per_key;
        auto spec = with_bits(bits);
        for (int round = 0; round < 8 && spec; ++round) {
            const double excess = size_bits(*spec) - allowed;
            if (excess <= 0) break;
            bits -= excess / keys_;
            if (!(bits > 0)) break;
            spec = with_bits(bits);
        }
        return spec;
    }

    // The least size that reaches the rate, to 0.05 %, by interpolation between a size that does not reach it and one that does:
    // the logarithm of the rate is nearly linear in the size.
    result<filter_spec> with_rate(std::uint64_t keys, double fpr) const {
        struct tried {
            double bits = 0, rate = 1;
        };
        filter_spec best;
        const auto attempt = [&](double bits) -> result<tried> {
            const auto spec = with_bits(bits);
            if (!spec) return spec.error();
            const double rate = balanced_fpr(*spec, keys);
            if (rate <= fpr) best = *spec;
            return tried{bits, rate};
        };
        // Lower bound of the search: no filter needs fewer bits than a flat one.
        auto low = attempt(std::max(1.0, 1.44 * std::log2(1 / fpr)));
        if (!low) return low.error();
        if (low->rate <= fpr) return best;
        auto high = low;
        while (high->rate > fpr) {
            if (high->bits >= most_bits_per_key)
                return make_error(errc::bad_field, "fpr")
                    .with_note("no size up to 128 bits per key reaches this rate; use kind bloom");
            low = high;
            const double factor =
                std::clamp(1.01 * std::log(fpr) / std::log(std::min(low->rate, 0.99)), 1.02, 1.5);
            high = attempt(std::min(most_bits_per_key, low->bits * factor));
            if (!high) return high.error();
        }
        for (int round = 0; round < 12 && high->bits - low->bits > 0.0005 * high->bits; ++round) {
            const double slope = std::log(high->rate / low->rate);
            const double share = slope < 0 ? std::log(fpr / low->rate) / slope : 0.5;
            const double width = high->bits - low->bits;
            // Alternately slightly past the crossing, so that both ends converge.
            const double at =
                low->bits + width * std::clamp(share + (round % 2 == 0 ? 0.05 : -0.05), 0.05, 0.95);
            const auto middle = attempt(at);
            if (!middle) return middle.error();
            (middle->rate <= fpr ? high : low) = middle;
        }
        return best;
    }

private:
    bool is_given(std::size_t field) const { return given_.is_given[field]; }

    static double size_bits(const filter_spec& spec) {
        constexpr double heads = 2 * 64 * 8;  // head of the list, and padding of the blocks' last line
        return static_cast<double>(balanced_blocks(spec)) *
                   static_cast<double>(spec[balanced_field::block_bits]) +
               64 * static_cast<double>(spec[balanced_field::list_slots]) + heads;
    }

    result<balanced_design> design_for(double bits_per_key) const {
        const std::uint64_t block_bits = start_[balanced_field::block_bits];
        const std::uint64_t d = start_[balanced_field::d];
        const bool is_small =
            keys_ * bits_per_key < least_balanced_blocks * static_cast<double>(block_bits) &&
            keys_ <= static_cast<double>(most_block_load);
        const auto unbounded = [&] {
            return unbounded_design(bits_per_key, block_bits, static_cast<std::uint64_t>(keys_));
        };
        const bool is_by_accesses = start_[balanced_field::accesses_permille] != 0;
        const double a = is_by_accesses
                             ? static_cast<double>(start_[balanced_field::accesses_permille]) / 1000
                             : default_accesses;
        if (!is_given(balanced_field::scheme) && !is_given(balanced_field::d) && !is_by_accesses)
            return is_small ? unbounded() : best_design(block_bits, bits_per_key);
        switch (start_[balanced_field::scheme]) {
            case scheme::single:
                return is_small ? unbounded()
                                : sequential_design_for(block_bits, bits_per_key, 1, 1, single_overflow);
            case scheme::sequential:
                if (d == 1) return sequential_design_for(block_bits, bits_per_key, 1, 1, single_overflow);
                return is_by_accesses
                           ? sequential_design(block_bits, bits_per_key, a, d)
                           : sequential_design_for(block_bits, bits_per_key, a, d, sequential_overflow);
            default:
                if (d == 1) return sequential_design_for(block_bits, bits_per_key, 1, 1, single_overflow);
                return multi_level_design(block_bits, bits_per_key, a, d);
        }
    }

    void set(filter_spec& spec, std::size_t field, std::uint64_t value) const {
        if (!is_given(field)) spec[field] = value;
    }

    result<filter_spec> spec_of_design(const balanced_design& design) const {
        filter_spec spec = start_;
        if (!is_given(balanced_field::scheme) && design.tables.size() == 1)
            spec[balanced_field::scheme] = scheme::single;
        set(spec, balanced_field::d, design.tries);
        set(spec, balanced_field::k, design.k);
        for (std::size_t i = 0; i < std::min<std::size_t>(design.tables.size(), most_tables); ++i) {
            const designed_table& table = design.tables[i];
            const double blocks = std::ceil(table.blocks_per_key * keys_);
            if (!(blocks <= static_cast<double>(most_balanced_blocks)))
                return make_error(errc::size_overflow, "blocks").with_note("ask for fewer keys or bits");
            set(spec, balanced_field::blocks(i),
                std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks)));
            set(spec, balanced_field::h(i), i == 0 ? std::max<std::uint64_t>(1, table.h) : table.h);
            set(spec, balanced_field::p(i),
                static_cast<std::uint64_t>(table.p * static_cast<double>(coin_unit)));
        }
        if (auto checked = check_balanced_bloom_spec(spec); !checked) return checked.error();
        set(spec, balanced_field::list_slots, slots_for(spec));
        if (auto checked = check_balanced_bloom_spec(spec); !checked) return checked.error();
        return spec;
    }

    // Room for the overflow of slightly more keys than planned: the arrivals at the last table vary, and its overflow grows
    // steeply with them.
    std::uint64_t slots_for(const filter_spec& spec) const {
        if (never_refuses(spec, static_cast<std::uint64_t>(keys_))) return 0;
        model::balanced_setup setup = balanced_setup_of(spec);
        setup.list_room = std::numeric_limits<double>::infinity();
        const auto state = model::balanced_process(keys_ * 1.005 + 3 * std::sqrt(keys_), setup);
        if (!state) return 0;
        const double listed = std::min(state->listed, keys_);
        return static_cast<std::uint64_t>(std::ceil((listed + 8 * std::sqrt(listed)) / list_density)) + 8;
    }

    const given_fields& given_;
    filter_spec start_;
    double keys_;
};

result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    const sizer sized(wanted, given);
    if (const std::uint64_t bits = sized.start()[balanced_field::block_bits];
        bits != 128 && bits != 256 && bits != 512)
        return make_error(errc::bad_field, "block_bits")
            .with_found(bits)
            .with_note("a block has 128, 256 or 512 bits");
    if (wanted.bits_per_key || given.is_given[balanced_field::blocks(0)]) {
        double bits_per_key = wanted.bits_per_key.value_or(0);
        if (given.is_given[balanced_field::blocks(0)])
            bits_per_key = static_cast<double>(given.spec[balanced_field::blocks(0)]) *
                           static_cast<double>(sized.start()[balanced_field::block_bits]) /
                           std::max(1.0, static_cast<double>(wanted.keys));
        auto spec =
            given.is_given[balanced_field::blocks(0)] ? sized.with_bits(bits_per_key) : sized.within(wanted);
        if (!spec) return spec.error();
        spec->planned_fpr = balanced_fpr(*spec, wanted.keys);
        return spec;
    }
    const double fpr = wanted.fpr.value_or(default_fpr);
    auto spec = sized.with_rate(wanted.keys, fpr);
    if (!spec) return spec.error();
    spec->planned_fpr = fpr;
    return spec;
}

}  // namespace

const kind_plan balanced_bloom_plan{&size, &balanced_fpr, &balanced_fpr_stddev_between, &balanced_costs};

}  // namespace membrane::plan
