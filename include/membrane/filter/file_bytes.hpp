// Header-only filters as files and as bytes: the part that is in the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/runtime/mapped_file.hpp>
#include <membrane/runtime/save.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

struct payload_file {
    filter_spec spec;
    hasher hash;
    std::uint64_t keys = 0;
    std::span<const std::byte> payload;
};

result<std::vector<std::byte>> file_bytes(const payload_file& filter);
result<void> save_file(const payload_file& filter, const std::string& path, existing what_is_there);
// All checks, those of the payload included. The payload stays where it is.
result<payload_file> open_file_bytes(std::span<const std::byte> bytes);

}  // namespace membrane
