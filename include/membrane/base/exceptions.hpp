// try, catch and throw that compile without exceptions. What they catch there ends the program instead, as everything does that
// throws: the standard library's memory.
#pragma once

#include <new>

#if defined(__cpp_exceptions)
#define MEMBRANE_TRY try
#define MEMBRANE_CATCH(Exception) catch (Exception)
#else
#define MEMBRANE_TRY if (true)
#define MEMBRANE_CATCH(Exception) else
#endif

namespace membrane {

[[noreturn]] inline void throw_bad_alloc() {
#if defined(__cpp_exceptions)
    throw std::bad_alloc();
#else
    __builtin_trap();
#endif
}

}  // namespace membrane
