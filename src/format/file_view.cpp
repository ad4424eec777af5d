#include <membrane/format/file_view.hpp>

#include <algorithm>
#include <cstring>

#include <membrane/base/endian.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>

namespace membrane {

namespace {

using bytes = std::span<const std::byte>;

error too_short(std::string_view what, bytes file, std::uint64_t least) {
    return make_error(errc::truncated, what)
        .with_found(file.size())
        .with_range(least, UINT64_MAX)
        .at_offset(file.size());
}

result<void> check_magic(bytes file) {
    const std::size_t there = std::min(file.size(), layout::magic.size());
    if (there != 0 && std::memcmp(file.data(), layout::magic.data(), there) != 0)
        return make_error(errc::not_a_membrane_file, "first bytes are not those of a .mbr file").at_offset(0);
    if (file.size() < layout::least_header_bytes)
        return too_short(file.empty() ? "the file is empty" : "bytes of the header", file,
                         layout::least_header_bytes);
    return {};
}

// The bytes of the header, with length and checksum verified.
result<bytes> checked_header(bytes file) {
    if (auto checked = check_magic(file); !checked) return checked.error();
    const auto length = load_le<std::uint32_t>(file.data() + layout::header_bytes_at);
    if (length < layout::least_header_bytes || length > layout::most_header_bytes || length % 64 != 0)
        return make_error(errc::bad_field, "header length, a multiple of 64")
            .with_found(length)
            .with_range(layout::least_header_bytes, layout::most_header_bytes)
            .at_offset(layout::header_bytes_at);
    if (length > file.size()) return too_short("bytes of the header", file, length);
    const bytes header = file.first(length);
    const std::size_t checksum_at = length - layout::checksum_bytes;
    const auto stored = load_le<std::uint64_t>(header.data() + checksum_at);
    if (const auto computed = checksum64(header.first(checksum_at)); stored != computed)
        return make_error(errc::bad_header_checksum, "header")
            .with_found(stored)
            .with_expected(computed)
            .at_offset(checksum_at);
    return header;
}

result<void> check_zeros(bytes header, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
        if (header[i] != std::byte{0})
            return make_error(errc::reserved_not_zero, "header")
                .with_found(std::to_integer<std::uint64_t>(header[i]))
                .with_expected(0)
                .at_offset(i);
    return {};
}

error wrong_length(bytes header, std::size_t field_count, std::size_t sections_bytes) {
    return make_error(errc::bad_field, "header length")
        .with_found(header.size())
        .with_expected(layout::header_bytes(field_count, sections_bytes))
        .at_offset(layout::header_bytes_at);
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
        return make_error(errc::unknown_flag, "must-understand flags")
            .with_found(flags)
            .with_expected(0)
            .at_offset(layout::must_understand_at)
            .with_note("a newer release of membrane wrote this file");
    if (view.kind == nullptr)
        return make_error(errc::unknown_kind, "kind id")
            .with_found(load_le<std::uint32_t>(header.data() + layout::kind_at))
            .at_offset(layout::kind_at)
            .with_note("a newer release of membrane wrote this file");
    const auto hash = load_le<std::uint32_t>(header.data() + layout::hash_at);
    if (!hash_id_from(hash))
        return make_error(errc::unknown_hash, "hash id")
            .with_found(hash)
            .with_range(static_cast<std::uint32_t>(hash_names.front().id),
                        static_cast<std::uint32_t>(hash_names.back().id))
            .at_offset(layout::hash_at);
    const auto field_count = load_le<std::uint32_t>(header.data() + layout::field_count_at);
    if (field_count != view.kind->fields.size())
        return make_error(errc::bad_field, "number of spec fields")
            .with_found(field_count)
            .with_expected(view.kind->fields.size())
            .at_offset(layout::field_count_at);
    // A header has at least room for the fields: they are read before the sections behind them are.
    if (header.size() < layout::header_bytes(field_count)) return wrong_length(header, field_count, 0);
    return check_zeros(header, layout::reserved_at, layout::fields_at);
}

// The sections behind the fields, then zeros, and no more bytes than they need.
result<void> read_sections(bytes header, file_view& view) {
    const std::size_t field_count = view.kind->fields.size();
    const std::size_t first = layout::fields_at + 8 * field_count;
    const std::size_t end = header.size() - layout::checksum_bytes;
    std::size_t at = first;
    const auto flags = load_le<std::uint64_t>(header.data() + layout::may_ignore_at);
    while ((flags & layout::has_sections) != 0 && end - at >= layout::section_head_bytes) {
        const auto id = load_le<std::uint32_t>(header.data() + at);
        if (id == 0) break;
        const auto length = load_le<std::uint32_t>(header.data() + at + 4);
        const std::size_t room = end - at - layout::section_head_bytes;
        if (length > room)
            return make_error(errc::bad_field, "length of a header section")
                .with_found(length)
                .with_range(0, room)
                .at_offset(at + 4);
        const std::size_t text_at = at + layout::section_head_bytes;
        if (id == layout::labels_section) {
            if (!view.labels.empty())
                return make_error(errc::bad_field, "second section of labels").at_offset(at);
            auto labels =
                file_labels::decode({reinterpret_cast<const char*>(header.data() + text_at), length});
            if (!labels) {
                error problem = labels.error();
                return problem.at_offset(text_at);
            }
            view.labels = std::move(*labels);
        }
        at = std::min(end, at + layout::section_bytes(length));
        if (auto checked = check_zeros(header, text_at + length, at); !checked) return checked;
    }
    if (header.size() != layout::header_bytes(field_count, at - first))
        return wrong_length(header, field_count, at - first);
    return check_zeros(header, at, end);
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
    view.spec.planned_fpr = load_le_double(at + layout::planned_fpr_at);
    for (std::size_t i = 0; i < view.kind->fields.size(); ++i)
        view.spec[i] = load_le<std::uint64_t>(at + layout::fields_at + 8 * i);
}

// The kind's own rules; an error gets the file offset of the field that broke one.
result<void> check_spec(const file_view& view) {
    if (!(view.spec.planned_fpr >= 0 && view.spec.planned_fpr <= 1))
        return make_error(errc::bad_field, "planned_fpr")
            .at_offset(layout::planned_fpr_at)
            .with_note("a rate lies between 0 and 1");
    const auto checked = view.kind->check_spec(view.spec);
    if (checked) return {};
    error problem = checked.error();
    for (std::size_t i = 0; i < view.kind->fields.size(); ++i)
        if (view.kind->fields[i].name == problem.what) problem.at_offset(layout::fields_at + 8 * i);
    return problem;
}

result<void> check_payload_length(bytes file, const header_view& header) {
    const std::uint64_t there = file.size() - header.header_bytes;
    if (there != header.payload_bytes)
        return make_error(there < header.payload_bytes ? errc::truncated : errc::trailing_bytes,
                          "payload bytes")
            .with_found(there)
            .with_expected(header.payload_bytes)
            .at_offset(there < header.payload_bytes ? file.size()
                                                    : header.header_bytes + header.payload_bytes);
    return {};
}

}  // namespace

result<header_view> open_header(bytes file, std::span<const kind_rules> kinds) {
    const auto header = checked_header(file);
    if (!header) return header.error();
    header_view made;
    file_view& view = made.filter;
    view.kind = find_kind(kinds, load_le<std::uint32_t>(header->data() + layout::kind_at));
    if (auto checked = check_numbers(*header, view); !checked) return checked.error();
    if (auto checked = read_sections(*header, view); !checked) return checked.error();
    read_numbers(*header, view);
    if (auto checked = check_spec(view); !checked) return checked.error();
    const auto stated = load_le<std::uint64_t>(header->data() + layout::payload_bytes_at);
    const auto needed = view.kind->payload_bytes(view.spec);
    if (!needed) return make_error(errc::size_overflow, "payload of this spec").at_offset(layout::fields_at);
    if (stated != *needed)
        return make_error(errc::bad_field, "payload length")
            .with_found(stated)
            .with_expected(*needed)
            .at_offset(layout::payload_bytes_at);
    made.header_bytes = header->size();
    made.payload_bytes = *needed;
    made.payload_checksum = load_le<std::uint64_t>(header->data() + layout::payload_checksum_at);
    return made;
}

result<file_view> open_view(bytes file, std::span<const kind_rules> kinds, checksum payload_check) {
    const auto header = open_header(file, kinds);
    if (!header) return header.error();
    if (auto checked = check_payload_length(file, *header); !checked) return checked.error();
    file_view view = header->filter;
    view.payload = file.subspan(header->header_bytes);
    if (payload_check == checksum::verify) {
        if (const auto computed = checksum64(view.payload); header->payload_checksum != computed)
            return make_error(errc::bad_payload_checksum, "payload")
                .with_found(computed)
                .with_expected(header->payload_checksum)
                .at_offset(header->header_bytes);
    }
    return view;
}

}  // namespace membrane
