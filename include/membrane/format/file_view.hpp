// The one decoder. open_view checks bytes from anywhere (a file, a mapped file, a value of another engine) and gives
// back what they say; it copies nothing. Everything else that opens a filter goes through it.
//
// Order of checks: length, header checksum, version, kind, spec rules, exact payload length by checked arithmetic,
// payload checksum, payload rules. Nothing that a header says is used before it was checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/result.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/spec/filter_spec.hpp>
#include <membrane/spec/kind_rules.hpp>

namespace membrane {

struct file_view {
    const kind_rules* kind = nullptr;
    filter_spec spec;
    hasher hash;
    std::uint64_t keys = 0;
    std::uint32_t format_version = 0;
    std::span<const std::byte> payload;
    bool is_payload_checked = true;  // by the kind's rules
};

// `trust` leaves out what reads every byte, for large files of one's own: the payload's checksum, and the payload's rules
// of a kind that can be asked without them.
enum class checksum : bool { verify, trust };

result<file_view> open_view(std::span<const std::byte> file, std::span<const kind_rules> kinds,
                            checksum payload_check = checksum::verify);

// A header alone, checked as far as it can be without its payload: what it says of the payload is not yet true of anything.
struct header_view {
    file_view filter;  // without payload
    std::uint64_t header_bytes = 0;
    std::uint64_t payload_bytes = 0;  // that the spec has, and the header says
    std::uint64_t payload_checksum = 0;
};
result<header_view> open_header(std::span<const std::byte> file, std::span<const kind_rules> kinds);

}  // namespace membrane
