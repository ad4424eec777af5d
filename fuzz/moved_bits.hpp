// A filter's file with stretches of its payload copied over others and the checksums made right: how a pointer comes to say
// what another one says, which changes of single bytes hardly ever do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/base/packed_bits.hpp>

#include "exercise.hpp"
#include "repair.hpp"

namespace membrane {

struct moved_bits {
    std::uint64_t from = 0, to = 0, count = 0;  // places count from the payload's first bit, around its end
};

inline std::vector<std::byte> file_with_moved_bits(const any_view& filter,
                                                   std::span<const moved_bits> moves) {
    std::vector<std::byte> file = file_bytes_of(filter);
    const std::uint64_t bits = 8 * filter.payload().size();
    packed_bits payload(file.data() + file.size() - filter.payload().size());
    for (const moved_bits& move : moves) {
        const std::uint64_t from = move.from % bits, to = move.to % bits;
        const std::uint64_t count = std::min({move.count, bits - from, bits - to});
        for (std::uint64_t i = 0; i < count; ++i) payload.put(to + i, payload.test(from + i));
    }
    repair_checksums(file);
    return file;
}

}  // namespace membrane
