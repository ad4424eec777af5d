// A chain as bytes: what SCANDUMP hands out, LOADCHUNK takes, and the server's own files keep in pieces.
//
//   header   96 bytes, little-endian, with a checksum of its own
//   links    each its length (8 bytes) and the bytes of its .mbr file (doc/format.md), oldest first
//
// The links are read by the one decoder of the library. Nothing that a header says is used before it was checked, and
// memory is taken only for bytes that are there.
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
    std::uint64_t image_bytes = 0;  // header and links
};

std::vector<std::byte> encode_chain_header(const filter_chain& chain);
result<chain_header> open_chain_header(byte_span bytes);

// A link's .mbr file.
std::vector<std::byte> link_file(const any_filter& link);

std::uint64_t image_bytes(const filter_chain& chain);
// At most `most` bytes of the image from `offset` on; empty behind its end.
std::vector<std::byte> image_part(const filter_chain& chain, std::uint64_t offset, std::uint64_t most);
std::vector<std::byte> file_part(const any_filter& link, std::uint64_t offset, std::uint64_t most);

// Puts a chain together from its header and the files of its links.
class chain_assembly {
public:
    chain_assembly(const chain_header& header, std::uint64_t max_bytes)
        : header_(header), max_bytes_(max_bytes), chain_(header.options) {}

    result<void> add_link(byte_span file);
    result<filter_chain> finish();

private:
    chain_header header_;
    std::uint64_t max_bytes_;
    filter_chain chain_;
};

result<filter_chain> open_chain(byte_span image, std::uint64_t max_bytes);
// A chain of one filter that does not grow, out of a .mbr file; its role follows from what its kind can do.
result<filter_chain> open_single(byte_span file, std::uint64_t max_bytes);

}  // namespace membrane::redis
