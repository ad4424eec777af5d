// Whether bytes are all zero, at the speed of the memory: bytes of which the first is zero and each equals the next are. That is
// one memcmp, which the C library has in vectors.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace membrane {

// Not inlined: gcc 12 warns of a byte behind the end where it sees the size.
[[gnu::noinline]] inline bool are_all_zero(std::span<const std::byte> bytes) noexcept {
    return bytes.empty() ||
           (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace membrane
