// What bloom and counting_bloom share: an array of cells over borrowed bytes, probed by the scheme of the spec.
//
//   payload:  words of 64 cells, ceil(ceil(size / 64) / 2^fold_log2) of them; all zero is the empty filter
//
// A position is derived for the unfolded array; folding then halves its word number fold_log2 times and keeps its
// place in the word, so that a folded array is the join of 2^fold_log2 neighbouring words.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <membrane/base/cache_sizes.hpp>
#include <membrane/base/result.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/part/flat_shape.hpp>
#include <membrane/part/flat_walk.hpp>
#include <membrane/part/probe/independent_probe.hpp>
#include <membrane/part/probe/partitioned_probe.hpp>
#include <membrane/part/probe/progression_probe.hpp>
#if defined(MEMBRANE_TARGET_AVX2)
#include <membrane/part/flat_lanes_avx2.hpp>
#endif
#include <membrane/part/flat_spec.hpp>

MEMBRANE_TARGET_BEGIN

template <class Cells, class Probe>
class flat_view {
    template <class>
    friend class flat_walk;

public:
    flat_view(const filter_spec& spec, std::byte* payload) noexcept
        : cells_(payload, flat_words(spec)),
          probe_(
              std::is_same_v<Probe, partitioned_probe> ? spec[flat_field::sub_array] : spec[flat_field::size],
              spec[flat_field::k]),
          fold_log2_(spec[flat_field::fold_log2]),
          k_(spec[flat_field::k]),
          modulus_(spec[flat_field::size]),
          size_(usable_cells(spec)) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        return checked_multiply(flat_words(spec), Cells::word_bytes);
    }

    bool insert(key_hash hash) noexcept {
        probe_.all_of(hash, [&](std::uint64_t position) {
            cells_.record(folded(position));
            return true;
        });
        return true;
    }

    [[gnu::flatten]] bool may_contain(key_hash hash) const noexcept {
        return fold_log2_ == 0 ? ask<is_folded::no>(hash) : ask<is_folded::yes>(hash);
    }

    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        if (is_in_memory()) return look_up_many(flat_walk<flat_view>(*this), hashes, answers);
#if defined(MEMBRANE_TARGET_AVX2)
        if constexpr (flat_lanes<Cells, Probe>::has_probe)
            if (flat_lanes<Cells, Probe>::fits(shape()))
                return flat_lanes<Cells, Probe>(shape(), probe_)
                    .look_up_many(hashes, answers, [&](const key_hash& hash) { return may_contain(hash); });
#endif
        std::size_t present = 0;
        bool is_mostly_present = false;
        for (std::size_t first = 0; first < hashes.size(); first += 64) {
            answers[first / 64] = look_up_near(
                hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first)), is_mostly_present);
            present += static_cast<std::size_t>(std::popcount(answers[first / 64]));
        }
        return present;
    }
    bool is_in_memory() const noexcept { return cells_.words() > flat_far_bytes / Cells::word_bytes; }

    // In a large array the cells of later keys are prefetched before this key's are written; in a cached one that would only cost
    // instructions.
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        if (!is_large()) {
            for (const key_hash& hash : hashes) insert(hash);
            return hashes.size();
        }
        // As many cells in flight as a core has outstanding line reads.
        std::uint64_t cells[2 * read_lookahead];
        const std::size_t ahead = std::max<std::size_t>(1, read_lookahead / k_);
        const bool is_far = is_in_memory();
        const auto place_of = [&](std::size_t key) { return cells + key % (ahead + 1) * k_; };
        const auto prefetch = [&](std::size_t key) {
            std::uint64_t* next = place_of(key);
            probe_.all_of(hashes[key], [&](std::uint64_t position) {
                *next = folded(position);
                if (is_far) cells_.prefetch_far(*next++);
                else cells_.prefetch_write(*next++);
                return true;
            });
        };
        for (std::size_t key = 0; key < std::min(ahead, hashes.size()); ++key) prefetch(key);
        for (std::size_t key = 0; key < hashes.size(); ++key) {
            if (key + ahead < hashes.size()) prefetch(key + ahead);
            const std::uint64_t* const first = place_of(key);
            for (std::uint64_t i = 0; i < k_; ++i) cells_.record(first[i]);
        }
        return hashes.size();
    }

    flat_shape shape() const noexcept { return {cells_.data(), modulus_, k_, fold_log2_}; }
    const Probe& probe() const noexcept { return probe_; }

    // The bytes that a walk which stops at the first unused cell reads, in order: visit(offset in the payload).
    template <class Visit>
    void trace_lookup(key_hash hash, Visit&& visit) const noexcept {
        probe_.all_of(hash, [&](std::uint64_t position) {
            const std::uint64_t cell = folded(position);
            visit(cell * Cells::word_bytes / Cells::cells_per_word);
            return cells_.test(cell);
        });
    }

    // Both filters have the same spec: the owner has compared them.
    void merge(const flat_view& other) noexcept {
        for (std::uint64_t i = 0; i < cells_.words(); ++i) cells_.join_word(i, other.cells_, i);
    }
    void intersect(const flat_view& other) noexcept {
        for (std::uint64_t i = 0; i < cells_.words(); ++i) cells_.meet_word(i, other.cells_, i);
    }

    static constexpr std::size_t fold_field = flat_field::fold_log2;
    // Adds this filter into the empty `smaller`, whose spec is this one's folded further.
    void fold_into(flat_view& smaller) const noexcept {
        const std::uint64_t shift = smaller.fold_log2_ - fold_log2_;
        for (std::uint64_t i = 0; i < cells_.words(); ++i) smaller.cells_.join_word(i >> shift, cells_, i);
    }

    double fill() const noexcept {
        return static_cast<double>(cells_.used_cells()) / static_cast<double>(size_);
    }
    double estimated_fpr_now() const noexcept { return std::pow(fill(), static_cast<double>(k_)); }

    // Keys that would leave this many cells unused, by maximum likelihood. A full array says only "very many": it is
    // read as half a cell short of full.
    double estimated_size() const noexcept {
        const double cells = static_cast<double>(size_);
        const double unused = std::max(0.5, cells - static_cast<double>(cells_.used_cells())) / cells;
        const double probes = static_cast<double>(k_);
        double log_unused_by_one_key = probes * std::log1p(-1 / cells);
        if (Probe::distinct) log_unused_by_one_key = std::log1p(-probes / cells);
        if (!(log_unused_by_one_key < 0) || std::isinf(log_unused_by_one_key)) return unused < 1 ? 1 : 0;
        return std::log(unused) / log_unused_by_one_key + 0.0;  // never -0
    }

    // Cells behind the last position are never touched by us: a file in which they are not zero is not ours.
    result<void> check_payload() const {
        if (fold_log2_ != 0) return {};
        for (std::uint64_t cell = size_; cell < cells_.words() * 64; ++cell)
            if (cells_.test(cell))
                return make_error(errc::bad_payload, "a cell behind the end of the array is in use")
                    .with_found(cell);
        return {};
    }

protected:
    std::uint64_t folded(std::uint64_t position) const noexcept {
        return ((position >> fold_log2_) & ~std::uint64_t{63}) | (position & 63);
    }

    // Cells that a position can reach.
    static std::uint64_t usable_cells(const filter_spec& spec) noexcept {
        if (spec[flat_field::fold_log2] != 0) return flat_words(spec) * 64;
        if (std::is_same_v<Probe, partitioned_probe>)
            return spec[flat_field::sub_array] * spec[flat_field::k];
        return spec[flat_field::size];
    }

    // Cells are tested this many at a time: a branch after each would be mispredicted at every second stranger, which
    // costs more than the few reads that stopping earlier saves.
    static constexpr std::uint64_t group = 4;

    // Few filters are folded; the others do not pay for the shift.
    enum class is_folded : bool { no, yes };

    template <is_folded Folded, class Walk>
    std::uint64_t are_used(Walk& walk, std::uint64_t count) const noexcept {
        std::uint64_t all = 1;
        for (; count != 0; --count) {
            const place at = walk.next();
            all &= cells_.is_used(Folded == is_folded::yes ? at.word >> fold_log2_ : at.word, at.cell);
        }
        return all;
    }

    // `streams` selects a group of the key's places, where a kind has several.
    template <is_folded Folded, class... Streams>
    bool ask(key_hash hash, Streams... streams) const noexcept {
        auto walk = probe_.places(hash, streams...);
        std::uint64_t left = k_;
        for (; left > group; left -= group)
            if (are_used<Folded>(walk, group) == 0) return false;
        return are_used<Folded>(walk, left) != 0;
    }

    static constexpr std::size_t stretch = 16;  // keys whose cells are fetched side by side
    bool is_large() const noexcept { return cells_.words() > flat_prefetch_bytes / Cells::word_bytes; }

    // Up to 64 keys of an array in the caches; bit i is the answer for hashes[i]. While most answers are no: the leading group of
    // every key first, without a branch, so that all their cells are fetched side by side, then the rest of the few keys that are
    // still possible. While most are yes: all cells of every key at once. `is_mostly_present` carries that from call to call.
    std::uint64_t look_up_near(std::span<const key_hash> hashes, bool& is_mostly_present) const noexcept {
        std::uint64_t present = 0;
        for (std::size_t first = 0; first < hashes.size(); first += stretch) {
            const auto now = hashes.subspan(first, std::min(stretch, hashes.size() - first));
            const std::uint64_t leading = is_mostly_present ? k_ : std::min(group, k_);
            const std::uint64_t found = fold_log2_ == 0 ? ask_some<is_folded::no>(now, leading)
                                                        : ask_some<is_folded::yes>(now, leading);
            present |= found << first;
            is_mostly_present = 2 * static_cast<std::size_t>(std::popcount(found)) > now.size();
        }
        return present;
    }

    template <is_folded Folded, class... Streams>
    std::uint64_t ask_some(std::span<const key_hash> hashes, std::uint64_t leading,
                           Streams... streams) const noexcept {
        if (is_large())
            for (const key_hash& hash : hashes) {
                auto walk = probe_.places(hash, streams...);
                for (std::uint64_t i = 0; i < leading; ++i) {
                    const place at = walk.next();
                    cells_.prefetch(folded(at.position()));
                }
            }
        std::uint64_t possible = 0;
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            auto walk = probe_.places(hashes[i], streams...);
            std::uint64_t all = 1, left = leading;
            for (; left > group; left -= group) all &= are_used<Folded>(walk, group);
            possible |= (all & are_used<Folded>(walk, left)) << i;
        }
        if (leading == k_) return possible;
        std::uint64_t present = 0;
        for (; possible != 0; possible &= possible - 1) {
            const int i = std::countr_zero(possible);
            auto walk = probe_.places(hashes[static_cast<std::size_t>(i)], streams...);
            for (std::uint64_t skipped = 0; skipped < leading; ++skipped) walk.next();
            present |= are_used<Folded>(walk, k_ - leading) << i;
        }
        return present;
    }

    Cells cells_;
    Probe probe_;
    std::uint64_t fold_log2_;
    std::uint64_t k_;
    std::uint64_t modulus_;
    std::uint64_t size_;
};

MEMBRANE_TARGET_END
