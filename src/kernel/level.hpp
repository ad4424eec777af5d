// Which instructions the batch calls may use: found once, when the first batch is asked.
// MEMBRANE_KERNEL=scalar (or avx2, neon) in the environment forces a level that this machine has.
#pragma once

#include <membrane/base/instructions.hpp>

namespace membrane::kernel {

enum class level : unsigned char { scalar, avx2, neon };

level active_level() noexcept;
inline bool has_kernels() noexcept { return active_level() != level::scalar; }

}  // namespace membrane::kernel
