#include "kernel/level.hpp"

#include <cstdlib>
#include <cstring>

namespace membrane::kernel {

namespace {

level best_level() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt"))
        return level::avx2;
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
