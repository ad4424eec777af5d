// How the tool ends, and its messages on standard error:
// `membrane: <file>: <problem> (found ..., expected ...); <what to do>`. Standard output carries results only.
//
// A failure is thrown where it is noticed and printed once, in main, so that commands do not pass errors upwards. Exit codes
// 0 and 1 follow grep (something was found, nothing was found); the others say whether the command line, the data or the
// system caused the failure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <membrane/base/error.hpp>
#include <membrane/base/result.hpp>

namespace membrane::cli {

enum class exit_code : int {
    done = 0,      // or: some keys are present
    none = 1,      // no key present, nothing removed, or a filter that is not as planned
    usage = 2,     // unknown or contradictory options
    bad_data = 3,  // a filter file or a key file is malformed
    io = 4,        // a file, a device, a server or the memory failed
    // Files and keys are intact and the machine could go on, but it must not: the filter is full, filters do not fit together, more than
    // --max-bytes is needed, or a file is there that only --force may replace.
    refused = 5,
};

inline constexpr char exit_status_text[] =
    "Exit status: 0 done, or some keys are present; 1 no key is present, nothing was removed, no kind fits, "
    "or a "
    "filter is not as planned; 2 wrong usage; 3 bad data; 4 input, output or memory failed (silently if the "
    "reader "
    "of a pipe went away); 5 refused: a filter is full, two filters do not fit together, --max-bytes is too "
    "small, "
    "or the output exists and --force is not given.";

struct failure {
    exit_code code;
    std::string message;  // without the leading "membrane: "
};

[[noreturn]] void fail(exit_code code, std::string message);

// The reader of standard output closed the pipe. The tool ends without a message.
struct closed_pipe {};

// The text without letters that a terminal takes as commands, and without bytes that are no UTF-8: those become \xNN. Names of files,
// keys and the texts of servers may have them.
std::string printable(std::string_view text);

// Prints a message, as printable() makes it. A message that cannot be written is dropped and is not an error.
void say(std::string_view message);

// The message and the exit code for an error of the library.
std::string sentence(const membrane::error& problem);
exit_code code_of(const membrane::error& problem);

[[noreturn]] void fail_about(std::string_view file, const membrane::error& problem);
[[noreturn]] void fail_errno(std::string_view file, std::string_view attempt, int error_number);

// For requirements and parameters that the library refused: they came from the command line.
[[noreturn]] void fail_usage(const membrane::error& problem);

template <class T>
T value_or_fail(std::string_view file, result<T> outcome) {
    if (!outcome) fail_about(file, outcome.error());
    return std::move(*outcome);
}
inline void check_or_fail(std::string_view file, const result<void>& outcome) {
    if (!outcome) fail_about(file, outcome.error());
}

}  // namespace membrane::cli
