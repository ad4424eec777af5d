#include <cstring>

#include <membrane/format/encode.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>
#include <membrane/runtime/any_filter.hpp>

namespace membrane {

// The filter that the packed bytes are of, its payload checked as if it came from a file.
result<any_filter> any_filter::unpacked(const filter_spec& spec, const hasher& hash, std::uint64_t keys,
                                        std::span<const std::byte> packed, std::uint64_t max_bytes) {
    auto made = create(spec, hash, max_bytes);
    if (!made) return made;
    if (auto done = made->ops_->packs->unpack(made->view_, packed); !done) return done.error();
    if (auto checked = made->ops_->check_payload(made->view_); !checked) return checked.error();
    made->keys_ = keys;
    return made;
}

result<std::vector<std::byte>> any_view::pack() const {
    if (ops_->packs == nullptr) return unsupported("pack");
    if (auto checked = check_payload(); !checked) return checked.error();
    const std::uint64_t size = ops_->packs->bytes(view_);
    auto packed = aligned_buffer::zeroed(size);
    if (!packed) return packed.error();
    ops_->packs->pack(view_, packed->data());
    // Unpacking may order things anew: the header speaks of the filter as it will be.
    const auto again = any_filter::unpacked(spec_, hash_, keys_, packed->bytes(), no_byte_limit);
    if (!again) return again.error();
    const std::vector<std::byte> header = encode_header(again->as_file());
    std::vector<std::byte> made(layout::packed_header_at + header.size() + layout::packed_numbers_bytes +
                                static_cast<std::size_t>(size));
    std::byte* at = made.data();
    std::memcpy(at, layout::pack_magic.data(), layout::pack_magic.size());
    at += layout::packed_header_at;
    std::memcpy(at, header.data(), header.size());
    at += header.size();
    store_le(at, size);
    store_le(at + 8, checksum64(packed->bytes()));
    std::memcpy(at + layout::packed_numbers_bytes, packed->data(), static_cast<std::size_t>(size));
    return made;
}

result<any_filter> any_filter::unpack(std::span<const std::byte> packed, std::uint64_t max_bytes) {
    const std::size_t there = std::min(packed.size(), layout::pack_magic.size());
    if (there == 0 || std::memcmp(packed.data(), layout::pack_magic.data(), there) != 0)
        return make_error(errc::not_a_membrane_file, "first bytes are not those of a packed filter")
            .with_note("give a file that `membrane pack` wrote")
            .at_offset(0);
    const auto rest = packed.subspan(std::min(packed.size(), layout::packed_header_at));
    const auto header = open_header(rest, registered_rules());
    if (!header) {
        error problem = header.error();
        if (problem.offset) problem.at_offset(*problem.offset + layout::packed_header_at);
        return problem;
    }
    const std::size_t numbers_at = layout::packed_header_at + static_cast<std::size_t>(header->header_bytes);
    const std::size_t bytes_at = numbers_at + layout::packed_numbers_bytes;
    if (packed.size() < bytes_at)
        return make_error(errc::truncated, "packed bytes")
            .with_found(packed.size())
            .with_range(bytes_at, UINT64_MAX)
            .at_offset(packed.size());
    const auto bytes = packed.subspan(bytes_at);
    const auto stated = load_le<std::uint64_t>(packed.data() + numbers_at);
    if (stated != bytes.size())
        return make_error(stated > bytes.size() ? errc::truncated : errc::trailing_bytes, "packed bytes")
            .with_found(bytes.size())
            .with_expected(stated)
            .at_offset(bytes_at);
    const auto stored = load_le<std::uint64_t>(packed.data() + numbers_at + 8);
    if (const auto computed = checksum64(bytes); computed != stored)
        return make_error(errc::bad_payload_checksum, "packed bytes")
            .with_found(computed)
            .with_expected(stored)
            .at_offset(bytes_at);
    const file_view& filter = header->filter;
    // Memory is taken only for a filter that these bytes may be of.
    const kind_ops& ops = find_entry(filter.spec.kind)->ops_for(filter.spec);
    if (ops.packs == nullptr) return make_error(errc::not_supported, "unpack");
    if (const std::uint64_t least = ops.packs->least_bytes(filter.spec); bytes.size() < least)
        return make_error(errc::truncated, "packed bytes")
            .with_found(bytes.size())
            .with_range(least, UINT64_MAX)
            .at_offset(bytes_at);
    auto made = unpacked(filter.spec, filter.hash, filter.keys, bytes, max_bytes);
    if (!made) {
        error problem = made.error();
        return problem.code == errc::bad_payload ? problem.at_offset(bytes_at) : problem;
    }
    if (const auto computed = checksum64(made->payload()); computed != header->payload_checksum)
        return make_error(errc::bad_payload_checksum, "payload that the packed bytes make")
            .with_found(computed)
            .with_expected(header->payload_checksum);
    return made;
}

}  // namespace membrane
