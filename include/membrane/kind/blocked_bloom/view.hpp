// blocked_bloom: each key's k bits lie in one block of 256 or 512 bits (Putze, Sanders, Singler 2007), so that a
// lookup reads one cache line: one bit in each lane of the block (kind/blocked_bloom/bits_in_lanes.hpp), or anywhere in it, LaneBits
// being 0 (part/probe/block_probe.hpp).
//
//   payload:  blocks of 32 or 64 bytes, ceil(blocks / 2^fold_log2) of them; all zero is the empty filter
//
// Folding halves the block number, which joins neighbouring blocks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <membrane/base/exceptions.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/threads.hpp>
#include <membrane/hash/hash_batches.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/blocked_bloom/bits_anywhere.hpp>
#include <membrane/kind/blocked_bloom/bits_in_lanes.hpp>
#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/part/batch_lookup.hpp>
#include <membrane/part/bit_span.hpp>
#include <membrane/part/block_likelihood.hpp>

MEMBRANE_TARGET_BEGIN

template <unsigned BlockBits, unsigned LaneBits>
class blocked_bloom_view {
    static_assert(BlockBits == 256 || BlockBits == 512);

public:
    static constexpr unsigned block_bits = BlockBits;
    static constexpr bool has_lanes = LaneBits != 0;

    blocked_bloom_view(const filter_spec& spec, std::byte* payload) noexcept
        : payload_(payload),
          base_blocks_(spec[blocked_field::blocks]),
          blocks_(blocked_blocks(spec)),
          fold_log2_(spec[blocked_field::fold_log2]),
          bits_(pattern_of(spec)) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        return checked_multiply(blocked_blocks(spec), block_bytes);
    }

    bool insert(key_hash hash) noexcept {
        bits_.set(block_of(hash), hash);
        return true;
    }
    bool may_contain(key_hash hash) const noexcept { return bits_.are_set(block_of(hash), hash); }

    // Of a key's block, or a copy of it.
    bool has_bits(const std::byte* block, key_hash hash) const noexcept { return bits_.are_set(block, hash); }
    void set_bits(std::byte* block, key_hash hash) const noexcept { bits_.set(block, hash); }

    std::byte* block_of(key_hash hash) const noexcept { return payload_ + block_number(hash) * block_bytes; }
    std::uint64_t k() const noexcept {
        if constexpr (has_lanes) return BlockBits / LaneBits;
        else return bits_.k();
    }

    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        if constexpr (has_lanes)
            insert_ahead(hashes, [](std::byte* block, key_hash hash) { pattern::set(block, hash); });
        else bits_.with_fast_set([&](const auto& set) { insert_in_ring(hashes, set); });
        return hashes.size();
    }

    // Each thread reads all hashes and inserts those of its own range of blocks, which takes no memory: dealing the hashes
    // to regions first is no faster for one thread, and costs a copy of them.
    static constexpr std::size_t worth_threads = std::size_t{1} << 16;
    bool is_worth_filling(std::size_t keys, unsigned threads) const noexcept {
        return threads > 1 && keys >= worth_threads;
    }
    [[gnu::noinline]] bool fill_empty(const hash_batches& hashes, unsigned threads) noexcept {
        MEMBRANE_TRY {
            run_threads(threads, [&](unsigned thread) {
                const std::uint64_t first = blocks_ / threads * thread,
                                    last = thread + 1 == threads ? blocks_ : first + blocks_ / threads;
                std::array<key_hash, 1024> own;
                std::size_t count = 0;
                hashes.for_each_in_part(0, 1, [&](key_hash hash) {
                    own[count] = hash;
                    count += block_number(hash) - first < last - first ? 1 : 0;
                    if (count == own.size()) insert_many({own.data(), std::exchange(count, 0)});
                });
                insert_many({own.data(), count});
            });
            return true;
        }
        MEMBRANE_CATCH(const std::exception&) {
            return false;  // bits that are set already will be set again
        }
    }

    // The walk of a lookup: one block, and it decides.
    struct walk {
        struct place {};
        static constexpr unsigned rounds = 1;
        static constexpr bool has_quick_look = false;
        static constexpr std::size_t group = 1;

        void start(place&, const key_hash& hash) const noexcept { prefetch_far(view.block_of(hash)); }
        look_result look(const place&, const key_hash& hash) const noexcept {
            return {view.may_contain(hash) ? 1u : 0u, 0};
        }

        blocked_bloom_view view;
    };
    [[gnu::noinline, gnu::flatten]] std::size_t may_contain_many(
        std::span<const key_hash> hashes, std::span<std::uint64_t> answers) const noexcept {
        return look_up_many(walk{*this}, hashes, answers);
    }

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
        double sum = 0;
        if constexpr (has_lanes) {
            for (std::uint64_t block = 0; block < blocks_; ++block) sum += rate_of_lanes(block);
        } else {
            const auto by_fill = blocks_by_fill();
            for (std::size_t x = 0; x < by_fill.size(); ++x)
                sum += static_cast<double>(by_fill[x]) *
                       std::pow(static_cast<double>(x) / BlockBits, static_cast<double>(k()));
        }
        return sum / static_cast<double>(blocks_);
    }

    double estimated_size() const {
        return estimated_keys_by_fill(blocks_by_fill(), {.k = k(), .has_lanes = has_lanes});
    }

    result<void> check_payload() const { return {}; }

private:
    static constexpr std::uint64_t block_bytes = BlockBits / 8;
    static constexpr std::uint64_t block_words = BlockBits / 64;
    static constexpr std::size_t in_flight = 32;

    using pattern = std::conditional_t<has_lanes, bits_in_lanes<BlockBits, has_lanes ? LaneBits : 64>,
                                       bits_anywhere<BlockBits>>;
    static pattern pattern_of([[maybe_unused]] const filter_spec& spec) noexcept {
        if constexpr (has_lanes) return {};
        else return pattern(spec[blocked_field::k]);
    }

    std::uint64_t block_number(key_hash hash) const noexcept {
        const std::uint64_t word = has_lanes ? hash.low : remix(hash, stream::block);
        return fastrange(word, base_blocks_) >> fold_log2_;
    }

    // A block is prefetched when its key comes and written `in_flight` keys later.
    template <class Set>
    void insert_in_ring(std::span<const key_hash> hashes, const Set& set) const noexcept {
        struct {
            std::byte* block = nullptr;
            key_hash hash;
        } waiting[in_flight];
        std::size_t at = 0;
        for (const key_hash hash : hashes) {
            auto& slot = waiting[at++ % in_flight];
            if (slot.block != nullptr) set(slot.block, slot.hash);
            slot = {block_of(hash), hash};
            prefetch_for_read(slot.block);
        }
        for (const auto& slot : waiting)
            if (slot.block != nullptr) set(slot.block, slot.hash);
    }
    // Where the block is found by one multiplication, it is found again sooner than it is kept.
    template <class Set>
    void insert_ahead(std::span<const key_hash> hashes, const Set& set) const noexcept {
        const std::size_t ahead = std::min(read_lookahead, hashes.size());
        for (std::size_t i = 0; i < ahead; ++i) prefetch_far(block_of(hashes[i]));
        for (std::size_t i = 0; i + ahead < hashes.size(); ++i) {
            prefetch_far(block_of(hashes[i + ahead]));
            set(block_of(hashes[i]), hashes[i]);
        }
        for (std::size_t i = hashes.size() - ahead; i < hashes.size(); ++i)
            set(block_of(hashes[i]), hashes[i]);
    }

    double rate_of_lanes(std::uint64_t block) const noexcept {
        double rate = 1;
        for (std::uint64_t w = block * block_words; w < (block + 1) * block_words; ++w) {
            const std::uint64_t word = bits().word(w);
            if constexpr (LaneBits == 64) {
                rate *= std::popcount(word) / 64.0;
            } else {
                rate *= std::popcount(word >> 32) / 32.0;
                rate *= std::popcount(word & 0xffffffff) / 32.0;
            }
        }
        return rate;
    }

    bit_span bits() const noexcept { return {payload_, blocks_ * block_words}; }

    std::vector<std::uint64_t> blocks_by_fill() const { return membrane::blocks_by_fill<BlockBits>(bits()); }

    std::byte* payload_;
    std::uint64_t base_blocks_;
    std::uint64_t blocks_;
    std::uint64_t fold_log2_;
    [[no_unique_address]] pattern bits_;
};

struct blocked_bloom_family {
    using types =
        std::tuple<blocked_bloom_view<256, 0>, blocked_bloom_view<512, 0>, blocked_bloom_view<256, 32>,
                   blocked_bloom_view<256, 64>, blocked_bloom_view<512, 32>, blocked_bloom_view<512, 64>>;
    static std::size_t variant_of(const filter_spec& spec) {
        const bool is_line = spec[blocked_field::block_bits] == 512;
        switch (blocked_lane_bits(spec)) {
            case 32: return is_line ? 4 : 2;
            case 64: return is_line ? 5 : 3;
            default: return is_line ? 1 : 0;
        }
    }

    static constexpr kind_id id = kind_id::blocked_bloom;
    static constexpr std::string_view name = "blocked_bloom";
    static constexpr std::string_view meaning = "all bits of a key in one cache line: the fastest lookups";
    static constexpr std::span<const field_rule> fields = blocked_bloom_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_blocked_bloom_spec(spec); }
};

MEMBRANE_TARGET_END
