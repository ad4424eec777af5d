// A packed filter: a shorter encoding to send or to store, from which the filter is made again (doc/format.md). Its own
// magic, the header of the filter that unpacking makes, the length and the checksum of the packed bytes, the packed bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/format/file_view.hpp>

namespace membrane {

struct packed_view {
    header_view header;  // of the filter that unpacking makes
    std::span<const std::byte> bytes;
    std::uint64_t bytes_at = 0;  // their offset in the file
};

// Checks magic, header, length and checksum. Only the kind can tell whether the packed bytes make a filter.
result<packed_view> open_packed(std::span<const std::byte> file, std::span<const kind_rules> kinds);

std::vector<std::byte> encode_packed(std::span<const std::byte> header, std::span<const std::byte> bytes);

}  // namespace membrane
