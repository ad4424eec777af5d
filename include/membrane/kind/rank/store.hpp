// The memory of the kind `rank`: buckets, their extensions, insertion and erasure of entries. The modes in kind/rank/view.hpp
// define what an entry's value means. The layout is in kind/rank/spec.hpp; all zero is the empty filter.
//
// A full bucket takes a free extension, and a full extension a free last extension. An erasure that empties an extension frees
// it. If none is free, the insertion is refused and no byte changes. The search for a free extension starts at a position
// derived from the bucket number, so that it is short until nearly all are taken.
// Source: Hua, Zhao, Lin and Xu, "Rank-indexed hashing", sections III and IV.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/result.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/rank/bucket.hpp>
#include <membrane/kind/rank/spec.hpp>

MEMBRANE_TARGET_BEGIN

struct rank_entry {
    std::uint64_t bucket;
    std::uint64_t chain;
    std::uint64_t fingerprint;
};

class rank_store {
public:
    rank_store(const filter_spec& spec, std::byte* payload) noexcept
        : bits_(payload),
          layout_(rank_layout::of(spec).value_or(rank_layout{})),
          shape_{static_cast<std::uint8_t>(spec[rank_field::chains]),
                 static_cast<std::uint8_t>(spec[rank_field::fingerprint_bits]),
                 static_cast<std::uint8_t>(spec[rank_field::value_bits])} {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto layout = rank_layout::of(spec);
        return layout ? packed_bits::size_bytes(layout->size_bits) : std::nullopt;
    }

    static constexpr bool can_be_full = true;
    // Which extension a bucket gets depends on the insertions before.
    static constexpr bool depends_on_order = true;

    bool may_contain(key_hash hash) const noexcept {
        bool found = false;
        visit_equal(entry_of(hash), [&](std::uint64_t, std::uint64_t) {
            found = true;
            return false;
        });
        return found;
    }
    void prefetch(key_hash hash) const noexcept {
        prefetch_for_read(bits_.at(item_at(0, entry_of(hash).bucket)));
    }
    void prefetch_insert(key_hash hash) const noexcept {
        const std::uint64_t at = item_at(0, entry_of(hash).bucket);
        for (std::uint64_t bit = 0; bit < layout_.item_bits[0]; bit += 512)
            prefetch_for_write(bits_.at(at + bit));
    }

    // The bytes that a lookup reads, in order: visit(offset in the payload).
    template <class Visit>
    void trace_lookup(key_hash hash, Visit&& visit) const {
        const rank_entry asked = entry_of(hash);
        const auto visit_bits = [&](std::uint64_t bit, std::uint64_t count) {
            visit(bit / 8);
            visit((bit + count - 1) / 8);
        };
        extended whole = plain_bucket(asked.bucket);
        visit_bits(item_at(0, asked.bucket), shape_.chains);
        std::uint64_t word = whole.bucket.base_index(), rank = asked.chain;
        for (auto now = whole.bucket.first_level(); (word >> rank & 1) != 0;
             now = whole.bucket.next_level(now, word)) {
            rank = whole.bucket.ones_below(word, rank);
            while (!whole.bucket.fits(now)) {
                visit_bits(link_at(whole.level, whole.items[whole.level]),
                           1u + layout_.link_bits[whole.level]);
                if (!follow(whole)) return;
            }
            visit_bits(whole.bucket.cell_place(now.at + rank), shape_.cell_bits());
            if (shape_.fingerprint_of(whole.bucket.cell(now.at + rank)) == asked.fingerprint) return;
            word = whole.bucket.index_word(now);
            visit_bits(whole.bucket.index_place(now.at), 1);
            visit_bits(whole.bucket.index_place(now.at + now.size - 1), 1);
        }
    }

    double fill() const noexcept {
        double cells = 0;
        for (unsigned level = 0; level < rank_layout::levels; ++level)
            cells += static_cast<double>(layout_.items[level]) * layout_.cells[level];
        return static_cast<double>(entries()) / cells;
    }
    // Every entry makes one of B L 2^R (bucket, chain, fingerprint) triples a positive.
    double estimated_fpr_now() const noexcept {
        const double places = std::ldexp(static_cast<double>(layout_.items[0]) * shape_.chains,
                                         static_cast<int>(shape_.fingerprint_bits));
        return -std::expm1(-static_cast<double>(entries()) / places);
    }

    std::uint64_t entries() const noexcept {
        std::uint64_t all = 0;
        for (std::uint64_t i = 0; i < layout_.items[0]; ++i) all += extended_bucket(i).bucket.size();
        return all;
    }
    // visit(entry, value) for every entry, bucket by bucket.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::uint64_t i = 0; i < layout_.items[0]; ++i)
            extended_bucket(i).bucket.for_each([&](std::uint64_t chain, std::uint64_t cell) {
                visit(rank_entry{i, chain, shape_.fingerprint_of(cell)}, shape_.value_of(cell));
            });
    }

    // The trimmed form for transfer (kind/rank/transfer.hpp).
    static std::uint64_t least_packed_bytes(const filter_spec& spec) noexcept;  // of a checked spec
    std::uint64_t packed_bytes() const noexcept;
    void pack(std::byte* to) const noexcept;  // `to`: packed_bytes() zero bytes
    result<void> unpack(std::span<const std::byte> from) noexcept;

protected:
    // One multiplication gives both: the bucket is the high word of (word * B), the chain is derived from the low word.
    rank_entry entry_of(key_hash hash) const noexcept {
        const wide_product place = multiply_wide(remix(hash, stream::rank_place), layout_.items[0]);
        return {place.high, fastrange(place.low, shape_.chains),
                remix(hash, stream::rank_fingerprint) & low_bits(shape_.fingerprint_bits)};
    }

    // The entries of the chain with the same fingerprint: visit(cell index in its bucket, cell) returns whether to continue. Most
    // chains end in the bucket itself, so extensions are only followed when the chain reaches them.
    template <class Visit>
    void visit_equal(const rank_entry& asked, Visit&& visit) const {
        extended whole = plain_bucket(asked.bucket);
        whole.bucket.visit_chain(
            asked.chain,
            [&](std::uint64_t at, std::uint64_t cell) {
                return shape_.fingerprint_of(cell) != asked.fingerprint || visit(at, cell);
            },
            [&](rank_bucket&) { return follow(whole); });
    }

    bool insert_entry(const rank_entry& added, std::uint64_t value) noexcept {
        extended whole = extended_bucket(added.bucket);
        const auto end = whole.bucket.end_level();
        // Refuse to change a corrupt bucket.
        if (end.size != 0) return false;
        if (end.at == whole.bucket.capacity() && !extend(whole)) return false;
        whole.bucket.insert(added.chain, shape_.cell_of(added.fingerprint, value), end.at);
        return true;
    }
    void erase_entry(const rank_entry& gone, std::uint64_t cell_number) noexcept {
        extended whole = extended_bucket(gone.bucket);
        whole.bucket.erase(gone.chain, cell_number);
        if (whole.level != 0 && whole.bucket.size() <= whole.bucket.capacity() - layout_.cells[whole.level])
            free_last_extension(whole);
    }
    void set_value(const rank_entry& changed, std::uint64_t cell_number, std::uint64_t value) noexcept {
        extended_bucket(changed.bucket)
            .bucket.set_cell(cell_number, shape_.cell_of(changed.fingerprint, value));
    }

    // Inserts all entries of another filter with `insert(entry, value)`, or none. `other` must not be this filter.
    template <class Insert>
    result<void> take_all(const rank_store& other, const Insert& insert) {
        const auto size_bytes = static_cast<std::size_t>(*packed_bits::size_bytes(layout_.size_bits));
        if (entries() == 0) {
            std::memmove(bits_.data(), other.bits_.data(), size_bytes);
            return {};
        }
        auto before = aligned_buffer::copy_of({bits_.data(), size_bytes});
        if (!before) return before.error();
        bool has_room = true;
        other.for_each([&](const rank_entry& entry, std::uint64_t value) {
            has_room = has_room && insert(entry, value);
        });
        if (has_room) return {};
        std::memcpy(bits_.data(), before->data(), size_bytes);
        return make_error(errc::full, "merge")
            .with_note("no extension is free for the entries of both filters");
    }

    packed_bits bits_;
    rank_layout layout_;
    rank_cell_shape shape_;

private:
    struct extended {
        rank_bucket bucket;
        unsigned level = 0;                                 // level of its last extension; 0 if it has none
        std::uint64_t items[rank_layout::levels]{0, 0, 0};  // numbers of the bucket and of its extensions
    };

    std::uint64_t item_at(unsigned level, std::uint64_t item) const noexcept {
        return layout_.items_at[level] + item * layout_.item_bits[level];
    }
    std::uint64_t index_at(unsigned level, std::uint64_t item) const noexcept {
        return item_at(level, item) + (level == 0 ? shape_.chains : 0u);
    }
    std::uint64_t link_at(unsigned level, std::uint64_t item) const noexcept {
        return index_at(level, item) + layout_.cells[level];
    }
    bool is_last(unsigned level) const noexcept { return level + 1 == rank_layout::levels; }
    rank_segment segment(unsigned level, std::uint64_t item) const noexcept {
        return {index_at(level, item),
                link_at(level, item) + (is_last(level) ? 0 : 1u + layout_.link_bits[level]),
                layout_.cells[level]};
    }
    std::uint64_t link_of(unsigned level, std::uint64_t item) const noexcept {
        const unsigned width = layout_.link_bits[level];
        return width == 0 ? 0 : bits_.read(link_at(level, item) + 1, width);
    }

    extended plain_bucket(std::uint64_t number) const noexcept {
        extended made{rank_bucket(bits_, shape_, item_at(0, number), segment(0, number))};
        made.items[0] = number;
        return made;
    }
    extended extended_bucket(std::uint64_t number) const noexcept {
        extended made = plain_bucket(number);
        while (follow(made)) {
        }
        return made;
    }
    // Adds the next extension if there is one. A pointer out of range (corrupt payload) counts as none.
    bool follow(extended& whole) const noexcept {
        const std::uint64_t from = whole.items[whole.level];
        if (is_last(whole.level) || !bits_.test(link_at(whole.level, from))) return false;
        const std::uint64_t to = link_of(whole.level, from);
        if (to >= layout_.items[whole.level + 1]) return false;
        append_extension(whole, to);
        return true;
    }
    void append_extension(extended& whole, std::uint64_t item) const noexcept {
        whole.items[++whole.level] = item;
        whole.bucket.extend(segment(whole.level, item));
    }

    // Takes a free extension. False, and no byte changed, if there is none.
    bool extend(extended& whole) noexcept {
        if (is_last(whole.level)) return false;
        const auto free = free_item(whole.level + 1, whole.items[0]);
        if (!free) return false;
        set_link(whole, *free, true);
        append_extension(whole, *free);
        return true;
    }
    void free_last_extension(const extended& whole) noexcept {
        extended before = whole;
        --before.level;
        set_link(before, whole.items[whole.level], false);
    }
    void set_link(const extended& whole, std::uint64_t to, bool is_taken) noexcept {
        const std::uint64_t at = link_at(whole.level, whole.items[whole.level]);
        bits_.put(at, is_taken);
        if (const unsigned width = layout_.link_bits[whole.level]; width != 0)
            bits_.write(at + 1, width, is_taken ? to : 0);
        bits_.put(layout_.taken_at[whole.level + 1] + to, is_taken);
    }
    std::optional<std::uint64_t> free_item(unsigned level, std::uint64_t bucket) const noexcept {
        const std::uint64_t count = layout_.items[level];
        std::uint64_t at = fastrange(bucket * 0x9e3779b97f4a7c15, count);
        for (std::uint64_t seen = 0; seen < count;) {
            const auto now = static_cast<unsigned>(std::min({count - at, count - seen, std::uint64_t{64}}));
            const std::uint64_t free = ~bits_.read(layout_.taken_at[level] + at, now) & low_bits(now);
            if (free != 0) return at + static_cast<std::uint64_t>(std::countr_zero(free));
            seen += now;
            at = at + now == count ? 0 : at + now;
        }
        return std::nullopt;
    }

    friend class rank_store_check;
};

MEMBRANE_TARGET_END
