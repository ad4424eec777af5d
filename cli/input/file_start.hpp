// Tells filter files from key files by their first bytes. Keys may be any bytes, so a filter file given by mistake would be
// read as keys; readers of keys therefore check first.
#pragma once

#include <cstdint>
#include <string>

namespace membrane::cli {

enum class file_start : std::uint8_t { other, filter, packed, patch };

// Does not move the read position; a pipe is `other`.
file_start start_of(int descriptor) noexcept;
// Anything but a regular file is `other`.
file_start start_of(const std::string& path) noexcept;

// Fails if the file is a filter.
void check_is_keys(const std::string& name, int descriptor);

}  // namespace membrane::cli
