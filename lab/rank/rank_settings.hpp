// Table II of the rank-indexed paper: the shapes that its other tables use, n = 100,000 keys, overflow probability at most 1e-10.
#pragma once

#include <array>
#include <cmath>

#include <membrane/model/rank_storage.hpp>

namespace membrane::lab {

inline constexpr std::uint64_t rank_keys = 100'000;

struct rank_setting {
    const char* name;
    double target;          // eps
    double keys_per_chain;  // lambda
    std::uint64_t fingerprint_bits;
    std::uint64_t chains;
    std::array<std::uint64_t, 3> cells;  // Z1, Z2, Z3
    double extension_share;              // J2 / B
    double last_extension_share;         // J3 / B

    // lambda 2^-R: the rate at which the paper evaluates the other filters.
    double rate() const { return std::ldexp(keys_per_chain, -static_cast<int>(fingerprint_bits)); }

    model::rank_shape shape() const {
        const double buckets =
            std::round(static_cast<double>(rank_keys) / (keys_per_chain * static_cast<double>(chains)));
        const auto whole = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
        return {whole(buckets),
                chains,
                fingerprint_bits,
                cells[0],
                cells[1],
                cells[2],
                whole(buckets * extension_share),
                whole(buckets * last_extension_share),
                0};
    }
};

inline constexpr rank_setting rank_settings[]{{"1 %", 0.01, 0.64, 6, 60, {45, 8, 45}, 0.179, 0.027},
                                              {"0.1 %", 0.001, 0.92, 10, 64, {63, 17, 50}, 0.360, 0.017},
                                              {"0.01 %", 0.0001, 0.86, 13, 61, {59, 13, 48}, 0.233, 0.018}};

}  // namespace membrane::lab
