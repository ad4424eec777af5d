// SipHash (Aumasson and Bernstein, 2012) with 64- and 128-bit output. The numbers of rounds are parameters, so that the
// published test vectors of SipHash-2-4 check the code that filters use as SipHash-1-3.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/endian.hpp>
#include <membrane/hash/hash_key.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

template <int CompressionRounds, int FinalRounds>
class siphash {
public:
    static std::uint64_t hash64(const hash_key& key, std::span<const std::byte> bytes) noexcept {
        siphash state(key, 0);
        state.absorb(bytes);
        state.v2_ ^= 0xff;
        return state.squeeze();
    }

    static key_hash hash128(const hash_key& key, std::span<const std::byte> bytes) noexcept {
        siphash state(key, 0xee);
        state.absorb(bytes);
        return state.squeeze128();
    }

    // The hash of the eight little-endian bytes of `number`, computed in registers.
    static key_hash hash128(const hash_key& key, std::uint64_t number) noexcept {
        siphash state(key, 0xee);
        state.compress(number);
        state.compress(std::uint64_t{8} << 56);
        return state.squeeze128();
    }

private:
    siphash(const hash_key& key, std::uint64_t wide_output_mark) noexcept
        : v0_(key.low ^ 0x736f6d6570736575),
          v1_(key.high ^ 0x646f72616e646f6d ^ wide_output_mark),
          v2_(key.low ^ 0x6c7967656e657261),
          v3_(key.high ^ 0x7465646279746573) {}

    void absorb(std::span<const std::byte> bytes) noexcept {
        const std::byte* at = bytes.data();
        const std::size_t whole_words = bytes.size() / 8;
        for (std::size_t i = 0; i < whole_words; ++i, at += 8) compress(load_le<std::uint64_t>(at));
        std::uint64_t last = static_cast<std::uint64_t>(bytes.size()) << 56;
        for (std::size_t i = 0; i < bytes.size() % 8; ++i)
            last |= std::to_integer<std::uint64_t>(at[i]) << (8 * i);
        compress(last);
    }

    void compress(std::uint64_t word) noexcept {
        v3_ ^= word;
        rounds<CompressionRounds>();
        v0_ ^= word;
    }

    key_hash squeeze128() noexcept {
        v2_ ^= 0xee;
        const std::uint64_t low = squeeze();
        v1_ ^= 0xdd;
        return {low, squeeze()};
    }

    std::uint64_t squeeze() noexcept {
        rounds<FinalRounds>();
        return v0_ ^ v1_ ^ v2_ ^ v3_;
    }

    template <int Count>
    void rounds() noexcept {
        for (int i = 0; i < Count; ++i) {
            v0_ += v1_;
            v1_ = std::rotl(v1_, 13);
            v1_ ^= v0_;
            v0_ = std::rotl(v0_, 32);
            v2_ += v3_;
            v3_ = std::rotl(v3_, 16);
            v3_ ^= v2_;
            v0_ += v3_;
            v3_ = std::rotl(v3_, 21);
            v3_ ^= v0_;
            v2_ += v1_;
            v1_ = std::rotl(v1_, 17);
            v1_ ^= v2_;
            v2_ = std::rotl(v2_, 32);
        }
    }

    std::uint64_t v0_, v1_, v2_, v3_;
};

using siphash_1_3 = siphash<1, 3>;

}  // namespace membrane
