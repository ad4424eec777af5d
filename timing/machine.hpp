// The machine that the numbers were measured on.
#pragma once

#include <cstdint>
#include <string>

namespace membrane::timing {

std::string processor_name();

// Bytes of the data cache of this level; 0 if unknown.
std::uint64_t cache_bytes(int level);

}  // namespace membrane::timing
