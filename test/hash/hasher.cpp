#include <membrane/hash/hasher.hpp>

#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "support/keys.hpp"

namespace membrane {
namespace {

std::string text_of_length(std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(i * 37 + 11);
    return text;
}

TEST(Hasher, Xxh3IsThe128BitHashOfLibxxhashWithAFoldedSeed) {
    for (const hash_key key :
         {hash_key{0, 0}, hash_key{1, 0}, hash_key{0, 1}, hash_key{0x0706050403020100, 0x0f0e0d0c0b0a0908}}) {
        const std::uint64_t seed = fold_multiply(key.low ^ 0x9e3779b97f4a7c15, key.high ^ 0xd1b54a32d192ed03);
        for (const std::size_t length :
             {0u, 1u, 3u, 4u, 8u, 9u, 16u, 17u, 128u, 129u, 240u, 241u, 1000u, 5000u}) {
            const std::string text = text_of_length(length);
            const XXH128_hash_t wanted = XXH3_128bits_withSeed(text.data(), text.size(), seed);
            const key_hash found = hasher{hash_id::xxh3, key}(text);
            EXPECT_EQ(found, (key_hash{wanted.low64, wanted.high64})) << length;
        }
    }
}

TEST(Hasher, TakesIntegersAsTheirEightBytesExceptByMixAndFold) {
    for (const hash_id id : {hash_id::siphash13, hash_id::xxh3}) {
        const hasher hash = test::numbered_hasher(1, id);
        for (const std::int64_t number :
             {std::int64_t{0}, std::int64_t{-1}, std::int64_t{77}, INT64_MIN, INT64_MAX}) {
            std::byte bytes[8];
            store_le(bytes, static_cast<std::uint64_t>(number));
            EXPECT_EQ(hash(number), hash(std::span<const std::byte>(bytes))) << number;
            if (number == static_cast<std::int8_t>(number)) {
                EXPECT_EQ(hash(number), hash(static_cast<std::int8_t>(number)))
                    << "the width of the type matters";
            }
        }
    }
}

TEST(Hasher, SeesTheSameBytesInEveryTextType) {
    const std::string with_nul("a\0b\r\n\xff", 6);
    for (const hash_name& entry : hash_names) {
        const hasher hash = test::numbered_hasher(2, entry.id);
        EXPECT_EQ(hash("membrane"), hash(std::string("membrane"))) << entry.name;
        EXPECT_EQ(hash(std::string_view("membrane")), hash(bytes_of("membrane"))) << entry.name;
        EXPECT_NE(hash(with_nul), hash("a")) << entry.name << " stops at NUL";
        EXPECT_EQ(hash(key_hash{3, 4}), (key_hash{3, 4})) << entry.name << " must not hash a hash";
    }
}

TEST(Hasher, DependsOnEveryBitOfItsKeyAndOnTheHash) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    std::size_t made = 0;
    const auto note = [&](const hasher& hash) {
        for (const key_hash found : {hash("membrane"), hash(std::uint64_t{12345})}) {
            seen.insert({found.low, found.high});
            ++made;
        }
    };
    for (const hash_id id : {hash_id::siphash13, hash_id::xxh3, hash_id::mix}) {
        note({id, {}});
        for (int bit = 0; bit < 64; ++bit) {
            note({id, {std::uint64_t{1} << bit, 0}});
            note({id, {0, std::uint64_t{1} << bit}});
        }
    }
    EXPECT_EQ(seen.size(), made);
}

TEST(Hasher, IntegerMixIsABijectionOfItsLowWord) {
    // finalise64 undone step by step: x ^= x >> s is undone by repeating it, the odd factors by their inverses.
    const auto unshift = [](std::uint64_t word, int by) {
        std::uint64_t found = word;
        for (int i = by; i < 64; i += by) found = word ^ (found >> by);
        return found;
    };
    const auto inverse = [](std::uint64_t odd) {
        std::uint64_t found = odd;
        for (int i = 0; i < 6; ++i) found *= 2 - odd * found;
        return found;
    };
    const hash_key key = test::numbered_hasher(3).key;
    test::random_numbers random(4);
    for (int i = 0; i < 10000; ++i) {
        const std::uint64_t number = i < 5000 ? static_cast<std::uint64_t>(i) : random.next();
        std::uint64_t word = unshift(integer_mix(key, number).low, 31);
        word = unshift(word * inverse(0x94d049bb133111eb), 27);
        word = unshift(word * inverse(0xbf58476d1ce4e5b9), 30);
        ASSERT_EQ(word ^ key.low, number);
    }
}

TEST(Hasher, FoldTakesBytesAsSiphashAndIntegersOfAnyWidthByTheirValue) {
    const hasher fold = test::numbered_hasher(6, hash_id::fold), siphash{hash_id::siphash13, fold.key};
    for (const std::string_view text : {"", "12345678", "a longer text of many bytes"})
        EXPECT_EQ(fold(text), siphash(text));
    EXPECT_EQ(fold(-1), fold(UINT64_MAX));
    EXPECT_EQ(fold(std::uint8_t{200}), fold(std::int64_t{200}));
    EXPECT_NE(fold(std::uint64_t{0x3837363534333231}), fold("12345678"));
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 100; ++i) numbers.push_back(i * i);
    for (const hash_name& entry : hash_names) {
        const hasher hash{entry.id, fold.key};
        std::vector<key_hash> hashes(numbers.size());
        hash.hash_all(numbers, hashes.data());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            EXPECT_EQ(hashes[i], hash(numbers[i])) << entry.name << ", " << numbers[i];
    }
}

TEST(Hasher, FoldDependsOnEveryBitOfItsKey) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    const auto note = [&](const hash_key& key) {
        const key_hash found = hasher{hash_id::fold, key}(12345);
        seen.insert({found.low, found.high});
    };
    note({});
    for (int bit = 0; bit < 64; ++bit) {
        note({std::uint64_t{1} << bit, 0});
        note({0, std::uint64_t{1} << bit});
    }
    EXPECT_EQ(seen.size(), 129u);
}

TEST(HashKey, SurvivesTheWayThroughHexadecimal) {
    const hash_key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    EXPECT_EQ(to_hex(key), "000102030405060708090a0b0c0d0e0f");
    EXPECT_EQ(hash_key_from_hex("000102030405060708090A0b0c0D0e0F"), key);
    test::random_numbers random(5);
    for (int i = 0; i < 1000; ++i) {
        const hash_key made{random.next(), random.next()};
        EXPECT_EQ(hash_key_from_hex(to_hex(made)), made);
    }
    EXPECT_FALSE(hash_key_from_hex(""));
    EXPECT_FALSE(hash_key_from_hex("000102030405060708090a0b0c0d0e0"));
    EXPECT_FALSE(hash_key_from_hex("000102030405060708090a0b0c0d0e0f0"));
    EXPECT_FALSE(hash_key_from_hex("000102030405060708090a0b0c0d0e0g"));
    EXPECT_FALSE(hash_key_from_hex("0x0102030405060708090a0b0c0d0e0f"));
}

TEST(HashKey, IsNewEveryTimeItIsAskedFromTheSystem) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        const auto key = random_hash_key();
        ASSERT_TRUE(key);
        seen.insert(to_hex(*key));
    }
    EXPECT_EQ(seen.size(), 1000u);
}

TEST(HashNames, AreFoundByNumberAndByName) {
    for (const hash_name& entry : hash_names) {
        EXPECT_EQ(hash_id_from(static_cast<std::uint32_t>(entry.id)), entry.id);
        EXPECT_EQ(hash_id_from(entry.name), entry.id);
        EXPECT_EQ(name_of(entry.id), entry.name);
    }
    EXPECT_FALSE(hash_id_from(std::uint32_t{0}));
    EXPECT_FALSE(hash_id_from(std::uint32_t{6}));
    EXPECT_FALSE(hash_id_from("sha1"));
}

TEST(Hasher, HandsAHashBackAndKeepsATemporaryOne) {
    const hasher hash{hash_id::precomputed, {}};
    const key_hash mine{1, 2};
    EXPECT_EQ(&hash(mine), &mine);
    static_assert(std::is_same_v<decltype(hash(key_hash{3, 4})), key_hash>);
    EXPECT_EQ(hash(key_hash{3, 4}), (key_hash{3, 4}));
}

}  // namespace
}  // namespace membrane
