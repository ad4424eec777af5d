// Sizes up to which tables count as near: how lookups and batches are compiled depends on whether they wait for memory. Measured on
// server processors with 1 to 2 MiB of second-level cache and 16 to 32 MiB of shared third-level cache; only speed depends on
// them, never an answer.
#pragma once

#include <cstdint>

namespace membrane {

// Lines that lookups need one at a time: up to here the waits are short, and instructions and branches cost most
// (doc/decisions/0011).
inline constexpr std::uint64_t near_cache_bytes = std::uint64_t{8} << 20;
// Flat arrays, which read several lines per key: from here on prefetching pays (doc/decisions/0006) ...
inline constexpr std::uint64_t flat_prefetch_bytes = std::uint64_t{4} << 20;
// ... and from here on an array is in memory: more than one core's share of the caches.
inline constexpr std::uint64_t flat_far_bytes = std::uint64_t{16} << 20;

}  // namespace membrane
