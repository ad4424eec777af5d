// The most counted keys of a count-min sketch, stored in its payload behind the counters:
//
//   u64 slots in use | 56 zero bytes | top_slots slots, largest estimate first, unused slots all zero
//   slot:  key_hash (16 bytes) | u64 estimate | u64 key length | first top_key_bytes bytes of the key, zero-padded to 8
//
// Borrows the bytes. `top` reads it; a heavy_hitters tracker rewrites it as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/base/result.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/kind/count_min/spec.hpp>

namespace membrane {

struct counted_key {
    key_hash hash;
    std::uint64_t estimate = 0;
    std::uint64_t key_bytes = 0;  // length of the key; `key` may hold only its beginning
    std::string key;
};

// Order of the slots: largest estimate first, then by hash, so that equal inputs give equal bytes.
inline bool is_counted_more(const counted_key& a, const counted_key& b) {
    return a.estimate != b.estimate ? a.estimate > b.estimate : a.hash < b.hash;
}

class top_section {
public:
    top_section(const filter_spec& spec, std::byte* bytes) noexcept
        : bytes_(bytes),
          slots_(spec[count_min_field::top_slots]),
          kept_bytes_(spec[count_min_field::top_key_bytes]) {}

    static std::optional<std::uint64_t> size_bytes(const filter_spec& spec) {
        if (spec[count_min_field::top_slots] == 0) return 0;
        const auto slots = checked_multiply(spec[count_min_field::top_slots],
                                            slot_bytes(spec[count_min_field::top_key_bytes]));
        if (!slots) return std::nullopt;
        return checked_add(head_bytes, *slots);
    }

    std::uint64_t slots() const noexcept { return slots_; }
    std::uint64_t used() const noexcept { return slots_ == 0 ? 0 : load_le<std::uint64_t>(bytes_); }

    counted_key entry(std::uint64_t i) const {
        const std::byte* const slot = slot_at(i);
        counted_key made;
        made.hash = {load_le<std::uint64_t>(slot), load_le<std::uint64_t>(slot + 8)};
        made.estimate = load_le<std::uint64_t>(slot + 16);
        made.key_bytes = load_le<std::uint64_t>(slot + 24);
        const auto kept = static_cast<std::size_t>(std::min(made.key_bytes, kept_bytes_));
        made.key.assign(reinterpret_cast<const char*>(slot + slot_head_bytes), kept);
        return made;
    }

    std::vector<counted_key> entries() const {
        std::vector<counted_key> all;
        for (std::uint64_t i = 0; i < used(); ++i) all.push_back(entry(i));
        return all;
    }

    // `sorted`: largest estimate first. Entries that do not fit are dropped.
    void assign(std::span<const counted_key> sorted) noexcept {
        if (slots_ == 0) return;
        std::memset(bytes_, 0, static_cast<std::size_t>(head_bytes + slots_ * slot_bytes(kept_bytes_)));
        const std::uint64_t count = std::min<std::uint64_t>(sorted.size(), slots_);
        store_le(bytes_, count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const counted_key& from = sorted[i];
            std::byte* const slot = slot_at(i);
            store_le(slot, from.hash.low);
            store_le(slot + 8, from.hash.high);
            store_le(slot + 16, from.estimate);
            store_le(slot + 24, from.key_bytes);
            const std::size_t kept = std::min(from.key.size(), static_cast<std::size_t>(kept_bytes_));
            if (kept != 0) std::memcpy(slot + slot_head_bytes, from.key.data(), kept);
        }
    }

    result<void> check() const {
        if (slots_ == 0) return {};
        if (used() > slots_)
            return make_error(errc::bad_payload, "used slots of the most counted keys")
                .with_found(used())
                .with_range(0, slots_);
        if (!are_all_zero({bytes_ + 8, slot_at(0)}))
            return make_error(errc::reserved_not_zero, "head of the most counted keys");
        std::uint64_t last = UINT64_MAX;
        for (std::uint64_t i = 0; i < used(); ++i) {
            const std::byte* const slot = slot_at(i);
            const auto estimate = load_le<std::uint64_t>(slot + 16);
            if (estimate > last)
                return make_error(errc::bad_payload, "order of the most counted keys").with_found(i);
            last = estimate;
            const std::uint64_t kept = std::min(load_le<std::uint64_t>(slot + 24), kept_bytes_);
            if (!are_all_zero({slot + slot_head_bytes + kept, slot_at(i + 1)}))
                return make_error(errc::reserved_not_zero, "bytes behind a most counted key").with_found(i);
        }
        if (!are_all_zero({slot_at(used()), slot_at(slots_)}))
            return make_error(errc::reserved_not_zero, "unused slots of the most counted keys");
        return {};
    }

private:
    static constexpr std::uint64_t head_bytes = 64;
    static constexpr std::uint64_t slot_head_bytes = 32;
    static constexpr std::uint64_t slot_bytes(std::uint64_t kept_bytes) noexcept {
        return slot_head_bytes + (kept_bytes + 7) / 8 * 8;
    }
    std::byte* slot_at(std::uint64_t i) const noexcept {
        return bytes_ + head_bytes + i * slot_bytes(kept_bytes_);
    }

    std::byte* bytes_;
    std::uint64_t slots_;
    std::uint64_t kept_bytes_;
};

}  // namespace membrane
