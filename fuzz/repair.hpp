// Makes the lengths and checksums of arbitrary bytes right, so that a changed file gets past them and what lies behind is
// tested too. The numbers that mean something are left as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <membrane/base/endian.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>

namespace membrane {

// The header length that the file states if it fits into the file, otherwise 0.
inline std::size_t usable_header_bytes(std::span<const std::byte> file) {
    if (file.size() < layout::least_header_bytes) return 0;
    const auto stated = load_le<std::uint32_t>(file.data() + layout::header_bytes_at);
    const bool fits =
        stated >= layout::least_header_bytes && stated <= layout::most_header_bytes && stated <= file.size();
    return fits ? stated : 0;
}

inline void repair_checksums(std::span<std::byte> file) {
    const std::size_t header_bytes = usable_header_bytes(file);
    if (header_bytes == 0) return;
    store_le(file.data() + layout::payload_checksum_at, checksum64(file.subspan(header_bytes)));
    const std::size_t checksum_at = header_bytes - layout::checksum_bytes;
    store_le(file.data() + checksum_at, checksum64(file.first(checksum_at)));
}

// Also the magic, the header length by the number of fields, and the payload length.
inline void repair_all(std::span<std::byte> file) {
    if (file.size() < layout::least_header_bytes) return;
    std::memcpy(file.data(), layout::magic.data(), layout::magic.size());
    const auto fields = load_le<std::uint32_t>(file.data() + layout::field_count_at);
    const std::size_t header_bytes = fields <= 64 ? layout::header_bytes(fields) : layout::least_header_bytes;
    if (header_bytes > file.size()) return;
    store_le(file.data() + layout::header_bytes_at, static_cast<std::uint32_t>(header_bytes));
    store_le(file.data() + layout::payload_bytes_at, static_cast<std::uint64_t>(file.size() - header_bytes));
    repair_checksums(file);
}

}  // namespace membrane
