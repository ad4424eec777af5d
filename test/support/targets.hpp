// Tests that are compiled for the library's vector target run only where the machine has it.
#pragma once

#include <membrane/base/target.hpp>

namespace membrane::test {

// Whether this machine runs the target that the library's vector objects are compiled for.
inline bool has_vector_target() {
#if defined(MEMBRANE_HAS_AVX2_TARGET)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
           __builtin_cpu_supports("popcnt");
#elif defined(MEMBRANE_HAS_NEON_TARGET)
    return true;
#else
    return false;
#endif
}

}  // namespace membrane::test
