// The serialized form of a chain: SCANDUMP sends it, LOADCHUNK receives it, and RDB files store its header and its links as
// separate strings.
//
//   header   96 bytes, little-endian, with a checksum
//   links    oldest first; each has its length (8 bytes) and the bytes of its .mbr file (doc/format.md)
//
// The library's decoder reads the links. All fields of a header are checked before they are used, and memory is allocated only
// for bytes that were received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter_chain.hpp"

namespace membrane::redis {

using byte_span = std::span<const std::byte>;

inline constexpr std::size_t chain_header_bytes = 96;

struct chain_header {
    chain_options options;
    std::uint64_t erased = 0;
    std::uint32_t links = 0;
    std::uint64_t image_bytes = 0;  // of header and links
};

std::vector<std::byte> encode_chain_header(const filter_chain& chain);
result<chain_header> open_chain_header(byte_span bytes);

// The .mbr file of a link.
std::vector<std::byte> link_file(const any_filter& link);

std::uint64_t image_bytes(const filter_chain& chain);
// At most `most` bytes from `offset` on; empty at the end.
std::vector<std::byte> image_chunk(const filter_chain& chain, std::uint64_t offset, std::uint64_t most);
std::vector<std::byte> file_chunk(const any_filter& link, std::uint64_t offset, std::uint64_t most);

// Makes a chain from its header and the files of its links.
class chain_builder {
public:
    chain_builder(const chain_header& header, std::uint64_t max_bytes)
        : header_(header), max_bytes_(max_bytes), chain_(header.options) {}

    result<void> add_link(byte_span file);
    result<filter_chain> finish();

private:
    chain_header header_;
    std::uint64_t max_bytes_;
    filter_chain chain_;
};

result<filter_chain> open_chain(byte_span image, std::uint64_t max_bytes);
// Makes a chain of one link, which does not grow, from a .mbr file. The role follows from the capabilities of the kind.
result<filter_chain> open_single(byte_span file, std::uint64_t max_bytes);

}  // namespace membrane::redis
