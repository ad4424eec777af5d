// The target: the instruction set that parts and kinds are compiled for. One source, three targets:
//
//   portable  any machine (on x86-64 that includes SSE2)
//   avx2      AVX2, BMI1, BMI2, LZCNT and POPCNT, which came to x86-64 together
//   neon      every little-endian arm64
//
// All code between MEMBRANE_TARGET_BEGIN and MEMBRANE_TARGET_END lies in an inline namespace named for its target, so that the
// same function compiled for two targets is two symbols: a program may link units compiled with and without -mavx2.
//
// A header-only user gets the target that the unit is compiled for. The library compiles its kinds once per target whatever the
// compiler's flags are (MEMBRANE_LIBRARY_PORTABLE, MEMBRANE_LIBRARY_VECTOR), in namespaces of its own, and chooses when it runs
// (src/runtime/active_target.cpp).
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define MEMBRANE_HAS_AVX2_TARGET 1
#elif defined(__aarch64__) && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MEMBRANE_HAS_NEON_TARGET 1
#endif
#if defined(MEMBRANE_HAS_AVX2_TARGET) || defined(MEMBRANE_HAS_NEON_TARGET)
#define MEMBRANE_HAS_VECTOR_TARGET 1
#endif

#if defined(MEMBRANE_LIBRARY_PORTABLE)
#define MEMBRANE_TARGET library_portable
#elif defined(MEMBRANE_LIBRARY_VECTOR) && defined(MEMBRANE_HAS_AVX2_TARGET)
#define MEMBRANE_TARGET library_avx2
#define MEMBRANE_TARGET_AVX2 1
// The unit's own flags say nothing of AVX2: each function is compiled for it by these.
#if defined(__clang__)
#define MEMBRANE_TARGET_PUSH \
    _Pragma(                 \
        "clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,lzcnt,popcnt\"))), apply_to=function)")
#define MEMBRANE_TARGET_POP _Pragma("clang attribute pop")
#else
#define MEMBRANE_TARGET_PUSH _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,lzcnt,popcnt\")")
#define MEMBRANE_TARGET_POP _Pragma("GCC pop_options")
#endif
#elif defined(MEMBRANE_LIBRARY_VECTOR) && defined(MEMBRANE_HAS_NEON_TARGET)
#define MEMBRANE_TARGET library_neon
#define MEMBRANE_TARGET_NEON 1
#elif defined(MEMBRANE_HAS_AVX2_TARGET) && defined(__AVX2__) && defined(__BMI__) && defined(__BMI2__) && \
    defined(__LZCNT__) && defined(__POPCNT__)
#define MEMBRANE_TARGET avx2
#define MEMBRANE_TARGET_AVX2 1
#elif defined(MEMBRANE_HAS_NEON_TARGET)
#define MEMBRANE_TARGET neon
#define MEMBRANE_TARGET_NEON 1
#else
#define MEMBRANE_TARGET portable
#endif

#if !defined(MEMBRANE_TARGET_PUSH)
#define MEMBRANE_TARGET_PUSH
#define MEMBRANE_TARGET_POP
#endif

// Instead of `namespace membrane {` and its end.
#define MEMBRANE_TARGET_BEGIN \
    MEMBRANE_TARGET_PUSH      \
    namespace membrane {      \
    inline namespace MEMBRANE_TARGET {
#define MEMBRANE_TARGET_END \
    }                       \
    }                       \
    MEMBRANE_TARGET_POP
