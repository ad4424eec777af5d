// What a batch needs to know of a flat array beside its probe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace membrane {

struct flat_shape {
    const std::byte* cells;
    std::uint64_t modulus;  // positions of the unfolded array
    std::uint64_t k;
    std::uint64_t fold_log2;
};

}  // namespace membrane
