// The source of keys of a measurement: disjoint members and strangers by number. Members are generated in chunks, outside the clock,
// so that 1e8 keys need no memory; lookups use a sample.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <membrane/base/multiply.hpp>

#include "key_set.hpp"

namespace membrane::timing {

class key_supply {
public:
    virtual ~key_supply() = default;

    virtual std::uint64_t members() const = 0;
    virtual key_type type() const { return key_type::text; }
    virtual double mean_key_bytes() const = 0;
    virtual void add_member(std::uint64_t number, key_set& to) const = 0;
    virtual void add_stranger(std::uint64_t number, key_set& to) const = 0;

    // use(chunk) for the members from `first` to `last`, one chunk at a time.
    template <class Use>
    void for_each_chunk(std::uint64_t first, std::uint64_t last, const hasher& hash, Use&& use) const {
        constexpr std::size_t chunk_keys = 1 << 18, chunk_bytes = 1 << 26;
        key_set chunk(type());
        for (std::uint64_t next = first; next < last;) {
            chunk.clear();
            while (next < last && chunk.size() < chunk_keys && chunk.size_bytes() < chunk_bytes)
                add_member(next++, chunk);
            chunk.prepare(hash);
            use(static_cast<const key_set&>(chunk));
        }
    }
};

// Text of a fixed length: a letter for member or stranger, then the digits of a permutation of the numbers, so that all keys differ.
class made_keys : public key_supply {
public:
    static constexpr std::size_t least_bytes = 8, default_bytes = 16, most_bytes = 256;

    explicit made_keys(std::uint64_t members, std::size_t key_bytes = default_bytes)
        : members_(members), key_bytes_(std::clamp(key_bytes, least_bytes, most_bytes)) {}

    std::uint64_t members() const override { return members_; }
    double mean_key_bytes() const override { return static_cast<double>(key_bytes_); }
    void add_member(std::uint64_t number, key_set& to) const override { add('m', number, to); }
    void add_stranger(std::uint64_t number, key_set& to) const override { add('s', number, to); }

private:
    void add(char side, std::uint64_t number, key_set& to) const {
        constexpr char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
        constexpr std::size_t digits_per_word = 7;
        std::array<char, most_bytes> key;
        key[0] = side;
        // The low 42 bits (the first seven digits) are a permutation of the numbers below 2^42.
        std::uint64_t word = number * 0x9e3779b97f4a7c15;
        for (std::size_t at = 1; at < key_bytes_; word = finalise64(word)) {
            std::uint64_t left = word;
            for (std::size_t i = 0; i < digits_per_word && at < key_bytes_; ++i, left >>= 6)
                key[at++] = digits[left & 63];
        }
        to.add({key.data(), key_bytes_});
    }

    std::uint64_t members_;
    std::size_t key_bytes_;
};

// The lookups of a round: as many members as strangers. If there are few members they are looked up repeatedly, in random order:
// the branch predictor would learn a repeated order.
struct asked_keys {
    static constexpr std::uint64_t least = 1'000'000, most = 4'000'000;
    static constexpr double most_bytes = 1 << 29;  // with long keys fewer lookups

    static std::uint64_t count_for(const key_supply& supply, std::uint64_t at_least = least) {
        const auto bound = static_cast<std::uint64_t>(most_bytes / std::max(1.0, supply.mean_key_bytes()));
        return std::min(std::clamp(supply.members(), at_least, most), std::max<std::uint64_t>(bound, 1000));
    }

    asked_keys(const key_supply& supply, const hasher& hash, std::uint64_t at_least = least)
        : members(supply.type()), strangers(supply.type()) {
        const std::uint64_t all = supply.members(), count = count_for(supply, at_least);
        const std::uint64_t first_time = std::min(all, count);
        for (std::uint64_t i = 0; i < count; ++i) {
            supply.add_member(i < first_time ? i * all / first_time : fastrange(finalise64(i), all), members);
            supply.add_stranger(i, strangers);
        }
        members.prepare(hash);
        strangers.prepare(hash);
    }
    key_set members, strangers;
};

}  // namespace membrane::timing
