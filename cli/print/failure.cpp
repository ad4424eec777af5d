#include "failure.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include <unistd.h>

#include <fmt/core.h>

#include <membrane/base/utf8.hpp>

#include "numbers.hpp"
#include "terminal.hpp"

namespace membrane::cli {

void fail(exit_code code, std::string message) { throw failure{code, std::move(message)}; }

std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t size = utf8_character_bytes(text);
        if (size != 0 && !is_control_character(text.substr(0, size))) {
            shown.append(text.substr(0, size));
            text.remove_prefix(size);
            continue;
        }
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(1);
    }
    return shown;
}

void say(std::string_view message) {
    try {
        const std::string line =
            emphasised("membrane:", STDERR_FILENO) + fmt::format(" {}\n", printable(message));
        std::fwrite(line.data(), 1, line.size(), stderr);
    } catch (const std::bad_alloc&) {
        // In parts, without memory for the line: this message may be that there is none.
        for (const std::string_view part : {std::string_view("membrane: "), message, std::string_view("\n")})
            std::fwrite(part.data(), 1, part.size(), stderr);
    }
}

exit_code code_of(const membrane::error& problem) {
    switch (problem.code) {
        case errc::io_error:
        case errc::out_of_memory: return exit_code::io;
        case errc::full:
        case errc::counter_overflow:
        case errc::spec_mismatch:
        case errc::already_exists:
        case errc::too_large: return exit_code::refused;
        case errc::not_supported: return exit_code::usage;
        default: return exit_code::bad_data;
    }
}

namespace {

// What the user can do, for errors to which the library adds no note.
std::string_view advice(errc code) {
    switch (code) {
        case errc::not_a_membrane_file: return "give a file that `membrane build` wrote";
        case errc::truncated:
        case errc::trailing_bytes:
        case errc::bad_header_checksum:
        case errc::bad_payload_checksum:
        case errc::reserved_not_zero:
        case errc::bad_field:
        case errc::size_overflow:
        case errc::bad_payload: return "restore it from a copy or build it again";
        case errc::unknown_version:
        case errc::unknown_kind:
        case errc::unknown_flag:
        case errc::unknown_hash: return "a newer release may be able to read it";
        default: return {};
    }
}

}  // namespace

std::string sentence(const membrane::error& problem) {
    membrane::error shown = problem;
    if (shown.most == UINT64_MAX) shown.most.reset();  // no upper limit to print
    switch (problem.code) {
        case errc::io_error:
            if (!problem.found) return fmt::format("cannot {}", problem.what);
            return fmt::format("cannot {}: {}", problem.what,
                               std::strerror(static_cast<int>(*problem.found)));
        case errc::already_exists: return "exists; use --force to replace it";
        case errc::full:
            if (!problem.found || !problem.most) return describe(shown);
            // A batch insertion does not tell which key found no slot, so the message names the size of the batch.
            return fmt::format("{} {} keys, planned for {}; build a larger one with --keys N",
                               problem.what == "keys" ? "is full after" : "has no room for",
                               count_text(*problem.found), count_text(*problem.most));
        case errc::out_of_memory:
            return problem.found ? fmt::format("out of memory (needs {})", bytes_text(*problem.found))
                                 : "out of memory";
        default: return describe(shown);
    }
}

void fail_about(std::string_view file, const membrane::error& problem) {
    membrane::error shown = problem;
    if (shown.note.empty()) shown.note = advice(problem.code);
    fail(code_of(problem), fmt::format("{}: {}", file == "-" ? "standard input" : file, sentence(shown)));
}

void fail_errno(std::string_view file, std::string_view attempt, int error_number) {
    fail(exit_code::io, fmt::format("{}: cannot {}: {}", file, attempt, std::strerror(error_number)));
}

void fail_usage(const membrane::error& problem) { fail(exit_code::usage, sentence(problem)); }

}  // namespace membrane::cli
