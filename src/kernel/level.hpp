// Which instructions the batch calls may use: found once, when the first batch is asked.
// MEMBRANE_KERNEL=scalar (or avx2) in the environment forces a level that this machine has.
#pragma once

#include <membrane/base/instructions.hpp>

namespace membrane::kernel {

enum class level : unsigned char { scalar, avx2 };

level active_level() noexcept;

}  // namespace membrane::kernel
