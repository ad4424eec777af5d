#include "kernel/level.hpp"

#include <cstdlib>
#include <cstring>

namespace membrane::kernel {

namespace {

level best_level() noexcept {
#if defined(MEMBRANE_HAVE_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt"))
        return level::avx2;
#elif defined(MEMBRANE_HAVE_NEON)
    return level::neon;
#endif
    return level::scalar;
}

}  // namespace

level active_level() noexcept {
    static const level chosen = [] {
        const char* const forced = std::getenv("MEMBRANE_KERNEL");
        if (forced != nullptr && std::strcmp(forced, "scalar") == 0) return level::scalar;
        return best_level();
    }();
    return chosen;
}

}  // namespace membrane::kernel
