// The one decoder. Everything that opens a filter goes through it, wherever the bytes come from: a file, a mapped file, a
// value of another engine. It copies nothing, and knows the kinds only by the table of rules that the caller passes.
//
// Order of checks: length, header checksum, version, kind, spec rules, exact payload length by checked arithmetic,
// payload checksum. Nothing that a header states is used before it was checked. The last check, whether the payload obeys
// the rules of its kind, needs a view of that kind: any_view::open runs it on the view that it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/result.hpp>
#include <membrane/format/labels.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/spec/filter_spec.hpp>
#include <membrane/spec/kind_rules.hpp>

namespace membrane {

struct file_view {
    const kind_rules* kind =
        nullptr;  // in a decoded file, an element of the table that the decoder was given
    filter_spec spec;
    hasher hash;
    std::uint64_t keys = 0;
    std::uint32_t format_version = 0;
    std::span<const std::byte> payload;
    file_labels labels;
};

// `trust` skips what reads every byte, for large files from a trusted writer: the payload's checksum and, if lookups of
// the kind are memory-safe on unvalidated payloads, the rules of the payload.
enum class checksum : bool { verify, trust };

// Everything but the kind's rules of the payload.
result<file_view> open_view(std::span<const std::byte> file, std::span<const kind_rules> kinds,
                            checksum payload_check = checksum::verify);

// A header alone, checked as far as possible without its payload: its payload checksum has not been compared with anything.
struct header_view {
    file_view filter;  // without payload
    std::uint64_t header_bytes = 0;
    std::uint64_t payload_bytes = 0;  // follows from the spec; the header states the same
    std::uint64_t payload_checksum = 0;
};
result<header_view> open_header(std::span<const std::byte> file, std::span<const kind_rules> kinds);

}  // namespace membrane
