#include <membrane/format/packed.hpp>

#include <algorithm>
#include <cstring>

#include <membrane/base/endian.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>

namespace membrane {

result<packed_view> open_packed(std::span<const std::byte> file, std::span<const kind_rules> kinds) {
    const std::size_t there = std::min(file.size(), layout::pack_magic.size());
    if (there == 0 || std::memcmp(file.data(), layout::pack_magic.data(), there) != 0)
        return make_error(errc::not_a_membrane_file, "first bytes are not those of a packed filter")
            .with_note("give a file that `membrane pack` wrote")
            .at_offset(0);
    const auto rest = file.subspan(std::min(file.size(), layout::packed_header_at));
    const auto header = open_header(rest, kinds);
    if (!header) {
        error problem = header.error();
        if (problem.offset) problem.at_offset(*problem.offset + layout::packed_header_at);
        return problem;
    }
    const std::size_t numbers_at = layout::packed_header_at + static_cast<std::size_t>(header->header_bytes);
    const std::size_t bytes_at = numbers_at + layout::packed_numbers_bytes;
    if (file.size() < bytes_at)
        return make_error(errc::truncated, "packed bytes")
            .with_found(file.size())
            .with_range(bytes_at, UINT64_MAX)
            .at_offset(file.size());
    const auto bytes = file.subspan(bytes_at);
    const auto stated = load_le<std::uint64_t>(file.data() + numbers_at);
    if (stated != bytes.size())
        return make_error(stated > bytes.size() ? errc::truncated : errc::trailing_bytes, "packed bytes")
            .with_found(bytes.size())
            .with_expected(stated)
            .at_offset(bytes_at);
    const auto stored = load_le<std::uint64_t>(file.data() + numbers_at + 8);
    if (const auto computed = checksum64(bytes); computed != stored)
        return make_error(errc::bad_payload_checksum, "packed bytes")
            .with_found(computed)
            .with_expected(stored)
            .at_offset(bytes_at);
    return packed_view{*header, bytes, bytes_at};
}

std::vector<std::byte> encode_packed(std::span<const std::byte> header, std::span<const std::byte> bytes) {
    std::vector<std::byte> file(layout::packed_header_at + header.size() + layout::packed_numbers_bytes +
                                bytes.size());
    std::byte* at = file.data();
    std::memcpy(at, layout::pack_magic.data(), layout::pack_magic.size());
    at += layout::packed_header_at;
    std::memcpy(at, header.data(), header.size());
    at += header.size();
    store_le(at, static_cast<std::uint64_t>(bytes.size()));
    store_le(at + 8, checksum64(bytes));
    if (!bytes.empty()) std::memcpy(at + layout::packed_numbers_bytes, bytes.data(), bytes.size());
    return file;
}

}  // namespace membrane
