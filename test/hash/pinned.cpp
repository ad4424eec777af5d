// Values that stand in files. A change here means that filters written before answer wrongly: it needs a new hash id
// or a new format version, never a new expectation.
#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include <membrane/hash/hasher.hpp>
#include <membrane/hash/remix.hpp>

namespace membrane {
namespace {

TEST(PinnedHash, OfEveryHashIdIsUnchanged) {
    struct pinned {
        hash_id id;
        key_hash of_membrane, of_nothing, of_42;
    };
    const hash_key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    const std::array<pinned, 4> all{{
        {hash_id::siphash13,
         {0x3e3ac6fdbfce8d7c, 0xff4d8429a1e37d22},
         {0xbea58827b2bc7ee7, 0x013030dd6adb62fd},
         {0x954aee18e847ab76, 0x353e67c071b29c9c}},
        {hash_id::xxh3,
         {0xd0ae2e01d09c8537, 0xc476d5f68cbef640},
         {0x6b0dbfc831544d6c, 0x344ab6b5c9da4efe},
         {0x2346e50a50fb7958, 0x33b6c21da89b1071}},
        {hash_id::mix,
         {0xab07087c0be5eda5, 0x0458f722688ec087},
         {0x1bdd5fbe6721152e, 0xcd72221695824052},
         {0xe53760cdb06c31a1, 0x385bd3dcc4740acd}},
        {hash_id::fold,
         {0x3e3ac6fdbfce8d7c, 0xff4d8429a1e37d22},
         {0xbea58827b2bc7ee7, 0x013030dd6adb62fd},
         {0x762561c0f0e17f1a, 0xca8f99c2ad909a0b}},
    }};
    for (const pinned& each : all) {
        const hasher hash{each.id, key};
        EXPECT_EQ(hash("membrane"), each.of_membrane) << name_of(each.id);
        EXPECT_EQ(hash(""), each.of_nothing) << name_of(each.id);
        EXPECT_EQ(hash(42), each.of_42) << name_of(each.id);
    }
}

TEST(PinnedHash, NumbersOfHashIdsAreUnchanged) {
    EXPECT_EQ(static_cast<std::uint32_t>(hash_id::siphash13), 1u);
    EXPECT_EQ(static_cast<std::uint32_t>(hash_id::xxh3), 2u);
    EXPECT_EQ(static_cast<std::uint32_t>(hash_id::mix), 3u);
    EXPECT_EQ(static_cast<std::uint32_t>(hash_id::precomputed), 4u);
    EXPECT_EQ(static_cast<std::uint32_t>(hash_id::fold), 5u);
}

TEST(PinnedHash, WordsOfEveryStreamAreUnchanged) {
    struct pinned {
        std::uint64_t number, word;
    };
    const std::array<pinned, 10> all{{{stream::start, 0x783df74e41ad1633},
                                      {stream::stride, 0x26c3d0b8bc3b6257},
                                      {stream::block, 0xc6fb6dbcc41e9f63},
                                      {stream::block_bits, 0x1dd1edc9df52b4e1},
                                      {stream::block_bits + 1, 0xa17571236b763e83},
                                      {stream::independent, 0x3b51fe9c9700e3a4},
                                      {stream::independent + 1, 0xb4f1f483e8f46595},
                                      {stream::row, 0x4427bc8b4ce8ca7d},
                                      {stream::row_start, 0xfd846a739f8da10e},
                                      {stream::row_stride, 0xc67ffd85802993be}}};
    for (const pinned& each : all)
        EXPECT_EQ(remix({0x0123456789abcdef, 0xfedcba9876543210}, each.number), each.word)
            << "stream " << each.number;
}

}  // namespace
}  // namespace membrane
