#include "runtime/active_target.hpp"

#include <cstdlib>
#include <cstring>

#include <membrane/base/target.hpp>

#if defined(MEMBRANE_HAS_AVX2_TARGET)
#include <cpuid.h>
#endif

namespace membrane {

namespace {

#if defined(MEMBRANE_HAS_AVX2_TARGET)
// clang 14 has no name for LZCNT in __builtin_cpu_supports: bit 5 of ECX of the CPUID leaf 0x80000001.
bool has_lzcnt() noexcept {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c >> 5 & 1) != 0;
}
#endif

}  // namespace

target best_target() noexcept {
#if defined(MEMBRANE_HAS_AVX2_TARGET)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt") && has_lzcnt())
        return target::avx2;
#elif defined(MEMBRANE_HAS_NEON_TARGET)
    return target::neon;
#endif
    return target::portable;
}

target active_target() noexcept {
    static const target chosen = [] {
        const char* const forced = std::getenv("MEMBRANE_TARGET");
        if (forced != nullptr && std::strcmp(forced, "portable") == 0) return target::portable;
        return best_target();
    }();
    return chosen;
}

}  // namespace membrane
