// The server's data type `mbrfilter`: how its values are saved, copied, summed up and freed.
#pragma once

#include "abi.hpp"
#include "stored_value.hpp"

namespace membrane::redis {

bool create_filter_type(context* ctx);

// In the server's memory. Throws std::bad_alloc.
stored_value* new_value(stored_value value);
void free_value(void* value) noexcept;

// Pieces in which values travel: as commands of the AOF, and as replies of SCANDUMP.
inline constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20;

}  // namespace membrane::redis
