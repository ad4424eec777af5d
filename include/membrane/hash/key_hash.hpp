// A key is hashed once, to 128 bits; everything behind sees this type and never the key. It is a type of its own
// because an integer parameter would happily take a key in place of its hash.
#pragma once

#include <compare>
#include <cstdint>

namespace membrane {

struct key_hash {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend constexpr auto operator<=>(const key_hash&, const key_hash&) = default;
};

}  // namespace membrane
