// Which instructions the batch calls may use: found once, when the first batch is asked.
// MEMBRANE_KERNEL=scalar (or avx2) in the environment forces a level that this machine has.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define MEMBRANE_HAVE_AVX2 1
#define MEMBRANE_AVX2 [[gnu::target("avx2")]] inline
// Compiled for every instruction that came with AVX2, what it calls included.
#define MEMBRANE_NEW_CODE [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
#endif

namespace membrane::kernel {

enum class level : unsigned char { scalar, avx2 };

level active_level() noexcept;

}  // namespace membrane::kernel
