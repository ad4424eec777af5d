// Maps a key to its key_hash with a hash function chosen at run time: the hash id and the hash key are data of the filter and
// are stored in its file. A key is bytes (or text), an integer, or a hash computed elsewhere.
//
// siphash13 and xxh3 hash an integer as its eight little-endian bytes (signed ones are sign-extended), so that a filter filled from
// C++ integers also answers for a file of 8-byte records. `fold`, the default of C++ programs, hashes integers by two multiplications and
// bytes by siphash13: text is as safe as with siphash13, integers that others can choose are not. An integer and its eight bytes are then
// two keys. `mix` is read in older files: it takes integers, and hashes bytes to 64 bits with xxh3 before. `precomputed` takes key_hash
// values, which must be uniform in both words.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <membrane/hash/hash_key.hpp>
#include <membrane/hash/integer_hash.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/hash/siphash.hpp>
#include <membrane/hash/xxh3.hpp>

namespace membrane {

// These numbers are stored in files: never change them.
enum class hash_id : std::uint32_t { siphash13 = 1, xxh3 = 2, mix = 3, precomputed = 4, fold = 5 };

struct hash_name {
    hash_id id;
    std::string_view name;
    std::string_view meaning;
    bool is_offered;  // by the tool, for new filters
};

inline constexpr std::array<hash_name, 5> hash_names{{
    {hash_id::siphash13, "siphash13", "keyed, resists chosen keys (the default for keys from outside)", true},
    {hash_id::xxh3, "xxh3", "fast, does not resist chosen keys", true},
    {hash_id::mix, "mix", "of older files: integers, does not resist chosen keys", false},
    {hash_id::precomputed, "precomputed", "the caller brings 128-bit hashes, even in both halves", false},
    {hash_id::fold, "fold",
     "text as siphash13; integers fast, not resisting chosen keys (the default in C++)", true},
}};

constexpr std::string_view name_of(hash_id id) {
    for (const hash_name& entry : hash_names)
        if (entry.id == id) return entry.name;
    return "unknown";
}

constexpr std::optional<hash_id> hash_id_from(std::uint32_t number) {
    for (const hash_name& entry : hash_names)
        if (static_cast<std::uint32_t>(entry.id) == number) return entry.id;
    return std::nullopt;
}

constexpr std::optional<hash_id> hash_id_from(std::string_view name) {
    for (const hash_name& entry : hash_names)
        if (entry.name == name) return entry.id;
    return std::nullopt;
}

inline std::span<const std::byte> bytes_of(std::string_view text) noexcept {
    return std::as_bytes(std::span(text.data(), text.size()));
}

struct hasher {
    hash_id id = hash_id::siphash13;
    hash_key key{};

    friend bool operator==(const hasher&, const hasher&) = default;

    key_hash operator()(std::span<const std::byte> bytes) const noexcept {
        switch (id) {
            case hash_id::siphash13:
            case hash_id::fold: return siphash_1_3::hash128(key, bytes);
            case hash_id::mix: return integer_mix(key, xxh3_hash128(key, bytes).low);
            case hash_id::xxh3:
            case hash_id::precomputed: break;
        }
        return xxh3_hash128(key, bytes);
    }

    key_hash operator()(std::string_view text) const noexcept { return (*this)(bytes_of(text)); }
    key_hash operator()(const char* text) const noexcept { return (*this)(std::string_view(text)); }

    // The hash that loops over integers wait for is inlined, the others are one call.
    template <std::integral Integer>
    [[gnu::always_inline]] key_hash operator()(Integer number) const noexcept {
        const auto word = static_cast<std::uint64_t>(number);
        key_hash hash = id == hash_id::fold ? integer_fold(key, word) : of_integer(id, key, word);
        keep_scalar(hash.low);
        keep_scalar(hash.high);
        return hash;
    }

    // Returns a reference, so that a filter can read the parts it needs from the caller's memory (see key_hash.hpp). A
    // temporary is returned by value, because a reference to it would dangle.
    constexpr const key_hash& operator()(const key_hash& hash) const noexcept { return hash; }
    constexpr key_hash operator()(key_hash&& hash) const noexcept { return hash; }

    // Chooses the hash function and computes the seed once, outside the loop. Flattened: a call for each text costs as much as
    // hashing a short one, and compilers refuse to inline XXH3 because of its code for long inputs.
    [[gnu::flatten]] void hash_all(std::span<const std::string_view> texts, key_hash* hashes) const noexcept {
        if (id != hash_id::xxh3) {
            for (const std::string_view text : texts) *hashes++ = (*this)(text);
            return;
        }
        const std::uint64_t seed = xxh3_seed(key);
        for (const std::string_view text : texts) *hashes++ = xxh3_hash128(seed, bytes_of(text));
    }
    void hash_all(std::span<const std::uint64_t> numbers, key_hash* hashes) const noexcept {
        if (id == hash_id::fold) {
            const hash_key own = key;
            for (const std::uint64_t number : numbers) *hashes++ = integer_fold(own, number);
        } else {
            for (const std::uint64_t number : numbers) *hashes++ = of_integer(id, key, number);
        }
    }

private:
    // Otherwise g++ 12 joins the two words in a vector register and takes them apart again for the address: 10 % of a lookup in cache.
    static void keep_scalar([[maybe_unused]] std::uint64_t& word) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
        asm("" : "+r"(word));
#endif
    }
    // Passed by value and pure, so that a loop keeps the hash key in registers across the call.
    [[gnu::noinline, gnu::pure]] static key_hash of_integer(hash_id id, hash_key key,
                                                            std::uint64_t number) noexcept {
        switch (id) {
            case hash_id::siphash13: return siphash_1_3::hash128(key, number);
            case hash_id::mix: return integer_mix(key, number);
            case hash_id::fold: return integer_fold(key, number);
            case hash_id::xxh3:
            case hash_id::precomputed: break;
        }
        return xxh3_hash128(key, number);
    }
};

// A hash function with a random key from the operating system. The default is for keys that are the program's own, as in C++ they mostly
// are; where others can choose integers that become keys, take hash_id::siphash13.
inline result<hasher> random_hasher(hash_id id = hash_id::fold) {
    const auto key = random_hash_key();
    if (!key) return key.error();
    return hasher{id, *key};
}

}  // namespace membrane
