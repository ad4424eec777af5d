// One Bloom block of 128, 256 or 512 bits with the number of its keys inside:
//
//   bits 0 .. U-1        Bloom filter
//   bits U .. Bits-1     state, U = Bits - state_bits; little-endian, the block's highest bits
//
// State s of a block with threshold h: a load of 0 .. h+1 as it is; with a flag also h+2 and h+3, which mean loads h and
// h+1 that have refused somebody. Only these two loads can refuse, so the flag costs two states and rarely a bit.
// A state above the last one (only a file made by hand has it) is read as the last one.
//
// A key's k positions are independent: 16 bits of the hash each, times U, divided by 2^16. They may repeat, as in the
// model. Progressions (double hashing) would make the rate of a block three to four times as high.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/part/block_lanes_avx2.hpp>
#include <membrane/part/block_lanes_neon.hpp>

MEMBRANE_TARGET_BEGIN

struct block_state {
    std::uint64_t load = 0;
    bool has_refused = false;
};

template <unsigned Bits>
class bloom_block {
    static_assert(Bits == 128 || Bits == 256 || Bits == 512);

public:
    static constexpr std::uint64_t bytes = Bits / 8;

    static constexpr std::uint64_t usable_bits(std::uint64_t h, bool has_flag) noexcept {
        return Bits - state_bits(h, has_flag);
    }

    // What the blocks of a table have alike; made once, and it outlives them.
    struct form {
        form(std::uint64_t threshold, bool may_have_flag) noexcept
            : h(threshold),
              usable_bits(static_cast<std::uint16_t>(bloom_block::usable_bits(threshold, may_have_flag))),
              has_flag(may_have_flag) {}

        std::uint64_t shift() const noexcept { return 64 - (Bits - usable_bits); }
        std::uint64_t least_refusing() const noexcept { return h + (has_flag ? 2u : 0u); }

        std::uint64_t h;
        std::uint16_t usable_bits;
        bool has_flag;
        // The last word of a block that may have refused a key is not less: the state is its highest bits.
        std::uint64_t least_refusing_word = least_refusing() << shift();
    };

    bloom_block(std::byte* at, const form& like) noexcept : at_(at), form_(&like) {}
    bloom_block(std::byte* at, const form&& temporary) = delete;

    const std::byte* data() const noexcept { return at_; }
    std::uint64_t usable_bits() const noexcept { return form_->usable_bits; }

    // No early exit: the block is one line, and a branch per bit would be mispredicted more often than it saves.
    bool holds(const key_hash& hash, std::uint64_t k) const noexcept {
#if defined(MEMBRANE_TARGET_AVX2) || defined(MEMBRANE_TARGET_NEON)
        return has_scaled_bits<Bits>(at_, form_->usable_bits, hash, k);
#else
        unsigned all = 1;
        for_each_bit(hash, k, [&](std::uint64_t bit) {
            all &= std::to_integer<unsigned>(at_[bit >> 3]) >> (bit & 7);
        });
        return all != 0;
#endif
    }
    // Conservative: the first eight bits alone. Most absent keys lack one of them.
    bool may_hold(const key_hash& hash, std::uint64_t k) const noexcept {
        return holds(hash, std::min<std::uint64_t>(k, 8));
    }
    // Counts the key as well; the count stays at h + 1 once there.
    void put(key_hash hash, std::uint64_t k) noexcept {
        for_each_bit(hash, k, [&](std::uint64_t bit) { at_[bit >> 3] |= std::byte{1} << (bit & 7); });
        block_state now = state();
        now.load = std::min(now.load + 1, form_->h + 1);
        set_state(now);
    }
    void mark_refusal() noexcept {
        if (!form_->has_flag) return;
        block_state now = state();
        now.has_refused = true;
        set_state(now);
    }

    // Whether the block may have refused a key, and whether it is at load h then: by the state as it is written, which is
    // the loads 0 .. h + 1 and then, with a flag, h and h + 1 of a block that has refused somebody.
    bool may_have_refused() const noexcept { return last_word() >= form_->least_refusing_word; }
    bool may_have_refused_at_h() const noexcept { return state_number() == form_->least_refusing(); }

    block_state state() const noexcept {
        const std::uint64_t number = state_number();
        const bool is_plain = number < form_->h + 2;
        const std::uint64_t full_load = form_->h + (form_->has_flag && number == form_->h + 2 ? 0 : 1);
        return {is_plain ? number : full_load, !is_plain && form_->has_flag};
    }

    std::uint64_t ones() const noexcept {
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at + 8 < bytes; at += 8)
            sum += static_cast<std::uint64_t>(std::popcount(load_le<std::uint64_t>(at_ + at)));
        return sum + static_cast<std::uint64_t>(
                         std::popcount(last_word() & ((std::uint64_t{1} << form_->shift()) - 1)));
    }

private:
    static constexpr std::uint64_t state_bits(std::uint64_t h, bool has_flag) noexcept {
        return static_cast<std::uint64_t>(std::bit_width(h + (has_flag ? 3 : 1)));
    }
    std::uint64_t state_number() const noexcept { return last_word() >> form_->shift(); }
    std::uint64_t last_word() const noexcept { return load_le<std::uint64_t>(at_ + bytes - 8); }
    void set_state(const block_state& now) noexcept {
        const std::uint64_t number = now.has_refused && now.load >= form_->h ? now.load + 2 : now.load;
        const std::uint64_t kept = last_word() & ((std::uint64_t{1} << form_->shift()) - 1);
        store_le(at_ + bytes - 8, kept | (number << form_->shift()));
    }

    template <class Visit>
    void for_each_bit(key_hash hash, std::uint64_t k, Visit&& visit) const noexcept {
        std::uint64_t left = k;
        for (std::uint64_t number = stream::block_positions;; ++number) {
            std::uint64_t word = remix(hash, number);
            for (int i = 0; i < 4; ++i) {
                visit(((word & 0xffff) * form_->usable_bits) >> 16);
                if (--left == 0) return;
                word >>= 16;
            }
        }
    }

    std::byte* at_;
    const form* form_;
};

MEMBRANE_TARGET_END
