// Division by an invariant divisor as one multiplication and a correction; exact for every 64-bit dividend.
//
// With r = floor(2^64 / d) for d > 1, floor(a r / 2^64) is the quotient or one less, because a / d - a r / 2^64 is below 1.
#pragma once

#include <cstdint>

#include <membrane/base/multiply.hpp>

namespace membrane {

class divisor {
public:
    // d >= 1
    constexpr explicit divisor(std::uint64_t d) noexcept
        : d_(d), reciprocal_(d == 1 ? UINT64_MAX : UINT64_MAX / d + (UINT64_MAX % d == d - 1 ? 1 : 0)) {}

    constexpr std::uint64_t value() const noexcept { return d_; }

    struct parts {
        std::uint64_t quotient;
        std::uint64_t rest;
    };
    constexpr parts divide(std::uint64_t a) const noexcept {
        const std::uint64_t estimate = fastrange(a, reciprocal_);
        const std::uint64_t rest = a - estimate * d_;
        const std::uint64_t is_low = rest >= d_ ? 1 : 0;
        return {estimate + is_low, rest - is_low * d_};
    }

private:
    std::uint64_t d_, reciprocal_;
};

}  // namespace membrane
