// remix(hash, stream): an independent 64-bit word for each use of a hash, so that no two decisions read the same bits. Both
// words of the hash are combined with stream constants and multiplied to 128 bits, and the product's halves are xored: one
// multiplication per stream. Stream numbers are part of the file format (doc/format.md); never reuse one.
#pragma once

#include <cstdint>

#include <membrane/base/multiply.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

namespace stream {
inline constexpr std::uint64_t start = 0;            // double and enhanced hashing: first position
inline constexpr std::uint64_t stride = 1;           // double and enhanced hashing: distance
inline constexpr std::uint64_t block = 2;            // blocked kinds: which block
inline constexpr std::uint64_t list_word = 8;        // overflow list: what stands for a key
inline constexpr std::uint64_t block_bits = 0x100;   // + i: the i-th word of positions inside a block
inline constexpr std::uint64_t independent = 0x200;  // + i: the i-th independent position
inline constexpr std::uint64_t row = 0x300;          // + i: the i-th row of a classic count-min sketch
inline constexpr std::uint64_t row_start = 0x400;    // + c: two-hash rows of copy c, first column
inline constexpr std::uint64_t row_stride = 0x500;   // + c: two-hash rows of copy c, distance
inline constexpr std::uint64_t key_sum = 0x800;      // sum over the keys of a filter with choices
inline constexpr std::uint64_t candidate = 0x900;    // + j: the j-th candidate bucket of a placement
inline constexpr std::uint64_t coin = 0xa00;         // + j: the coin at the j-th candidate
inline constexpr std::uint64_t block_positions =
    0xb00;  // + i: the i-th word of positions in a block with a state
inline constexpr std::uint64_t group =
    0x10000;  // times g, added to the above: group g of a filter with choices
inline constexpr std::uint64_t rank_second_line =
    0x702;  // rank-indexed lines, a forwarded entry: which line of the second table
inline constexpr std::uint64_t rank_second_entry = 0x703;  // chain and fingerprint in it
inline constexpr std::uint64_t rank_place = 0x710;         // kind rank: bucket and chain
inline constexpr std::uint64_t rank_fingerprint = 0x711;   // kind rank: fingerprint
}  // namespace stream

constexpr std::uint64_t remix(key_hash hash, std::uint64_t stream_number) noexcept {
    return fold_multiply(hash.low ^ (0x9e3779b97f4a7c15 + stream_number * 0xbf58476d1ce4e5b9),
                         hash.high ^ (0xd1b54a32d192ed03 + stream_number * 0x94d049bb133111eb));
}

}  // namespace membrane
