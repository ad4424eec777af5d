// The trimmed form of a rank filter for transfer: empty cells are left out.
//
//   for each bucket: L base bits; then for each level its higher bits and its cells
//
// Size: L bits per bucket and R + V + 1 bits per entry. The reader knows the number of entries of a level from the index bits
// before it. Unpacking assigns extensions in bucket order, so the payload may differ from the original; its entries do not.
// Source: Hua, Zhao, Lin and Xu, "Rank-indexed hashing", section VI.
#pragma once

#include <cstdint>
#include <span>

#include <membrane/base/target.hpp>
#include <membrane/kind/rank/store.hpp>

MEMBRANE_TARGET_BEGIN

inline std::uint64_t rank_store::least_packed_bytes(const filter_spec& spec) noexcept {
    return *packed_bits::size_bytes(spec[rank_field::buckets] * spec[rank_field::chains]);
}

inline std::uint64_t rank_store::packed_bytes() const noexcept {
    // Never more than the payload, because each part is also in the payload.
    return *packed_bits::size_bytes(layout_.items[0] * shape_.chains + entries() * (1 + shape_.cell_bits()));
}

inline void rank_store::pack(std::byte* to) const noexcept {
    packed_bits packed(to);
    std::uint64_t at = 0;
    const auto send = [&](std::uint64_t value, unsigned count) {
        packed.write(at, count, value);
        at += count;
    };
    for (std::uint64_t i = 0; i < layout_.items[0]; ++i) {
        const rank_bucket bucket = extended_bucket(i).bucket;
        send(bucket.base_index(), shape_.chains);
        for (auto now = bucket.first_level(); now.size != 0 && bucket.fits(now);) {
            const std::uint64_t word = bucket.index_word(now);
            send(word, static_cast<unsigned>(now.size));
            for (std::uint64_t cell = 0; cell < now.size; ++cell)
                send(bucket.cell(now.at + cell), shape_.cell_bits());
            now = rank_bucket::next_level(now, word);
        }
    }
}

// Requires an empty filter. On an error the filter may be partly filled.
inline result<void> rank_store::unpack(std::span<const std::byte> from) noexcept {
    const auto broken = [](const char* what) { return make_error(errc::bad_payload, what); };
    if (from.size() <= packed_bits::slack_bytes) return broken("packed bytes are too few");
    const packed_bits packed(const_cast<std::byte*>(from.data()));
    const std::uint64_t end = 8 * (from.size() - packed_bits::slack_bytes);
    std::uint64_t at = 0;
    const auto receive = [&](unsigned count) {
        at += count;
        return packed.read(at - count, count);
    };
    for (std::uint64_t i = 0; i < layout_.items[0]; ++i) {
        if (end - at < shape_.chains) return broken("packed bytes end inside a bucket");
        bits_.write(item_at(0, i), shape_.chains, receive(shape_.chains));
        extended whole = plain_bucket(i);
        for (auto now = whole.bucket.first_level(); now.size != 0;) {
            if (end - at < now.size * (1 + shape_.cell_bits()))
                return broken("packed bytes end inside a bucket");
            while (!whole.bucket.fits(now))
                if (!extend(whole)) return broken("packed entries are more than the filter holds");
            const std::uint64_t word = receive(static_cast<unsigned>(now.size));
            for (std::uint64_t cell = 0; cell < now.size; ++cell) {
                bits_.put(whole.bucket.index_place(now.at + cell), (word >> cell & 1) != 0);
                whole.bucket.set_cell(now.at + cell, receive(shape_.cell_bits()));
            }
            now = rank_bucket::next_level(now, word);
        }
    }
    if (*packed_bits::size_bytes(at) != from.size()) return broken("packed bytes are too many");
    if (!packed.are_zero(at, end - at) || load_le<std::uint64_t>(from.data() + from.size() - 8) != 0)
        return broken("bits behind the packed ones are not zero");
    return {};
}

MEMBRANE_TARGET_END
