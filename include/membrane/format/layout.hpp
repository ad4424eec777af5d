// Where each number stands in a file of format version 1 (doc/format.md has the same names and a worked example).
// Little-endian; the payload follows the header at a multiple of 64 bytes, so that a mapped file is a view.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <membrane/base/checked_math.hpp>

namespace membrane::layout {

// A high bit and both line ends, so that 7-bit channels and text-mode transfers are noticed.
inline constexpr std::array<unsigned char, 8> magic{0x89, 'M', 'B', 'R', 0x0d, 0x0a, 0x1a, 0x0a};
inline constexpr std::uint32_t format_version = 1;

inline constexpr std::size_t magic_at = 0;
inline constexpr std::size_t version_at = 8;            // u32
inline constexpr std::size_t header_bytes_at = 12;      // u32, a multiple of 64
inline constexpr std::size_t kind_at = 16;              // u32
inline constexpr std::size_t hash_at = 20;              // u32
inline constexpr std::size_t must_understand_at = 24;   // u64, flags: an unknown one refuses the file
inline constexpr std::size_t may_ignore_at = 32;        // u64, flags: an unknown one is no obstacle
inline constexpr std::size_t hash_key_at = 40;          // 16 bytes
inline constexpr std::size_t planned_keys_at = 56;      // u64
inline constexpr std::size_t planned_fpr_at = 64;       // IEEE 754 binary64
inline constexpr std::size_t keys_at = 72;              // u64
inline constexpr std::size_t payload_bytes_at = 80;     // u64
inline constexpr std::size_t payload_checksum_at = 88;  // u64, XXH3-64 of the payload
inline constexpr std::size_t field_count_at = 96;       // u32
inline constexpr std::size_t reserved_at = 100;         // u32, zero
inline constexpr std::size_t fields_at = 104;     // u64 each; then sections, if there are any; then zeros
inline constexpr std::size_t checksum_bytes = 8;  // u64 at the header's end, XXH3-64 of all before it

inline constexpr std::size_t least_header_bytes = 128;
inline constexpr std::size_t most_header_bytes = 4096;

constexpr std::size_t header_bytes(std::size_t field_count, std::size_t sections_bytes = 0) {
    return (fields_at + 8 * field_count + sections_bytes + checksum_bytes + 63) / 64 * 64;
}

// A flag of may_ignore: sections follow the fields. Each has an id and a length (u32 each), its bytes, and zeros up to a multiple of 8;
// the id 0 ends them. A reader skips sections that it does not know.
inline constexpr std::uint64_t has_sections = 1;
inline constexpr std::size_t section_head_bytes = 8;
inline constexpr std::uint32_t labels_section = 1;  // format/labels.hpp

constexpr std::size_t section_bytes(std::size_t length) { return section_head_bytes + (length + 7) / 8 * 8; }

// A packed filter: its own magic, then a whole header (of the filter that unpacking makes), then two words and the bytes.
inline constexpr std::array<unsigned char, 8> pack_magic{0x89, 'M', 'B', 'P', 0x0d, 0x0a, 0x1a, 0x0a};
inline constexpr std::size_t packed_header_at = 8;
inline constexpr std::size_t packed_numbers_bytes = 16;  // u64 length and u64 XXH3-64 of the packed bytes

}  // namespace membrane::layout
