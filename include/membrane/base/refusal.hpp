// Why a filter refuses a key: nothing was changed.
#pragma once

#include <cstdint>

#include <membrane/base/error.hpp>

namespace membrane {

// `most`: how many keys the filter was made for.
constexpr error full_error(std::uint64_t keys, std::uint64_t most) {
    return make_error(errc::full, "keys")
        .with_found(keys)
        .with_range(0, most)
        .with_note("plan for more keys, or take a filter that grows");
}
constexpr error memory_to_grow_refused() { return make_error(errc::out_of_memory, "memory to grow"); }
constexpr error limit_reached(std::uint64_t max_bytes) {
    error made = make_error(errc::too_large, "another key needs more than max_bytes");
    made.most = max_bytes;
    return made.with_note("the filter may not grow any further: raise max_bytes");
}

}  // namespace membrane
