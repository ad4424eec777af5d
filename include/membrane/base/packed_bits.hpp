// Fields of up to 64 bits at any bit offset of borrowed memory: bit i is bit i % 8 of byte i / 8. Assumes no alignment.
//
// A field is read by one 8-byte load, plus a ninth byte if it crosses the load's end. Therefore the memory must have
// `slack_bytes` more bytes behind the byte of the last bit; a write stores these bytes back unchanged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <membrane/base/bits.hpp>
#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>

namespace membrane {

class packed_bits {
public:
    static constexpr std::uint64_t slack_bytes = 8;

    // Bytes needed for this many bits with the slack, a multiple of eight.
    static constexpr std::optional<std::uint64_t> size_bytes(std::uint64_t bits) {
        const auto bytes = checked_add(divide_rounding_up(bits, 8), slack_bytes);
        return bytes ? round_up(*bytes, 8) : std::nullopt;
    }

    explicit packed_bits(std::byte* bytes) noexcept : bytes_(bytes) {}

    std::byte* data() const noexcept { return bytes_; }
    const std::byte* at(std::uint64_t bit) const noexcept { return bytes_ + bit / 8; }
    bool test(std::uint64_t bit) const noexcept {
        return (std::to_integer<unsigned>(bytes_[bit / 8]) >> (bit % 8) & 1u) != 0;
    }
    void put(std::uint64_t bit, bool value) noexcept {
        const std::byte mask = std::byte{1} << (bit % 8);
        bytes_[bit / 8] = value ? bytes_[bit / 8] | mask : bytes_[bit / 8] & ~mask;
    }

    // `count` bits, 0 .. 64, lowest first.
    std::uint64_t read(std::uint64_t bit, unsigned count) const noexcept {
        const std::byte* const from = bytes_ + bit / 8;
        const auto shift = static_cast<unsigned>(bit % 8);
        std::uint64_t word = load_le<std::uint64_t>(from) >> shift;
        if (shift + count > 64) word |= std::to_integer<std::uint64_t>(from[8]) << (64 - shift);
        return word & low_bits(count);
    }
    void write(std::uint64_t bit, unsigned count, std::uint64_t value) noexcept {
        std::byte* const to = bytes_ + bit / 8;
        const auto shift = static_cast<unsigned>(bit % 8);
        value &= low_bits(count);
        const std::uint64_t old = load_le<std::uint64_t>(to);
        store_le(to, (old & ~(low_bits(count) << shift)) | value << shift);
        if (shift + count > 64) {
            const auto rest = static_cast<unsigned>(low_bits(shift + count - 64));
            to[8] = (to[8] & static_cast<std::byte>(~rest)) | static_cast<std::byte>(value >> (64 - shift));
        }
    }

    // Moves `count` bits up or down by `by` bits. Bits that are vacated and not overwritten keep their old values.
    void move_up(std::uint64_t bit, std::uint64_t count, unsigned by) noexcept {
        while (count != 0) {
            const auto now = static_cast<unsigned>(std::min<std::uint64_t>(count, 64));
            count -= now;
            write(bit + count + by, now, read(bit + count, now));
        }
    }
    void move_down(std::uint64_t bit, std::uint64_t count, unsigned by) noexcept {
        for (std::uint64_t done = 0; done < count;) {
            const auto now = static_cast<unsigned>(std::min<std::uint64_t>(count - done, 64));
            write(bit + done - by, now, read(bit + done, now));
            done += now;
        }
    }

    bool are_zero(std::uint64_t bit, std::uint64_t count) const noexcept {
        for (std::uint64_t done = 0; done < count; done += 64)
            if (read(bit + done, static_cast<unsigned>(std::min<std::uint64_t>(count - done, 64))) != 0)
                return false;
        return true;
    }

private:
    std::byte* bytes_;
};

}  // namespace membrane
