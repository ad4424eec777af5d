// Header-only filters filled and asked in a unit that is compiled with or without AVX2 (unit_portable.cpp, unit_avx2.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <membrane/spec/filter_spec.hpp>

namespace membrane::test {

// What a unit made of a spec: everything that another unit must make, too.
struct outcome {
    std::uint64_t stored = 0;
    std::vector<std::byte> bytes, bytes_after_erasures;
    std::vector<std::uint64_t> answers, single_answers;

    friend bool operator==(const outcome&, const outcome&) = default;
};

struct unit {
    std::string target;
    outcome (*play)(const filter_spec&, std::uint64_t keys);
};
unit portable_unit();
unit avx2_unit();

}  // namespace membrane::test
