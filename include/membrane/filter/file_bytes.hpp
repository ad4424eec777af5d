// Header-only filters as files and as bytes: the part that is in the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <membrane/base/comparison.hpp>
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

// As compare, diff, patched, pack and unpack of the filters whose kind is known when they run; a new filter comes as the bytes of its file.
result<comparison> compare_payloads(const payload_file& a, const payload_file& b);
result<std::vector<std::byte>> diff_payloads(const payload_file& older, const payload_file& newer);
result<std::vector<std::byte>> patched_bytes(const payload_file& older, std::span<const std::byte> patch);
result<std::vector<std::byte>> packed_payload(const payload_file& filter);
result<std::vector<std::byte>> unpacked_bytes(std::span<const std::byte> packed);

}  // namespace membrane
