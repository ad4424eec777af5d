// The serialized form of a stack: SCANDUMP sends it, LOADCHUNK receives it, and RDB files store its header and its links as
// separate strings.
//
//   header   96 bytes, little-endian, with a checksum; version 1, or 2 if the only link is a list of few numbers
//   links    oldest first; each has its length (8 bytes) and the bytes of its .mbr file (doc/format.md) or image (few_numbers.hpp)
//
// A growth under way is to be ended before (filter_stack::settle). The decoders of the library and of few_numbers read the links. All
// fields of a header are checked before they are used, and memory is allocated only for bytes that were received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter_stack.hpp"

namespace membrane::redis {

inline constexpr std::size_t stack_header_bytes = 96;

struct stack_header {
    stack_options options;
    std::uint64_t erased = 0;
    std::uint32_t links = 0;
    std::uint64_t image_bytes = 0;  // of header and links
};

std::vector<std::byte> encode_stack_header(const filter_stack& stack);
result<stack_header> open_stack_header(byte_span bytes);

// The bytes of each link, the .mbr file or the image of few numbers.
std::vector<std::byte> link_file(const filter_stack& stack, std::size_t link);

std::uint64_t image_bytes(const filter_stack& stack);
// At most `most` bytes from `offset` on; empty at the end.
std::vector<std::byte> image_chunk(const filter_stack& stack, std::uint64_t offset, std::uint64_t most);
std::vector<std::byte> file_chunk(const any_filter& link, std::uint64_t offset, std::uint64_t most);

// Makes a stack from its header and the files of its links.
class stack_builder {
public:
    stack_builder(const stack_header& header, std::uint64_t max_bytes)
        : header_(header), max_bytes_(max_bytes), stack_(header.options) {}

    result<void> add_link(byte_span file) { return stack_.append_file(file, max_bytes_); }
    result<filter_stack> finish();

private:
    stack_header header_;
    std::uint64_t max_bytes_;
    filter_stack stack_;
};

result<filter_stack> open_stack(byte_span image, std::uint64_t max_bytes);

}  // namespace membrane::redis
