// choice_bloom: a Bloom filter in which each key has several groups of k places and sets the group that needs the fewest
// new bits (Lumetta and Mitzenmacher, "Using the power of two choices to improve Bloom filters"). A key may be present if
// any of its groups is all ones.
//
//   payload:  words of 64 bits, ceil(size_bits / 64) of them, then the key sum, a u64; all zero is the empty filter
//
// The key sum is the sum of remix(hash, stream::key_sum) over all insertions. Rounds that begin with a filled filter clear
// bits, so they must be given exactly the keys that are in it: the sum tells, where the bits alone could not.
//
// Group g reads its own streams, stream::group * g above those of `bloom`: with one choice the bits are bloom's. Ties go to
// the first group, so that equal keys in equal order give equal bits. Two filters of the same keys in another order
// differ, and a key that is in both may have set different groups: they cannot be intersected. They do not fold: which keys
// chose before the array was halved and which after is not in the bits, and the rate depends on it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/filter/choice_rounds.hpp>
#include <membrane/filter/choice_size.hpp>
#include <membrane/filter/flat_family.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/spec/choice_bloom_spec.hpp>
#include <membrane/storage/bit_span.hpp>

namespace membrane {

template <class Probe>
class choice_bloom_view : private flat_view<bit_span, Probe> {
    using flat = flat_view<bit_span, Probe>;
    using typename flat::is_folded;

public:
    // The bits depend on the order in which the keys came.
    static constexpr bool depends_on_order = true;

    choice_bloom_view(const filter_spec& spec, std::byte* payload) noexcept
        : flat(flat_spec_of_group(spec), payload),
          sum_(payload + flat_words(flat_spec_of_group(spec)) * bit_span::word_bytes),
          choices_(spec[choice_field::choices]),
          rounds_(spec[choice_field::rounds]),
          is_annealed_(spec[choice_field::search] == search::annealed) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto bits = flat::payload_bytes(flat_spec_of_group(spec));
        return bits ? checked_add(*bits, sizeof(std::uint64_t)) : std::nullopt;
    }

    bool insert(key_hash hash) noexcept {
        need best = need_of(hash, 0, flat::k_ + 1);
        for (std::uint64_t g = 1; g < choices_ && best.count != 0; ++g)
            if (const need other = need_of(hash, g, best.count); other.count < best.count) best = other;
        for (std::uint64_t i = 0; i < best.count; ++i) flat::cells_.set(best.bits[i]);
        set_key_sum(key_sum() + remix(hash, stream::key_sum));
        return true;
    }

    bool may_contain(key_hash hash) const noexcept {
        for (std::uint64_t g = 0; g < choices_; ++g)
            if (flat::template ask<is_folded::no>(hash, streams_of(g))) return true;
        return false;
    }

    // As in flat_view, group by group.
    std::uint64_t may_contain_block(std::span<const key_hash> hashes, bool&) const noexcept {
        std::uint64_t present = 0;
        for (std::size_t first = 0; first < hashes.size(); first += flat::stretch) {
            const auto now = hashes.subspan(first, std::min(flat::stretch, hashes.size() - first));
            for (std::uint64_t g = 0; g < choices_; ++g)
                present |= flat::template ask_some<is_folded::no>(now, std::min(flat::group, flat::k_),
                                                                  streams_of(g))
                           << first;
        }
        return present;
    }

    // The offsets that a walk reads which leaves a group at its first unused bit and ends with a covered one.
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

    // No key is lost. The rate is that of the joined bits: more ones than if one filter had taken all keys.
    void merge(const choice_bloom_view& other) noexcept {
        flat::merge(other);
        set_key_sum(key_sum() + other.key_sum());
    }

    static constexpr std::size_t rounds_field = choice_field::rounds;
    static std::optional<std::uint64_t> rounds_scratch_bytes(const filter_spec& spec, std::uint64_t keys) {
        return choice_rounds<Probe>::scratch_bytes(spec[choice_field::size], keys);
    }
    // All keys at once. From `present` bits the outcome is kept only if it has fewer ones; an error changes nothing.
    result<rounds_report> choose_together(std::span<const key_hash> hashes, rounds_request request) {
        if (request.rounds == 0) request.rounds = rounds_;
        auto made = choice_rounds<Probe>::create(
            {flat::probe_, flat::size_, flat::k_, choices_, is_annealed_}, hashes);
        if (!made) return made.error();
        const bool is_fresh = request.start == rounds_start::fresh;
        const std::uint64_t sum = sum_of(hashes);
        if (!is_fresh && sum != key_sum())
            return make_error(errc::bad_field, "keys")
                .with_found(hashes.size())
                .with_note("they are not those that the filter was built from");
        if (!is_fresh)
            if (auto started = made->start_from(flat::cells_); !started) return started.error();
        rounds_report report = made->run(request);
        if (is_fresh || made->used_counters() < flat::cells_.used_cells()) made->write(flat::cells_);
        set_key_sum(sum);
        report.ones = flat::cells_.used_cells();
        return report;
    }

    using flat::check_payload;
    using flat::fill;

    double estimated_fpr_now() const noexcept {
        return -std::expm1(static_cast<double>(choices_) * std::log1p(-flat::estimated_fpr_now()));
    }

    // Keys that chose one by one and left this many ones. Later rounds save ones: then it is a lower bound.
    double estimated_size() const noexcept {
        const double bits = static_cast<double>(flat::size_);
        const double used =
            std::min(fill(), 1 - 0.5 / bits);  // a full array is read as half a bit short of full
        return bits * choice_keys_per_bit(used, choices_, flat::k_);
    }

private:
    struct need {
        std::array<std::uint64_t, max_probes> bits;
        std::uint64_t count = 0;
    };

    static constexpr std::uint64_t streams_of(std::uint64_t g) noexcept { return stream::group * g; }

    // The different bits of group g that are not set, as long as they are fewer than `limit`.
    need need_of(key_hash hash, std::uint64_t g, std::uint64_t limit) const noexcept {
        need unset;
        auto walk = flat::probe_.places(hash, streams_of(g));
        for (std::uint64_t i = 0; i < flat::k_; ++i) {
            const place at = walk.next();
            if ((flat::cells_.is_used(at.word, at.cell) & 1) != 0) continue;
            const std::uint64_t bit = at.position();
            if (!Probe::distinct && std::find(unset.bits.begin(), unset.bits.begin() + unset.count, bit) !=
                                        unset.bits.begin() + unset.count)
                continue;
            if (unset.count + 1 >= limit) {
                unset.count = limit;
                return unset;
            }
            unset.bits[unset.count++] = bit;
        }
        return unset;
    }

    template <class Visit>
    void for_each_place(key_hash hash, std::uint64_t count, const Visit& visit) const noexcept {
        for (std::uint64_t g = 0; g < choices_; ++g) {
            auto walk = flat::probe_.places(hash, streams_of(g));
            for (std::uint64_t i = 0; i < count; ++i) visit(walk.next().position());
        }
    }

    std::uint64_t key_sum() const noexcept { return load_le<std::uint64_t>(sum_); }
    void set_key_sum(std::uint64_t sum) noexcept { store_le(sum_, sum); }
    static std::uint64_t sum_of(std::span<const key_hash> hashes) noexcept {
        std::uint64_t sum = 0;
        for (const key_hash& hash : hashes) sum += remix(hash, stream::key_sum);
        return sum;
    }

    std::byte* sum_;
    std::uint64_t choices_;
    std::uint64_t rounds_;
    bool is_annealed_;
};

struct choice_bloom_family {
    using types = unpartitioned_types<choice_bloom_view>;
    static std::size_t variant_of(const filter_spec& spec) {
        return flat_variants<choice_bloom_view>::variant_of(flat_spec_of_group(spec));
    }

    static constexpr kind_id id = kind_id::choice_bloom;
    static constexpr std::string_view name = "choice_bloom";
    static constexpr std::string_view meaning =
        "each key sets the best of several groups of k bits: a lower rate in the same memory";
    static constexpr std::span<const field_rule> fields = choice_bloom_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_choice_bloom_spec(spec); }
};

}  // namespace membrane
