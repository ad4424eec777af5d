// Which instructions a piece of code is written for. A program that is compiled for AVX2 gets that code wherever a header has
// it (`native_code`); the library itself is compiled for any machine and chooses when it runs (src/kernel).
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define MEMBRANE_HAVE_AVX2 1
#define MEMBRANE_AVX2 [[gnu::target("avx2")]] inline
// Compiled for every instruction that came with AVX2, what it calls included.
#define MEMBRANE_NEW_CODE [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
#endif

namespace membrane {

struct plain_code {};
struct avx2_code {};

#if defined(MEMBRANE_HAVE_AVX2) && defined(__AVX2__)
using native_code = avx2_code;
#else
using native_code = plain_code;
#endif

}  // namespace membrane
