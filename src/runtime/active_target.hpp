// Which target the library's kinds run as: found once, when the first filter is made.
// MEMBRANE_TARGET=portable (or avx2, neon) in the environment forces a target that this machine has.
#pragma once

namespace membrane {

enum class target : unsigned char { portable, avx2, neon };

// The best that this machine has, and the one that is used.
target best_target() noexcept;
target active_target() noexcept;

}  // namespace membrane
