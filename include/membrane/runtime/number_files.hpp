// Filters of numbers (kinds that grow) in other forms: packed for the wire, as the difference of two of them, and compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/base/comparison.hpp>
#include <membrane/runtime/any_filter.hpp>

namespace membrane {

// About log2(U / n) + 1.5 bits for each of n keys (part/number_code.hpp). any_filter::unpack makes the filter again.
result<std::vector<std::byte>> pack_numbers(const any_view& filter);

// For any_filter::unpack: a filter of this spec from the packed numbers; kind, form, universe and hash are those of `like`.
result<any_filter> unpack_numbers(const any_view& like, const filter_spec& spec, std::uint64_t keys,
                                  std::span<const std::byte> bytes, std::uint64_t max_bytes);

// What `newer` has and `older` has not, and the other way round, packed: with it and `older` the same bytes as `newer`. Equal hash
// keys, kinds and universes.
result<std::vector<std::byte>> diff(const any_view& older, const any_view& newer);
// The filter that diff() was given as the newer one. A patch for another filter is refused.
result<any_filter> patched(const any_view& older, std::span<const std::byte> patch,
                           std::uint64_t max_bytes = no_byte_limit);
bool is_patch(std::span<const std::byte> file) noexcept;

// Different keys, whatever their multiplicity.
result<comparison> compare(const any_view& a, const any_view& b);

}  // namespace membrane
