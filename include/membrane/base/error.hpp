// An error as plain data: a code from a closed set, the subject (a spec field, a file section), the value found there and the
// value expected. The library never prints; `describe` makes the sentence that a front end shows. `what` and `note` are string
// literals, or text that the program never frees, so that an error can be copied without ownership.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace membrane {

enum class errc : std::uint8_t {
    not_a_membrane_file,   // magic bytes do not match: another tool's file, or not a file of ours at all
    truncated,             // fewer bytes than the header promises
    trailing_bytes,        // more bytes than the header promises
    bad_header_checksum,   // the header was changed after it was written
    bad_payload_checksum,  // the payload was changed after it was written
    unknown_version,       // written by a newer release
    unknown_kind,          // kind id or name that this build does not know
    unknown_hash,          // hash id or name that this build does not know
    unknown_flag,          // a must-understand flag of a newer release is set
    reserved_not_zero,     // bytes that this version leaves zero are not zero
    bad_field,             // a spec field or parameter outside its range
    bad_payload,           // the payload contradicts its own spec
    size_overflow,         // a size does not fit into 64 bits
    too_large,             // a size exceeds the limit that the caller set
    out_of_memory,         // the allocation failed; nothing was changed
    spec_mismatch,         // two filters differ in a field that must agree
    not_supported,         // this kind cannot do that
    full,                  // no room for another entry; nothing was changed
    counter_overflow,      // a counter would pass its maximum; nothing was changed
    io_error,              // the operating system refused; `found` is errno
    already_exists,        // the output exists and overwriting was not asked for
};

struct error {
    errc code{};
    std::string_view what{};               // which field, section or file part; always a literal
    std::optional<std::uint64_t> found{};  // the offending number
    std::optional<std::uint64_t> least{};  // expected range, or the one expected value when both are equal
    std::optional<std::uint64_t> most{};
    std::optional<std::uint64_t> offset{};  // byte offset in the file
    std::string_view note{};                // what to do about it; a literal, or text that stays

    constexpr error& with_found(std::uint64_t number) {
        found = number;
        return *this;
    }
    constexpr error& with_range(std::uint64_t low, std::uint64_t high) {
        least = low;
        most = high;
        return *this;
    }
    constexpr error& with_expected(std::uint64_t number) { return with_range(number, number); }
    constexpr error& at_offset(std::uint64_t byte) {
        offset = byte;
        return *this;
    }
    constexpr error& with_note(std::string_view text) {
        note = text;
        return *this;
    }
};

constexpr error make_error(errc code, std::string_view what) {
    error made;
    made.code = code;
    made.what = what;
    return made;
}

constexpr std::string_view meaning(errc code) {
    switch (code) {
        case errc::not_a_membrane_file: return "not a membrane file";
        case errc::truncated: return "truncated";
        case errc::trailing_bytes: return "bytes after the end";
        case errc::bad_header_checksum: return "corrupt header (checksum does not match)";
        case errc::bad_payload_checksum: return "corrupt payload (checksum does not match)";
        case errc::unknown_version: return "format version not known to this release";
        case errc::unknown_kind: return "kind not known to this release";
        case errc::unknown_hash: return "hash not known to this release";
        case errc::unknown_flag: return "flag not known to this release";
        case errc::reserved_not_zero: return "reserved bytes are not zero";
        case errc::bad_field: return "value out of range";
        case errc::bad_payload: return "payload contradicts its header";
        case errc::size_overflow: return "size does not fit into 64 bits";
        case errc::too_large: return "larger than allowed";
        case errc::out_of_memory: return "out of memory";
        case errc::spec_mismatch: return "filters are not alike";
        case errc::not_supported: return "not supported by this kind";
        case errc::full: return "full";
        case errc::counter_overflow: return "counter would overflow";
        case errc::io_error: return "input/output error";
        case errc::already_exists: return "already exists";
    }
    return "unknown error";
}

// ": k (found 99, expected 1 to 64)"
inline void append_numbers(std::string& text, const error& problem) {
    if (!problem.what.empty()) text.append(": ").append(problem.what);
    if (problem.found || problem.least) {
        text += " (";
        if (problem.found && problem.code == errc::io_error)
            text += std::generic_category().message(static_cast<int>(*problem.found));
        else if (problem.found) text += "found " + std::to_string(*problem.found);
        if (problem.found && problem.least) text += ", ";
        if (problem.least) text += problem.most == UINT64_MAX ? "expected at least " : "expected ";
        if (problem.least) text += std::to_string(*problem.least);
        if (problem.most && problem.most != problem.least && problem.most != UINT64_MAX)
            text += " to " + std::to_string(*problem.most);
        text += ')';
    }
}

// "value out of range: k (found 99, expected 1 to 64), at byte 112; note". The found number of an io_error is errno.
inline std::string describe(const error& problem) {
    std::string text{meaning(problem.code)};
    if (problem.code == errc::full && problem.what == "keys" && problem.found && problem.most) {
        text += ": it holds " + std::to_string(*problem.found) + " keys and was made for " +
                std::to_string(*problem.most);
    } else if (problem.code == errc::too_large && !problem.least && problem.most) {
        text.append(": ").append(problem.what) += " (" + std::to_string(*problem.most) + " bytes)";
    } else {
        append_numbers(text, problem);
    }
    if (problem.offset) text += ", at byte " + std::to_string(*problem.offset);
    if (!problem.note.empty()) text.append("; ").append(problem.note);
    return text;
}

}  // namespace membrane
