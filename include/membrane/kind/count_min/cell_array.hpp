// Counters of 32 or 64 bits, little-endian, over borrowed bytes. The caller checks `fits` for all cells before it writes, so that
// an update of several cells happens completely or not at all.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <membrane/base/endian.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

template <std::unsigned_integral Cell>
class cell_array {
public:
    explicit cell_array(std::byte* bytes) noexcept : bytes_(bytes) {}

    std::uint64_t get(std::uint64_t i) const noexcept { return load_le<Cell>(bytes_ + i * sizeof(Cell)); }
    void put(std::uint64_t i, std::uint64_t count) noexcept {
        store_le(bytes_ + i * sizeof(Cell), static_cast<Cell>(count));
    }
    static constexpr bool fits(std::uint64_t count, std::uint64_t more) noexcept {
        return more <= std::numeric_limits<Cell>::max() && count <= std::numeric_limits<Cell>::max() - more;
    }
    void prefetch(std::uint64_t i) const noexcept { prefetch_for_read(bytes_ + i * sizeof(Cell)); }

private:
    std::byte* bytes_;
};

MEMBRANE_TARGET_END
