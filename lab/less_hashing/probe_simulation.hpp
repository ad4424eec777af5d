// Simulation of the five probe schemes of the less-hashing paper on a plain bit array. Keys are random numbers: a new key is a new
// random number.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <lab/dice.hpp>

namespace membrane::lab {

enum class probe_scheme { standard, partition, two_hash, square, cube };

inline constexpr std::array<std::string_view, 5> probe_scheme_names{"standard", "partition", "double hashing",
                                                                    "i^2", "i^3"};

struct probe_setting {
    probe_scheme scheme;
    std::uint64_t keys;
    std::uint64_t size_bits;
    std::uint64_t sub_array_bits;  // of the partition, prime
    std::uint64_t k;
};

class probe_simulation {
public:
    probe_simulation(const probe_setting& setting, std::uint64_t seed)
        : at_(setting), random_(seed), bits_(setting.size_bits) {
        for (std::uint64_t i = 0; i < at_.keys; ++i) {
            draw();
            for (std::uint64_t j = 0; j < at_.k; ++j) bits_[place(j)] = 1;
        }
    }

    // How many of `count` strangers are false positives.
    std::uint64_t strangers_taken(std::uint64_t count) {
        std::uint64_t taken = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            draw();
            std::uint64_t j = 0;
            while (j < at_.k && bits_[place(j)] != 0) ++j;
            taken += j == at_.k ? 1 : 0;
        }
        return taken;
    }

private:
    std::uint64_t modulus() const {
        return at_.scheme == probe_scheme::partition ? at_.sub_array_bits : at_.size_bits;
    }

    void draw() {
        first_ = random_.below(modulus());
        second_ = random_.below(modulus());
    }

    std::uint64_t place(std::uint64_t j) {
        const std::uint64_t sum = first_ + j * second_;
        switch (at_.scheme) {
            case probe_scheme::standard: return random_.below(at_.size_bits);
            case probe_scheme::partition: return j * at_.sub_array_bits + sum % at_.sub_array_bits;
            case probe_scheme::two_hash: return sum % at_.size_bits;
            case probe_scheme::square: return (sum + j * j) % at_.size_bits;
            case probe_scheme::cube: return (sum + j * j * j) % at_.size_bits;
        }
        return 0;
    }

    probe_setting at_;
    dice random_;
    std::vector<std::uint8_t> bits_;
    std::uint64_t first_ = 0;
    std::uint64_t second_ = 0;
};

}  // namespace membrane::lab
