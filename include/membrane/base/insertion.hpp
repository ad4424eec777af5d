// What an insertion did.
#pragma once

#include <cstdint>

namespace membrane {

// present: it was there before, or looked so; a multiset then holds it once more. refused: no room, and nothing has changed.
enum class insertion : std::uint8_t { inserted, present, refused };

}  // namespace membrane
