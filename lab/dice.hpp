// Random numbers for simulations (splitmix64): small, fast, identical on every platform; not used by the filters.
#pragma once

#include <cstdint>

namespace membrane::lab {

// Seeds of several generators must be unrelated (drawn from another generator): seeds that differ by a multiple of the step
// below give the same sequence, shifted.
class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // 0 .. limit - 1, with a bias below limit / 2^32; for small limits.
    std::uint64_t below(std::uint64_t limit) { return ((next() >> 32) * limit) >> 32; }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    bool chance(double p) { return unit() < p; }

private:
    std::uint64_t state_;
};

}  // namespace membrane::lab
