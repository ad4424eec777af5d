#include <membrane/format/encode.hpp>

#include <cstring>

#include <membrane/base/endian.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>

namespace membrane {

std::uint64_t payload_checksum(std::span<const std::byte> payload) { return checksum64(payload); }

std::vector<std::byte> encode_header(const file_view& filter, std::uint64_t checksum_of_payload) {
    const std::size_t field_count = filter.kind->fields.size();
    const std::string_view labels = filter.labels.text();
    const std::size_t labels_bytes = labels.empty() ? 0 : layout::section_bytes(labels.size());
    std::vector<std::byte> header(layout::header_bytes(field_count, labels_bytes));
    std::byte* const at = header.data();
    std::memcpy(at + layout::magic_at, layout::magic.data(), layout::magic.size());
    store_le(at + layout::version_at, layout::format_version);
    store_le(at + layout::header_bytes_at, static_cast<std::uint32_t>(header.size()));
    store_le(at + layout::kind_at, static_cast<std::uint32_t>(filter.spec.kind));
    store_le(at + layout::hash_at, static_cast<std::uint32_t>(filter.hash.id));
    store_le(at + layout::hash_key_at, filter.hash.key.low);
    store_le(at + layout::hash_key_at + 8, filter.hash.key.high);
    store_le(at + layout::planned_keys_at, filter.spec.planned_keys);
    store_le_double(at + layout::planned_fpr_at, filter.spec.planned_fpr);
    store_le(at + layout::keys_at, filter.keys);
    store_le(at + layout::payload_bytes_at, static_cast<std::uint64_t>(filter.payload.size()));
    store_le(at + layout::payload_checksum_at, checksum_of_payload);
    store_le(at + layout::field_count_at, static_cast<std::uint32_t>(field_count));
    for (std::size_t i = 0; i < field_count; ++i) store_le(at + layout::fields_at + 8 * i, filter.spec[i]);
    if (!labels.empty()) {
        store_le(at + layout::may_ignore_at, layout::has_sections);
        std::byte* const section = at + layout::fields_at + 8 * field_count;
        store_le(section, layout::labels_section);
        store_le(section + 4, static_cast<std::uint32_t>(labels.size()));
        std::memcpy(section + layout::section_head_bytes, labels.data(), labels.size());
    }
    const std::size_t checksum_at = header.size() - layout::checksum_bytes;
    store_le(at + checksum_at, checksum64(std::span(header).first(checksum_at)));
    return header;
}

std::vector<std::byte> encode_file(const file_view& filter) {
    std::vector<std::byte> file = encode_header(filter, payload_checksum(filter.payload));
    file.insert(file.end(), filter.payload.begin(), filter.payload.end());
    return file;
}

}  // namespace membrane
