// Tests whether all bytes are zero, at memory speed: the first byte is zero and each byte equals the next. One memcmp of the
// range with itself shifted by one byte, which the C library has vectorised.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace membrane {

// Not inlined: with a size known at compile time gcc 12 warns (wrongly) of a read behind the end.
[[gnu::noinline]] inline bool are_all_zero(std::span<const std::byte> bytes) noexcept {
    return bytes.empty() ||
           (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace membrane
