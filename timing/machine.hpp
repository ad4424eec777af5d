// What the numbers were taken on.
#pragma once

#include <cstdint>
#include <string>

namespace membrane::timing {

std::string processor_name();

// Of the data cache of this level; 0 if the system does not tell.
std::uint64_t cache_bytes(int level);

}  // namespace membrane::timing
