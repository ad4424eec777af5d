// The least number of blocks for a rate: first in the limit of very many blocks, then for n keys exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <membrane/model/blocked.hpp>
#include <membrane/model/less_hashing.hpp>

namespace membrane::model {

struct block_search {
    double bits_per_key;  // in the limit of very many blocks, to seven digits
    std::uint64_t blocks;
};

// rate_of_many(bits_per_key) must be decreasing; chosen(bits_per_key) is called once with the result; rate_of(blocks) is then the
// rate of n keys in that many blocks.
template <class RateOfMany, class Chosen, class RateOf>
result<block_search> least_blocks(std::uint64_t n, double fpr, std::uint64_t block_bits,
                                  const RateOfMany& rate_of_many, const Chosen& chosen,
                                  const RateOf& rate_of) {
    if (!(fpr > 0 && fpr < 1)) {
        return make_error(errc::bad_field, "fpr").with_note("a false-positive rate is above 0 and below 1");
    }
    if (block_bits < 8 || block_bits > 65536) {
        return make_error(errc::bad_field, "block_bits").with_found(block_bits).with_range(8, 65536);
    }
    double enough = max_blocked_bits_per_key;
    double short_of = 0.25;
    if (rate_of_many(enough) > fpr) {
        return make_error(errc::bad_field, "fpr")
            .with_note(
                "not reached with blocks of this size and 128 bits per key; use larger blocks or another "
                "kind");
    }
    for (int step = 0; step < 24; ++step) {
        const double middle = (short_of + enough) / 2;
        (rate_of_many(middle) <= fpr ? enough : short_of) = middle;
    }
    chosen(enough);
    const double wanted = std::ceil(static_cast<double>(n) * enough / static_cast<double>(block_bits));
    if (!(wanted * static_cast<double>(block_bits) <= static_cast<double>(max_size_bits))) {
        return make_error(errc::size_overflow, "size_bits").with_range(block_bits, max_size_bits);
    }
    // With few blocks the loads are binomial, not Poisson: a small filter may need fewer blocks (never more).
    auto blocks = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    while (rate_of(blocks) > fpr) blocks += 1 + (blocks >> 20);
    while (blocks > 1 && blocks < 4096 && rate_of(blocks - 1) <= fpr) --blocks;
    return block_search{enough, blocks};
}

}  // namespace membrane::model
