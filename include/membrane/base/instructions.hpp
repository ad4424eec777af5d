// Which instructions a piece of code is written for. A program that is compiled for AVX2 gets that code wherever a header has
// it (`native_code`); the library itself is compiled for any machine and chooses when it runs (src/kernel). Every arm64
// processor has NEON, so that programs for it have that code always.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define MEMBRANE_HAVE_AVX2 1
#define MEMBRANE_AVX2 [[gnu::target("avx2")]] inline
// Compiled for every instruction that came with AVX2, what it calls included.
#define MEMBRANE_NEW_CODE [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
// Compiled for the vector instructions alone.
#define MEMBRANE_VECTOR_CODE MEMBRANE_AVX2
#elif defined(__aarch64__) && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MEMBRANE_HAVE_NEON 1
#define MEMBRANE_NEW_CODE [[gnu::flatten]]
#define MEMBRANE_VECTOR_CODE inline
#endif

#if defined(MEMBRANE_HAVE_AVX2) || defined(MEMBRANE_HAVE_NEON)
#define MEMBRANE_HAVE_KERNELS 1
#endif

namespace membrane {

struct plain_code {};
struct avx2_code {};
struct neon_code {};

#if defined(MEMBRANE_HAVE_NEON)
using vector_code = neon_code;
#else
using vector_code = avx2_code;
#endif

#if defined(MEMBRANE_HAVE_NEON) || (defined(MEMBRANE_HAVE_AVX2) && defined(__AVX2__))
using native_code = vector_code;
#else
using native_code = plain_code;
#endif

}  // namespace membrane
