// What a file is by its first bytes. Keys are any bytes, so that a filter given as keys would be read without complaint:
// whoever reads keys asks first.
#pragma once

#include <cstdint>
#include <string>

namespace membrane::cli {

enum class file_start : std::uint8_t { other, filter, packed };

// Reads without moving on; a pipe is `other`.
file_start start_of(int descriptor) noexcept;
// Of a regular file; any other is `other`.
file_start start_of(const std::string& path) noexcept;

// Ends the program if a file of keys is none.
void check_is_keys(const std::string& name, int descriptor);

}  // namespace membrane::cli
