// f(i) of enhanced double hashing, position i = start + i * stride + f(i), by its differences:
// f(i+1) - f(i) grows from `first` by `after(i)` each time, so that no multiplication is needed.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

struct no_growth {  // f(i) = 0: double hashing
    static constexpr std::uint64_t first = 0;
    static constexpr std::uint64_t after(std::uint64_t) noexcept { return 0; }
};

struct square_growth {  // f(i) = i^2
    static constexpr std::uint64_t first = 1;
    static constexpr std::uint64_t after(std::uint64_t) noexcept { return 2; }
};

struct cube_growth {  // f(i) = i^3
    static constexpr std::uint64_t first = 1;
    static constexpr std::uint64_t after(std::uint64_t i) noexcept { return 6 * i; }
};

struct tetrahedral_growth {  // f(i) = (i^3 - i) / 6
    static constexpr std::uint64_t first = 0;
    static constexpr std::uint64_t after(std::uint64_t i) noexcept { return i; }
};

MEMBRANE_TARGET_END
