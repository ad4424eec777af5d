#include <membrane/format/file_view.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#include <membrane/base/endian.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>

namespace membrane {

namespace {

using bytes = std::span<const std::byte>;

result<void> check_magic(bytes file) {
    const std::size_t there = std::min(file.size(), layout::magic.size());
    if (there != 0 && std::memcmp(file.data(), layout::magic.data(), there) != 0)
        return make_error(errc::not_a_membrane_file, "first bytes are not those of a .mbr file").at_offset(0);
    if (file.size() < layout::least_header_bytes)
        return make_error(errc::truncated, file.empty() ? "the file is empty" : "header")
            .with_found(file.size())
            .with_range(layout::least_header_bytes, UINT64_MAX);
    return {};
}

// The header's bytes, with length and checksum verified.
result<bytes> checked_header(bytes file) {
    if (auto checked = check_magic(file); !checked) return checked.error();
    const auto length = load_le<std::uint32_t>(file.data() + layout::header_bytes_at);
    if (length < layout::least_header_bytes || length > layout::most_header_bytes || length % 64 != 0)
        return make_error(errc::bad_header_checksum, "header length, a multiple of 64")
            .with_found(length)
            .with_range(layout::least_header_bytes, layout::most_header_bytes)
            .at_offset(layout::header_bytes_at);
    if (length > file.size())
        return make_error(errc::truncated, "header").with_found(file.size()).with_range(length, UINT64_MAX);
    const bytes header = file.first(length);
    const std::size_t checksum_at = length - layout::checksum_bytes;
    if (load_le<std::uint64_t>(header.data() + checksum_at) != checksum64(header.first(checksum_at)))
        return make_error(errc::bad_header_checksum, "header").at_offset(checksum_at);
    return header;
}

result<void> check_numbers(bytes header, const file_view& view) {
    const auto version = load_le<std::uint32_t>(header.data() + layout::version_at);
    if (version != layout::format_version)
        return make_error(errc::unknown_version, "format version")
            .with_found(version)
            .with_expected(layout::format_version)
            .at_offset(layout::version_at)
            .with_note("a newer release of membrane wrote this file");
    const auto flags = load_le<std::uint64_t>(header.data() + layout::must_understand_at);
    if (flags != 0)
        return make_error(errc::unknown_flag, "must-understand flags").with_found(flags).with_expected(0).at_offset(layout::must_understand_at);
    if (view.kind == nullptr)
        return make_error(errc::unknown_kind, "kind id")
            .with_found(load_le<std::uint32_t>(header.data() + layout::kind_at))
            .at_offset(layout::kind_at);
    const auto hash = load_le<std::uint32_t>(header.data() + layout::hash_at);
    if (!hash_id_from(hash)) return make_error(errc::unknown_hash, "hash id").with_found(hash).at_offset(layout::hash_at);
    const auto field_count = load_le<std::uint32_t>(header.data() + layout::field_count_at);
    if (field_count != view.kind->fields.size() || header.size() != layout::header_bytes(field_count))
        return make_error(errc::bad_field, "number of spec fields")
            .with_found(field_count)
            .with_expected(view.kind->fields.size())
            .at_offset(layout::field_count_at);
    const bytes padding = header.subspan(layout::fields_at + 8 * std::size_t{field_count});
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    if (load_le<std::uint32_t>(header.data() + layout::reserved_at) != 0 ||
        !std::all_of(padding.begin(), padding.end() - layout::checksum_bytes, is_zero))
        return make_error(errc::reserved_not_zero, "header padding").at_offset(layout::reserved_at);
    return {};
}

void read_numbers(bytes header, file_view& view) {
    const std::byte* const at = header.data();
    view.format_version = load_le<std::uint32_t>(at + layout::version_at);
    view.hash.id = *hash_id_from(load_le<std::uint32_t>(at + layout::hash_at));
    view.hash.key = {load_le<std::uint64_t>(at + layout::hash_key_at),
                     load_le<std::uint64_t>(at + layout::hash_key_at + 8)};
    view.keys = load_le<std::uint64_t>(at + layout::keys_at);
    view.spec.kind = view.kind->id;
    view.spec.planned_keys = load_le<std::uint64_t>(at + layout::planned_keys_at);
    view.spec.planned_fpr = std::bit_cast<double>(load_le<std::uint64_t>(at + layout::planned_fpr_at));
    for (std::size_t i = 0; i < view.kind->fields.size(); ++i)
        view.spec[i] = load_le<std::uint64_t>(at + layout::fields_at + 8 * i);
}

result<void> check_payload_length(bytes file, bytes header, const file_view& view) {
    const auto stated = load_le<std::uint64_t>(header.data() + layout::payload_bytes_at);
    const auto needed = view.kind->payload_bytes(view.spec);
    if (!needed) return make_error(errc::size_overflow, "payload of this spec");
    if (stated != *needed)
        return make_error(errc::bad_field, "payload length")
            .with_found(stated)
            .with_expected(*needed)
            .at_offset(layout::payload_bytes_at);
    const std::uint64_t there = file.size() - header.size();
    if (there < *needed) return make_error(errc::truncated, "payload bytes").with_found(there).with_expected(*needed);
    if (there > *needed) return make_error(errc::trailing_bytes, "payload bytes").with_found(there).with_expected(*needed);
    return {};
}

}  // namespace

result<file_view> open_view(bytes file, std::span<const kind_rules> kinds, checksum payload_check) {
    const auto header = checked_header(file);
    if (!header) return header.error();
    file_view view;
    view.kind = find_kind(kinds, load_le<std::uint32_t>(header->data() + layout::kind_at));
    if (auto checked = check_numbers(*header, view); !checked) return checked.error();
    read_numbers(*header, view);
    if (!(view.spec.planned_fpr >= 0 && view.spec.planned_fpr <= 1))
        return make_error(errc::bad_field, "planned_fpr").at_offset(layout::planned_fpr_at).with_note("a rate lies between 0 and 1");
    if (auto checked = view.kind->check_spec(view.spec); !checked) return checked.error();
    if (auto checked = check_payload_length(file, *header, view); !checked) return checked.error();
    view.payload = file.subspan(header->size());
    if (payload_check == checksum::verify &&
        load_le<std::uint64_t>(header->data() + layout::payload_checksum_at) != checksum64(view.payload))
        return make_error(errc::bad_payload_checksum, "payload").at_offset(header->size());
    if (auto checked = view.kind->check_payload(view.spec, view.payload); !checked) return checked.error();
    return view;
}

}  // namespace membrane
