// How the tool ends. Codes 0 and 1 follow grep (something was found, nothing was), the others say whose fault it was:
// the command line's, the data's, or the system's. A failure is thrown from wherever it is noticed and printed once, in
// main, so that no command has to hand errors upwards.
#pragma once

#include <string>
#include <utility>

namespace membrane::cli {

enum class exit_code : int {
    done = 0,      // or: some keys are present
    none = 1,      // no key present, nothing removed, or a filter that is not as planned
    usage = 2,     // the command line asks for something that there is not, or that contradicts itself
    bad_data = 3,  // a filter file or a key file does not hold what it should
    io = 4,        // a file, a device or the memory refused
};

inline constexpr char exit_status_text[] =
    "Exit status: 0 done, or some keys are present; 1 no key is present, nothing was removed, or a filter is "
    "not as\n"
    "planned; 2 wrong usage; 3 bad data; 4 input, output or memory failed (silently if the reader of a pipe "
    "went away).";

struct failure {
    exit_code code;
    std::string message;  // without the leading "membrane: "
};

[[noreturn]] inline void fail(exit_code code, std::string message) {
    throw failure{code, std::move(message)};
}

// The reader of our standard output went away: nothing to say and nobody to say it to.
struct closed_pipe {};

}  // namespace membrane::cli
