// The header of a file in the newest format version. In a file the payload follows it, unchanged from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/format/file_view.hpp>

namespace membrane {

// Reads every byte of the payload.
std::uint64_t payload_checksum(std::span<const std::byte> payload);

// Needs `filter.kind`; of the payload only its length is used. format_version is ignored.
std::vector<std::byte> encode_header(const file_view& filter, std::uint64_t checksum_of_payload);

// The whole file in memory: header, with the checksum computed here, and a copy of the payload.
std::vector<std::byte> encode_file(const file_view& filter);

}  // namespace membrane
