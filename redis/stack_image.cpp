#include "stack_image.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/hash/xxh3.hpp>

namespace membrane::redis {

namespace {

constexpr std::array<unsigned char, 8> magic{0x89, 'M', 'B', 'C', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::uint32_t version_of_files = 1, version_of_few = 2;
constexpr std::size_t length_bytes = 8;

// Offsets in the header.
namespace at {
constexpr std::size_t version = 8, header_bytes = 12, role = 16, links = 20, error_rate = 24, expansion = 32,
                      first_keys = 40, erased = 48, bucket_size = 56, max_iterations = 60,
                      has_given_kind = 64, reserved = 68, image_bytes = 72, checksum = 88;
}

std::uint64_t header_bytes_of(const any_filter& link) { return link.file_bytes() - link.size_bytes(); }

// Appends the intersection of [from, to) with `bytes`, which are at `start` of the image or file.
void append_overlap(std::vector<std::byte>& chunk, std::uint64_t from, std::uint64_t to, std::uint64_t start,
                    byte_span bytes) {
    const std::uint64_t first = std::max(from, start), last = std::min(to, start + bytes.size());
    if (first >= last) return;
    const byte_span piece =
        bytes.subspan(static_cast<std::size_t>(first - start), static_cast<std::size_t>(last - first));
    chunk.insert(chunk.end(), piece.begin(), piece.end());
}

// The same for the file of a link. Encodes the header only if the range reaches it, because its checksum reads the whole
// payload.
void append_file_overlap(std::vector<std::byte>& chunk, std::uint64_t from, std::uint64_t to,
                         std::uint64_t start, const any_filter& link) {
    const std::uint64_t payload_at = start + header_bytes_of(link);
    if (from < payload_at && to > start)
        append_overlap(chunk, from, to, start,
                       encode_header(link.as_file(), payload_checksum(link.payload())));
    append_overlap(chunk, from, to, payload_at, link.payload());
}

}  // namespace

std::vector<std::byte> encode_stack_header(const filter_stack& stack) {
    const stack_options& options = stack.options();
    std::vector<std::byte> header(stack_header_bytes);
    std::byte* const bytes = header.data();
    std::memcpy(bytes, magic.data(), magic.size());
    store_le(bytes + at::version, stack.few() == nullptr ? version_of_files : version_of_few);
    store_le(bytes + at::header_bytes, static_cast<std::uint32_t>(stack_header_bytes));
    store_le(bytes + at::role, static_cast<std::uint32_t>(options.role));
    store_le(bytes + at::links, static_cast<std::uint32_t>(stack.filters()));
    store_le(bytes + at::error_rate, std::bit_cast<std::uint64_t>(options.error_rate));
    store_le(bytes + at::expansion, options.expansion);
    store_le(bytes + at::first_keys, options.first_keys);
    store_le(bytes + at::erased, stack.erased());
    store_le(bytes + at::bucket_size, options.bucket_size);
    store_le(bytes + at::max_iterations, options.max_iterations);
    store_le(bytes + at::has_given_kind, std::uint32_t{options.has_given_kind});
    store_le(bytes + at::image_bytes, image_bytes(stack));
    store_le(bytes + at::checksum, checksum64(std::span(header).first(at::checksum)));
    return header;
}

result<stack_header> open_stack_header(byte_span bytes) {
    if (bytes.size() < stack_header_bytes)
        return make_error(errc::truncated, "stack header")
            .with_found(bytes.size())
            .with_expected(stack_header_bytes);
    const std::byte* const data = bytes.data();
    if (std::memcmp(data, magic.data(), magic.size()) != 0)
        return make_error(errc::not_a_membrane_file, "first bytes are not those of a dumped stack");
    const auto number = [&](std::size_t offset) { return load_le<std::uint64_t>(data + offset); };
    const auto half = [&](std::size_t offset) { return load_le<std::uint32_t>(data + offset); };
    if (const auto sum = checksum64(bytes.first(at::checksum)); sum != number(at::checksum))
        return make_error(errc::bad_header_checksum, "stack header")
            .with_found(number(at::checksum))
            .with_expected(sum);
    if (half(at::version) != version_of_files && half(at::version) != version_of_few)
        return make_error(errc::unknown_version, "stack version")
            .with_found(half(at::version))
            .with_range(version_of_files, version_of_few);
    if (half(at::header_bytes) != stack_header_bytes || half(at::has_given_kind) > 1 ||
        half(at::role) > UINT8_MAX)
        return make_error(errc::bad_field, "stack header");
    if (half(at::reserved) != 0 || number(at::image_bytes + 8) != 0)
        return make_error(errc::reserved_not_zero, "stack header");
    stack_header header;
    header.options = {.role = static_cast<stack_role>(half(at::role)),
                      .has_given_kind = half(at::has_given_kind) != 0,
                      .error_rate = std::bit_cast<double>(number(at::error_rate)),
                      .expansion = number(at::expansion),
                      .first_keys = number(at::first_keys),
                      .bucket_size = half(at::bucket_size),
                      .max_iterations = half(at::max_iterations)};
    header.erased = number(at::erased);
    header.links = half(at::links);
    header.image_bytes = number(at::image_bytes);
    if (auto checked = check_options(header.options); !checked) return checked.error();
    if (header.links < 1 || header.links > max_links)
        return make_error(errc::bad_field, "links").with_found(header.links).with_range(1, max_links);
    return header;
}

std::vector<std::byte> link_file(const filter_stack& stack, std::size_t link) {
    if (stack.few() != nullptr) return stack.few()->image();
    const any_filter& filter = stack.links()[link].filter;
    return file_chunk(filter, 0, filter.file_bytes());
}

std::uint64_t image_bytes(const filter_stack& stack) {
    std::uint64_t sum = stack_header_bytes;
    if (stack.few() != nullptr) sum += length_bytes + stack.few()->image_bytes();
    for (const stack_link& link : stack.links()) sum += length_bytes + link.filter.file_bytes();
    return sum;
}

std::vector<std::byte> image_chunk(const filter_stack& stack, std::uint64_t offset, std::uint64_t most) {
    const std::uint64_t total = image_bytes(stack);
    const std::uint64_t end = offset + std::min(most, total - std::min(offset, total));
    std::vector<std::byte> chunk;
    chunk.reserve(static_cast<std::size_t>(end - offset));
    if (offset < stack_header_bytes) append_overlap(chunk, offset, end, 0, encode_stack_header(stack));
    std::uint64_t start = stack_header_bytes;
    const auto append_length = [&](std::uint64_t bytes) {
        std::array<std::byte, length_bytes> length;
        store_le(length.data(), bytes);
        append_overlap(chunk, offset, end, start, length);
        start += length_bytes;
    };
    if (stack.few() != nullptr) {
        append_length(stack.few()->image_bytes());
        append_overlap(chunk, offset, end, start, stack.few()->image());
    }
    for (const stack_link& link : stack.links()) {
        append_length(link.filter.file_bytes());
        append_file_overlap(chunk, offset, end, start, link.filter);
        start += link.filter.file_bytes();
    }
    return chunk;
}

std::vector<std::byte> file_chunk(const any_filter& link, std::uint64_t offset, std::uint64_t most) {
    const std::uint64_t total = link.file_bytes();
    const std::uint64_t end = offset + std::min(most, total - std::min(offset, total));
    std::vector<std::byte> chunk;
    chunk.reserve(static_cast<std::size_t>(end - offset));
    append_file_overlap(chunk, offset, end, 0, link);
    return chunk;
}

result<filter_stack> stack_builder::finish() {
    if (stack_.filters() != header_.links)
        return make_error(errc::truncated, "links").with_found(stack_.filters()).with_expected(header_.links);
    if (image_bytes(stack_) != header_.image_bytes)
        return make_error(errc::bad_field, "image length")
            .with_found(header_.image_bytes)
            .with_expected(image_bytes(stack_));
    stack_.set_erased(header_.erased);
    return std::move(stack_);
}

result<filter_stack> open_stack(byte_span image, std::uint64_t max_bytes) {
    const auto header = open_stack_header(image);
    if (!header) return header.error();
    if (header->image_bytes != image.size())
        return make_error(errc::truncated, "image bytes")
            .with_found(image.size())
            .with_expected(header->image_bytes);
    stack_builder builder(*header, max_bytes);
    byte_span rest = image.subspan(stack_header_bytes);
    for (std::uint32_t i = 0; i < header->links; ++i) {
        if (rest.size() < length_bytes) return make_error(errc::truncated, "link length");
        const auto length = load_le<std::uint64_t>(rest.data());
        rest = rest.subspan(length_bytes);
        if (length > rest.size())
            return make_error(errc::truncated, "link bytes").with_found(rest.size()).with_expected(length);
        if (auto added = builder.add_link(rest.first(static_cast<std::size_t>(length))); !added)
            return added.error();
        rest = rest.subspan(static_cast<std::size_t>(length));
    }
    return builder.finish();
}

}  // namespace membrane::redis
