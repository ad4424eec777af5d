// A size as bits per key. A type of its own, so that it is never taken for a false positive rate.
#pragma once

namespace membrane {

struct bits_per_key {
    double value;

    constexpr explicit bits_per_key(double bits) : value(bits) {}
    friend constexpr bool operator==(bits_per_key, bits_per_key) = default;
};

}  // namespace membrane
