// The 128-bit secret key of a filter's hash function. Random by default, so that an attacker cannot choose colliding keys; fixed
// where files must be reproducible or merged. Whoever knows it can construct false positives and overfull blocks.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif
#define MEMBRANE_HAS_GETENTROPY 1
#else
#include <random>
#endif

#include <membrane/base/endian.hpp>
#include <membrane/base/result.hpp>

namespace membrane {

struct hash_key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend constexpr bool operator==(const hash_key&, const hash_key&) = default;
};

inline result<hash_key> random_hash_key() {
    std::byte bytes[16];
#if defined(MEMBRANE_HAS_GETENTROPY)
    if (getentropy(bytes, sizeof bytes) != 0)
        return make_error(errc::io_error, "random key from the operating system")
            .with_found(static_cast<std::uint64_t>(errno));
#else
    std::random_device device;
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(device());
#endif
    return hash_key{load_le<std::uint64_t>(bytes), load_le<std::uint64_t>(bytes + 8)};
}

// 32 hexadecimal digits: the 16 bytes in file order.
inline std::string to_hex(const hash_key& key) {
    std::byte bytes[16];
    store_le(bytes, key.low);
    store_le(bytes + 8, key.high);
    std::string text;
    for (const std::byte byte : bytes) {
        constexpr char digits[] = "0123456789abcdef";
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
}

inline std::optional<hash_key> hash_key_from_hex(std::string_view text) {
    if (text.size() != 32) return std::nullopt;
    std::byte bytes[16]{};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        unsigned digit = 0;
        if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
        else if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
        else return std::nullopt;
        bytes[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? digit << 4 : digit);
    }
    return hash_key{load_le<std::uint64_t>(bytes), load_le<std::uint64_t>(bytes + 8)};
}

}  // namespace membrane
