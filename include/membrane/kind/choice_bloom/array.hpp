// The base class of all forms of choice_bloom: the bits, the key sum, online insertion and offline rounds over all keys.
//
//   payload:  ceil(size_bits / 64) words of 64 bits | key sum, a u64.   All zero is the empty filter.
//
// The key sum is the sum of remix(hash, stream::key_sum) over all insertions. Rounds that start from a filled filter clear bits,
// so they need exactly the keys that are in it; the bits cannot prove that, the sum can (up to chance).
//
// Group g of a key uses the streams of a single group plus stream::group * g. Ties go to the first group, so that the same keys
// in the same order give the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/choice_bloom/rounds.hpp>
#include <membrane/kind/choice_bloom/spec.hpp>
#include <membrane/part/bit_span.hpp>
#include <membrane/part/flat_view.hpp>

MEMBRANE_TARGET_BEGIN

template <class Probe>
class choice_array : protected flat_view<bit_span, Probe> {
protected:
    using flat = flat_view<bit_span, Probe>;

public:
    // A key's choice depends on the bits set before.
    static constexpr bool depends_on_order = true;

    choice_array(const filter_spec& spec, std::byte* payload) noexcept
        : flat(flat_spec_of_group(spec), payload),
          choices_(spec[choice_field::choices]),
          sum_(payload + flat_words(flat_spec_of_group(spec)) * bit_span::word_bytes),
          rounds_(spec[choice_field::rounds]),
          is_annealed_(spec[choice_field::search] == search::annealed) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto bits = flat::payload_bytes(flat_spec_of_group(spec));
        return bits ? checked_add(*bits, sizeof(std::uint64_t)) : std::nullopt;
    }

    bool insert(key_hash hash) noexcept {
        unset_bits best = unset_bits_of(hash, 0, flat::k_ + 1);
        for (std::uint64_t g = 1; g < choices_ && best.count != 0; ++g)
            if (const unset_bits other = unset_bits_of(hash, g, best.count); other.count < best.count)
                best = other;
        for (std::uint64_t i = 0; i < best.count; ++i) flat::cells_.set(best.bits[i]);
        set_key_sum(key_sum() + remix(hash, stream::key_sum));
        return true;
    }

    // No key is lost. The merged filter has more ones, and a higher rate, than one filter that inserted all the keys.
    void merge(const choice_array& other) noexcept {
        flat::merge(other);
        set_key_sum(key_sum() + other.key_sum());
    }

    static constexpr std::size_t rounds_field = choice_field::rounds;
    static std::optional<std::uint64_t> rounds_scratch_bytes(const filter_spec& spec, std::uint64_t keys) {
        return choice_rounds<Probe>::scratch_bytes(spec[choice_field::size], keys);
    }
    // Offline construction: all keys are placed jointly. Starting from the `present` bits, the result is only kept if it has fewer
    // ones. On an error nothing changes.
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

protected:
    static constexpr std::uint64_t streams_of(std::uint64_t g) noexcept { return stream::group * g; }

    std::uint64_t choices_;

private:
    struct unset_bits {
        std::array<std::uint64_t, max_probes> bits;
        std::uint64_t count = 0;
    };

    // The distinct unset bits of group g. Stops as soon as there are `limit` of them, because such a group is not chosen.
    unset_bits unset_bits_of(key_hash hash, std::uint64_t g, std::uint64_t limit) const noexcept {
        unset_bits unset;
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

    std::uint64_t key_sum() const noexcept { return load_le<std::uint64_t>(sum_); }
    void set_key_sum(std::uint64_t sum) noexcept { store_le(sum_, sum); }
    static std::uint64_t sum_of(std::span<const key_hash> hashes) noexcept {
        std::uint64_t sum = 0;
        for (const key_hash& hash : hashes) sum += remix(hash, stream::key_sum);
        return sum;
    }

    std::byte* sum_;
    std::uint64_t rounds_;
    bool is_annealed_;
};

MEMBRANE_TARGET_END
