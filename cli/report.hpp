// Messages for people, on standard error: `membrane: <file>: <what> (found ..., expected ...); <what to do>`.
// Standard output carries results only. A message that cannot be written is dropped: it must not become an error itself.
#pragma once

#include <string>
#include <string_view>

#include <membrane/base/error.hpp>
#include <membrane/base/result.hpp>

#include "exit_code.hpp"

namespace membrane::cli {

void say(std::string_view message);

// What the user reads for an error of the library, and the code to end with.
std::string sentence(const membrane::error& problem);
exit_code code_of(const membrane::error& problem);

[[noreturn]] void fail_about(std::string_view file, const membrane::error& problem);
[[noreturn]] void fail_errno(std::string_view file, std::string_view action, int error_number);

// Options that the library refused: always the command line's fault.
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
