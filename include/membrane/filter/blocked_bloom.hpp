// blocked_bloom: each key's k bits lie in one block of 256 or 512 bits (Putze, Sanders, Singler 2007), so that a
// lookup reads one cache line; the positions inside the block are those of probe/block.hpp.
//
//   payload:  blocks of 32 or 64 bytes, ceil(blocks / 2^fold_log2) of them; all zero is the empty filter
//
// Folding halves the block number, which joins neighbouring blocks.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <membrane/base/threads.hpp>
#include <membrane/filter/block_likelihood.hpp>
#include <membrane/hash/hash_batches.hpp>
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
        set_bits(block_of(hash), hash);
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

    std::byte* block_of(key_hash hash) const noexcept { return payload_ + block_number(hash) * block_bytes; }
    std::uint64_t k() const noexcept { return k_; }

    // One after the other; the common numbers of bits have code of their own.
    void insert_block(std::span<const key_hash> hashes) noexcept {
        switch (k_) {
            case 5: return insert_in_ring<5>(hashes);
            case 6: return insert_in_ring<6>(hashes);
            case 7: return insert_in_ring<7>(hashes);
            case 8: return insert_in_ring<8>(hashes);
            case 9: return insert_in_ring<9>(hashes);
            case 10: return insert_in_ring<10>(hashes);
            default: return insert_in_ring<any_k>(hashes);
        }
    }

    // Each thread reads all hashes and inserts those of its own range of blocks, which takes no memory: dealing the hashes
    // to regions first is no faster for one thread, and costs a copy of them.
    static constexpr std::size_t worth_threads = std::size_t{1} << 16;
    bool is_worth_filling(std::size_t keys, unsigned threads) const noexcept {
        return threads > 1 && keys >= worth_threads;
    }
    [[gnu::noinline]] bool fill_empty(const hash_batches& hashes, unsigned threads) noexcept {
        try {
            run_threads(threads, [&](unsigned thread) {
                const std::uint64_t first = blocks_ / threads * thread,
                                    last = thread + 1 == threads ? blocks_ : first + blocks_ / threads;
                std::array<key_hash, 1024> own;
                std::size_t count = 0;
                hashes.for_each_in_part(0, 1, [&](key_hash hash) {
                    own[count] = hash;
                    count += block_number(hash) - first < last - first ? 1 : 0;
                    if (count == own.size()) insert_block({own.data(), std::exchange(count, 0)});
                });
                insert_block({own.data(), count});
            });
            return true;
        } catch (const std::exception&) {
            return false;  // bits that are set already will be set again
        }
    }

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
    static constexpr std::size_t in_flight = 32;

    std::uint64_t block_number(key_hash hash) const noexcept {
        return fastrange(remix(hash, stream::block), base_blocks_) >> fold_log2_;
    }

    static constexpr unsigned any_k = 0;

    template <unsigned K = any_k>
    void set_bits(std::byte* block, key_hash hash) const noexcept {
        const auto set = [&](std::uint64_t bit) { block[bit >> 3] |= std::byte{1} << (bit & 7); };
        if constexpr (K == any_k) for_each_bit(hash, set);
        else for_each_block_bit<BlockBits, K>(hash, stream::block_bits, set);
    }

    // A block is asked for when its key comes and written when `in_flight` others have come.
    template <unsigned K>
    void insert_in_ring(std::span<const key_hash> hashes) const noexcept {
        struct {
            std::byte* block = nullptr;
            key_hash hash;
        } waiting[in_flight];
        std::size_t at = 0;
        for (const key_hash hash : hashes) {
            auto& slot = waiting[at++ % in_flight];
            if (slot.block != nullptr) set_bits<K>(slot.block, slot.hash);
            slot = {block_of(hash), hash};
            prefetch_for_read(slot.block);
        }
        for (const auto& slot : waiting)
            if (slot.block != nullptr) set_bits<K>(slot.block, slot.hash);
    }

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
