// The published vectors of the SipHash family: key 00 01 .. 0f, message 00 01 .. of growing length.
//   SipHash-2-4, 64 and 128 bits: vectors.h of the authors' reference implementation (veorq/SipHash).
//   SipHash-1-3, 64 bits: that implementation with cROUNDS=1, dROUNDS=3, as used by the Rust crate siphasher;
//   SipHash-1-3, 128 bits, empty message: tests128.rs of that crate (jedisct1/rust-siphash).
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/hash/siphash.hpp>

namespace membrane {
namespace {

constexpr hash_key vector_key{0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::vector<std::byte> counting_bytes(std::size_t count) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(i));
    return bytes;
}

// The 16 output bytes, as a hash_key of the same bytes would be written.
std::string hex(key_hash hash) { return to_hex(hash_key{hash.low, hash.high}); }

TEST(SipHash, GivesThePublished64BitValuesOf24) {
    const std::array<std::uint64_t, 32> published{
        0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d, 0xcf2794e0277187b7,
        0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137, 0x93f5f5799a932462, 0x9e0082df0ba9e4b0,
        0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7, 0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee,
        0xa129ca6149be45e5, 0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794, 0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd,
        0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8, 0xb8ad50c6f649af94,
        0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad, 0xde4daaaca71dc9a5, 0xa6a2506687956571,
        0xad87a3535c49ef28, 0x32d892fad841c342};
    for (std::size_t length = 0; length < published.size(); ++length)
        EXPECT_EQ((siphash<2, 4>::hash64(vector_key, counting_bytes(length))), published[length]) << length;
    EXPECT_EQ((siphash<2, 4>::hash64(vector_key, counting_bytes(63))), 0x958a324ceb064572);
}

TEST(SipHash, GivesThePublished64BitValuesOf13) {
    const std::array<std::uint64_t, 30> published{
        0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d, 0x8bf80ab8e7ddf7fb, 0xcf75576088d38328,
        0xdef9d52f49533b67, 0xc50d2b50c59f22a7, 0xd3927d989bb11140, 0x369095118d299a8e, 0x25a48eb36c063de4,
        0x79de85ee92ff097f, 0x70c118c1f94dc352, 0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34,
        0xd320d86d2a519956, 0xcc4fdd1a7d908b66, 0x9cf2689063dbd80c, 0x8ffc389cb473e63e, 0xf21f9de58d297d1c,
        0xc0dc2f46a6cce040, 0xb992abfe2b45f844, 0x7ffe7b9ba320872e, 0x525a0e7fdae6c123, 0xf464aeb267349c8c,
        0x45cd5928705b0979, 0x3a3e35e3ca9913a5, 0xa91dc74e4ade3b35, 0xfb0bed02ef6cd00d, 0x88d93cb44ab1e1f4};
    for (std::size_t length = 0; length < published.size(); ++length)
        EXPECT_EQ(siphash_1_3::hash64(vector_key, counting_bytes(length)), published[length]) << length;
}

TEST(SipHash, GivesThePublished128BitValues) {
    const std::array<std::string, 9> published{
        "a3817f04ba25a8e66df67214c7550293", "da87c1d86b99af44347659119b22fc45",
        "8177228da4a45dc7fca38bdef60affe4", "9c70b60c5267a94e5f33b6b02985ed51",
        "f88164c12d9c8faf7d0f6e7c7bcd5579", "1368875980776f8854527a07690e9627",
        "14eeca338b208613485ea0308fd7a15e", "a1f1ebbed8dbc153c0b84aa61ff08239",
        "3b62a9ba6258f5610f83e264f31497b4"};
    for (std::size_t length = 0; length < published.size(); ++length)
        EXPECT_EQ(hex(siphash<2, 4>::hash128(vector_key, counting_bytes(length))), published[length])
            << length;
    EXPECT_EQ(hex(siphash<2, 4>::hash128(vector_key, counting_bytes(15))),
              "5493e99933b0a8117e08ec0f97cfc3d9");
    EXPECT_EQ(hex(siphash_1_3::hash128(vector_key, counting_bytes(0))), "e77ebcb22788a5befd62db6add303001");
}

TEST(SipHash, TakesAnIntegerAsItsEightLittleEndianBytes) {
    for (const std::uint64_t number :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x0123456789abcdef}, UINT64_MAX}) {
        std::byte bytes[8];
        store_le(bytes, number);
        EXPECT_EQ(siphash_1_3::hash128(vector_key, number), siphash_1_3::hash128(vector_key, bytes))
            << number;
    }
}

}  // namespace
}  // namespace membrane
