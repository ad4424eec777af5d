// blocked_bloom: each key's k bits lie in one block of 256 or 512 bits (Putze, Sanders, Singler 2007), so that a
// lookup reads one cache line; the positions inside the block are those of probe/block.hpp.
//
//   payload:  blocks of 32 or 64 bytes, ceil(blocks / 2^fold_log2) of them; all zero is the empty filter
//
// Folding halves the block number, which joins neighbouring blocks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include <membrane/filter/block_likelihood.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/probe/block.hpp>
#include <membrane/spec/blocked_bloom_spec.hpp>
#include <membrane/storage/bit_span.hpp>

namespace membrane {

template <unsigned BlockBits>
class blocked_bloom_view {
    static_assert(BlockBits == 256 || BlockBits == 512);

public:
    static constexpr unsigned block_bits = BlockBits;

    blocked_bloom_view(const filter_spec& spec, std::byte* payload) noexcept
        : payload_(payload),
          base_blocks_(spec[blocked_field::blocks]),
          blocks_(blocked_blocks(spec)),
          fold_log2_(spec[blocked_field::fold_log2]),
          k_(spec[blocked_field::k]) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        return checked_multiply(blocked_blocks(spec), block_bytes);
    }

    bool insert(key_hash hash) noexcept {
        std::byte* const block = block_of(hash);
        for_each_bit(hash, [&](std::uint64_t bit) { block[bit >> 3] |= std::byte{1} << (bit & 7); });
        return true;
    }

    // No early exit: the block is one line, and a branch per bit would be mispredicted more often than it saves.
    bool may_contain(key_hash hash) const noexcept {
        const std::byte* const block = block_of(hash);
        unsigned all = 1;
        for_each_bit(
            hash, [&](std::uint64_t bit) { all &= std::to_integer<unsigned>(block[bit >> 3]) >> (bit & 7); });
        return all != 0;
    }

    std::byte* block_of(key_hash hash) const noexcept {
        return payload_ + (fastrange(remix(hash, stream::block), base_blocks_) >> fold_log2_) * block_bytes;
    }
    std::uint64_t k() const noexcept { return k_; }

    void prefetch(key_hash hash) const noexcept { prefetch_for_read(block_of(hash)); }
    void prefetch_insert(key_hash hash) const noexcept { prefetch_for_write(block_of(hash)); }

    template <class Visit>
    void trace_lookup(key_hash hash, Visit&& visit) const noexcept {
        visit(static_cast<std::uint64_t>(block_of(hash) - payload_));
    }

    void merge(const blocked_bloom_view& other) noexcept {
        bit_span own = bits();
        for (std::uint64_t i = 0; i < own.words(); ++i) own.join_word(i, other.bits(), i);
    }
    void intersect(const blocked_bloom_view& other) noexcept {
        bit_span own = bits();
        for (std::uint64_t i = 0; i < own.words(); ++i) own.meet_word(i, other.bits(), i);
    }

    static constexpr std::size_t fold_field = blocked_field::fold_log2;
    void fold_into(blocked_bloom_view& smaller) const noexcept {
        const std::uint64_t shift = smaller.fold_log2_ - fold_log2_;
        bit_span to = smaller.bits();
        for (std::uint64_t block = 0; block < blocks_; ++block)
            for (std::uint64_t w = 0; w < block_words; ++w)
                to.join_word((block >> shift) * block_words + w, bits(), block * block_words + w);
    }

    double fill() const noexcept {
        return static_cast<double>(bits().used_cells()) / (static_cast<double>(blocks_) * BlockBits);
    }

    // Exact for these contents: a stranger meets each block equally often.
    double estimated_fpr_now() const {
        const auto by_fill = blocks_by_fill();
        double sum = 0;
        for (std::size_t x = 0; x < by_fill.size(); ++x)
            sum += static_cast<double>(by_fill[x]) *
                   std::pow(static_cast<double>(x) / BlockBits, static_cast<double>(k_));
        return sum / static_cast<double>(blocks_);
    }

    double estimated_size() const { return estimated_keys_by_fill(blocks_by_fill(), k_); }

    result<void> check_payload() const { return {}; }

private:
    static constexpr std::uint64_t block_bytes = BlockBits / 8;
    static constexpr std::uint64_t block_words = BlockBits / 64;

    template <class Visit>
    void for_each_bit(key_hash hash, Visit&& visit) const noexcept {
        for_each_block_bit<BlockBits>(hash, stream::block_bits, k_, visit);
    }

    bit_span bits() const noexcept { return {payload_, blocks_ * block_words}; }

    std::vector<std::uint64_t> blocks_by_fill() const { return membrane::blocks_by_fill<BlockBits>(bits()); }

    std::byte* payload_;
    std::uint64_t base_blocks_;
    std::uint64_t blocks_;
    std::uint64_t fold_log2_;
    std::uint64_t k_;
};

struct blocked_bloom_family {
    using types = std::tuple<blocked_bloom_view<256>, blocked_bloom_view<512>>;
    static std::size_t variant_of(const filter_spec& spec) {
        return spec[blocked_field::block_bits] == 512 ? 1 : 0;
    }

    static constexpr kind_id id = kind_id::blocked_bloom;
    static constexpr std::string_view name = "blocked_bloom";
    static constexpr std::string_view meaning = "all bits of a key in one cache line: the fastest lookups";
    static constexpr std::span<const field_rule> fields = blocked_bloom_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_blocked_bloom_spec(spec); }
};

}  // namespace membrane
