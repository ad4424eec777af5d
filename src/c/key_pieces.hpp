// The keys of a batch, whatever their form, as pieces of hashes that stay in the first-level cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include <membrane/base/endian.hpp>

#include "handle.hpp"

namespace membrane::c {

// Whether the batch can be read at all; not whether its pointers are valid.
membrane_status check_keys(const membrane_keys* keys) noexcept;

constexpr bool are_integers(const membrane_keys& keys) noexcept {
    return keys.form == MEMBRANE_UNSIGNED || keys.form == MEMBRANE_SIGNED;
}

inline std::uint64_t integer_at(const membrane_keys& keys, std::uint64_t i) noexcept {
    const auto load = [&]<class Unsigned>(Unsigned value) -> std::uint64_t {
        std::memcpy(&value, static_cast<const std::byte*>(keys.data) + i * sizeof value, sizeof value);
        if (keys.form == MEMBRANE_UNSIGNED) return value;
        return static_cast<std::uint64_t>(static_cast<std::make_signed_t<Unsigned>>(value));
    };
    switch (keys.width) {
        case 1: return load(std::uint8_t{});
        case 2: return load(std::uint16_t{});
        case 4: return load(std::uint32_t{});
        default: return load(std::uint64_t{});
    }
}

template <class Offset>
std::string_view slice_at(const membrane_keys& keys, std::uint64_t i) noexcept {
    const auto* const offsets = static_cast<const Offset*>(keys.places);
    return text_of(static_cast<const char*>(keys.data) + offsets[i],
                   static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
}

// Of a key that is bytes.
inline std::string_view bytes_at(const membrane_keys& keys, std::uint64_t i) noexcept {
    switch (keys.form) {
        case MEMBRANE_POINTERS:
            return text_of(static_cast<const void* const*>(keys.data)[i],
                           static_cast<const std::size_t*>(keys.places)[i]);
        case MEMBRANE_OFFSETS32: return slice_at<std::int32_t>(keys, i);
        case MEMBRANE_OFFSETS64: return slice_at<std::int64_t>(keys, i);
        default: {
            const std::string_view all(static_cast<const char*>(keys.data) + i * keys.width, keys.width);
            if (keys.form == MEMBRANE_BYTES) return all;
            std::size_t length = keys.width;
            while (length != 0 && all[length - 1] == 0) --length;
            return all.substr(0, length);
        }
    }
}

// Calls use(hashes) for one piece after the other until it answers false. The keys are checked.
template <class Use>
void for_pieces(const hasher& hash, const membrane_keys& keys, const Use& use) {
    if (keys.form == MEMBRANE_HASHES) {
        static_assert(sizeof(membrane_hash) == sizeof(key_hash));
        key_hash hashes[hash_piece];
        for (std::uint64_t first = 0; first < keys.count; first += hash_piece) {
            const auto now =
                static_cast<std::size_t>(std::min<std::uint64_t>(hash_piece, keys.count - first));
            std::memcpy(static_cast<void*>(hashes), static_cast<const membrane_hash*>(keys.data) + first,
                        now * sizeof(key_hash));
            if (!use(std::span<const key_hash>(hashes, now))) return;
        }
        return;
    }
    const auto hash_all = [&]<class Key>(Key, const auto& key_at) {
        Key piece[hash_piece];
        key_hash hashes[hash_piece];
        for (std::uint64_t first = 0; first < keys.count; first += hash_piece) {
            const auto now =
                static_cast<std::size_t>(std::min<std::uint64_t>(hash_piece, keys.count - first));
            for (std::size_t i = 0; i < now; ++i) piece[i] = key_at(keys, first + i);
            hash.hash_all(std::span<const Key>(piece, now), hashes);
            if (!use(std::span<const key_hash>(hashes, now))) return;
        }
    };
    if (are_integers(keys) && keys.width == 8 && reinterpret_cast<std::uintptr_t>(keys.data) % 8 == 0) {
        key_hash hashes[hash_piece];
        const auto* const numbers = static_cast<const std::uint64_t*>(keys.data);
        for (std::uint64_t first = 0; first < keys.count; first += hash_piece) {
            const auto now =
                static_cast<std::size_t>(std::min<std::uint64_t>(hash_piece, keys.count - first));
            hash.hash_all(std::span(numbers + first, now), hashes);
            if (!use(std::span<const key_hash>(hashes, now))) return;
        }
    } else if (are_integers(keys)) hash_all(std::uint64_t{}, integer_at);
    else hash_all(std::string_view(), bytes_at);
}

}  // namespace membrane::c
