// XXH3 with 128 bits from libxxhash, inlined. Seeded but NOT resistant to chosen keys: for speed. Both words of the hash key
// are folded into XXH3's 64-bit seed, because XXH3 only permutes its outputs for neighbouring seeds on short inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <membrane/base/endian.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/hash/hash_key.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

inline std::uint64_t xxh3_seed(const hash_key& key) noexcept {
    return fold_multiply(key.low ^ 0x9e3779b97f4a7c15, key.high ^ 0xd1b54a32d192ed03);
}

inline key_hash xxh3_hash128(std::uint64_t seed, std::span<const std::byte> bytes) noexcept {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
    return {hash.low64, hash.high64};
}

inline key_hash xxh3_hash128(const hash_key& key, std::span<const std::byte> bytes) noexcept {
    return xxh3_hash128(xxh3_seed(key), bytes);
}

inline key_hash xxh3_hash128(const hash_key& key, std::uint64_t number) noexcept {
    std::byte bytes[8];
    store_le(bytes, number);
    return xxh3_hash128(key, bytes);
}

// Unkeyed 64-bit checksum of file sections.
inline std::uint64_t checksum64(std::span<const std::byte> bytes) noexcept {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace membrane
