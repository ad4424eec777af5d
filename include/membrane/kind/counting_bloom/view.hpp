// counting_bloom: a Bloom filter of 4-bit counters (Fan et al., 2000), so that keys can be erased.
//
// A probe counts once per occurrence, also when two probes of a key meet in one counter, and an erase takes back
// exactly that. A counter at 15 never moves again, so nothing wraps and no present key is ever lost.
#pragma once

#include <algorithm>
#include <cstdint>

#include <membrane/base/target.hpp>
#include <membrane/kind/counting_bloom/spec.hpp>
#include <membrane/part/flat_family.hpp>
#include <membrane/part/nibble_array.hpp>

MEMBRANE_TARGET_BEGIN

template <class Probe>
class counting_bloom_view : public flat_view<nibble_array, Probe> {
    using base = flat_view<nibble_array, Probe>;

public:
    using base::base;

    // Only for keys that were inserted: erasing a false positive can cause a false negative for another key.
    // False, and no byte changed, if the key is certainly absent.
    bool erase(key_hash hash) noexcept {
        std::uint64_t taken = 0;
        const bool found = probe_.all_of(hash, [&](std::uint64_t position) {
            const std::uint64_t cell = base::folded(position);
            const unsigned count = cells_.get(cell);
            if (count == 0) return false;
            if (count != nibble_array::saturated) cells_.put(cell, count - 1);
            ++taken;
            return true;
        });
        if (!found && taken != 0) give_back(hash, taken);
        return found;
    }

    // At least the true count; 15 means 15 or more.
    std::uint64_t estimate(key_hash hash) const noexcept {
        unsigned least = nibble_array::saturated;
        probe_.all_of(hash, [&](std::uint64_t position) {
            least = std::min(least, cells_.get(base::folded(position)));
            return least != 0;
        });
        return least;
    }
    static constexpr std::uint64_t largest_estimate = nibble_array::saturated;

private:
    using base::cells_;
    using base::probe_;

    // Counters that an erase lowered stand at 13 or less, those it left alone at 15.
    void give_back(key_hash hash, std::uint64_t count) noexcept {
        probe_.all_of(hash, [&](std::uint64_t position) {
            const std::uint64_t cell = base::folded(position);
            if (const unsigned now = cells_.get(cell); now != nibble_array::saturated)
                cells_.put(cell, now + 1);
            return --count != 0;
        });
    }
};

struct counting_bloom_family : flat_variants<counting_bloom_view> {
    static constexpr kind_id id = kind_id::counting_bloom;
    static constexpr std::string_view name = "counting_bloom";
    static constexpr std::string_view meaning = "4-bit counters instead of bits: keys can be erased";
    static constexpr std::span<const field_rule> fields = counting_bloom_fields;
    static result<void> check_spec(const filter_spec& spec) {
        return check_flat_spec(spec, counting_bloom_fields);
    }
};

MEMBRANE_TARGET_END
