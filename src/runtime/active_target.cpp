#include "runtime/active_target.hpp"

#include <cstdlib>
#include <cstring>

#include <membrane/base/target.hpp>

namespace membrane {

namespace {

target best_target() noexcept {
#if defined(MEMBRANE_HAS_AVX2_TARGET)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt"))
        return target::avx2;
#elif defined(MEMBRANE_HAS_NEON_TARGET)
    return target::neon;
#endif
    return target::portable;
}

}  // namespace

target active_target() noexcept {
    static const target chosen = [] {
        const char* const forced = std::getenv("MEMBRANE_TARGET");
        if (forced != nullptr && std::strcmp(forced, "portable") == 0) return target::portable;
        return best_target();
    }();
    return chosen;
}

}  // namespace membrane
