// The one exception of the library, and the one place that throws it. Calls whose names begin with try_ return the error instead; they
// are the ones for programs compiled without exceptions.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <membrane/base/error.hpp>
#include <membrane/base/result.hpp>

namespace membrane {

class filter_error : public std::runtime_error {
public:
    explicit filter_error(const membrane::error& problem)
        : std::runtime_error(describe(problem)), problem_(problem) {}
    // `subject`: what the error is about, such as the path of a file.
    filter_error(const membrane::error& problem, std::string_view subject)
        : std::runtime_error(std::string(subject).append(": ").append(describe(problem))),
          problem_(problem) {}

    const membrane::error& error() const noexcept { return problem_; }
    errc code() const noexcept { return problem_.code; }

private:
    membrane::error problem_;
};

// A template, so that only programs that make such a call are refused.
template <class Dependent = void, class... Subject>
[[noreturn]] void raise([[maybe_unused]] const error& problem, [[maybe_unused]] const Subject&... subject) {
#if defined(__cpp_exceptions)
    throw filter_error(problem, subject...);
#else
    static_assert(sizeof(Dependent*) == 0,
                  "membrane: without exceptions use the form of this call whose name begins with try_");
    __builtin_trap();
#endif
}

// What a call returned, or its error as an exception.
template <class T>
T value_or_raise(result<T>&& outcome) {
    if (!outcome) raise(outcome.error());
    if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}
// Calls that cannot fail.
template <class T>
T value_or_raise(T&& value) {
    return value;
}

}  // namespace membrane
