// What may be a key, and that equal keys of different types are the same key.
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/membrane.hpp>

namespace keys_of_a_program {

struct user_id {
    std::uint32_t number;
    friend auto membrane_key(const user_id& id) { return id.number; }
};
struct point {
    int x, y;
    std::string label;
};
inline auto membrane_key(const point& p) { return std::tuple(p.x, p.y, std::string_view(p.label)); }
struct segment {
    point from, to;
    friend auto membrane_key(const segment& s) { return std::pair(s.from, s.to); }
};
struct no_key {
    int number;
};
enum class colour : std::uint8_t { red = 7 };
enum plain { blue = 7 };

struct fnv {
    std::uint64_t operator()(std::string_view text) const {
        std::uint64_t hash = 0xcbf29ce484222325;
        for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
        return membrane::finalise64(hash);
    }
};
// 64 bits that are uniform already, said in each of the ways in use.
struct says_so {
    using is_avalanching = void;
    std::uint64_t operator()(std::uint64_t number) const { return membrane::finalise64(number); }
};
struct says_true : says_so {
    using is_avalanching = std::true_type;
};
struct says_false : says_so {
    using is_avalanching = std::false_type;
};
struct of_somebody_else {
    std::uint64_t operator()(std::uint64_t number) const { return membrane::finalise64(number); }
};
struct wide_hash {
    membrane::key_hash operator()(std::uint64_t number) const {
        return {membrane::finalise64(number), membrane::finalise64(~number)};
    }
};

}  // namespace keys_of_a_program

template <>
inline constexpr bool membrane::is_uniform_hash<keys_of_a_program::of_somebody_else> = true;

namespace membrane::test {
namespace {

using namespace keys_of_a_program;

static_assert(is_uniform_hash<says_so> && is_uniform_hash<says_true> && is_uniform_hash<of_somebody_else>);
static_assert(!is_uniform_hash<says_false> && !is_uniform_hash<fnv> &&
              !is_uniform_hash<std::hash<std::uint64_t>>);

static_assert(filter_key<int> && filter_key<std::int8_t> && filter_key<std::uint64_t> && filter_key<colour> &&
              filter_key<plain>);
static_assert(filter_key<std::string> && filter_key<std::string_view> && filter_key<const char*> &&
              filter_key<char[6]> && filter_key<std::u8string>);
static_assert(filter_key<std::vector<std::byte>> && filter_key<std::array<unsigned char, 4>>);
static_assert(filter_key<std::pair<int, std::string>> && filter_key<std::array<int, 3>> &&
              filter_key<std::tuple<>> && filter_key<key_hash>);
static_assert(filter_key<user_id> && filter_key<point> && filter_key<segment>);
static_assert(!filter_key<double> && !filter_key<float> && !filter_key<bool> && !filter_key<char> &&
              !filter_key<char8_t> && !filter_key<wchar_t>);
static_assert(!filter_key<const int*> && !filter_key<void*> && !filter_key<std::nullptr_t> &&
              !filter_key<no_key> && !filter_key<std::vector<int>> && !filter_key<std::pair<int, double>>);

constexpr hasher same{hash_id::siphash13, {1, 2}};

TEST(Keys, OfEqualValueAreTheSameKey) {
    EXPECT_EQ(hash_of(same, 7), hash_of(same, std::uint64_t{7}));
    EXPECT_EQ(hash_of(same, std::int8_t{-1}), hash_of(same, std::int64_t{-1}));
    EXPECT_EQ(hash_of(same, colour::red), hash_of(same, 7));
    EXPECT_EQ(hash_of(same, blue), hash_of(same, 7));
    EXPECT_EQ(hash_of(same, user_id{7}), hash_of(same, 7));
    EXPECT_EQ(hash_of(same, "abc"), hash_of(same, std::string("abc")));
    EXPECT_EQ(hash_of(same, "abc"), hash_of(same, std::string_view("abc")));
    EXPECT_EQ(hash_of(same, "abc"), hash_of(same, u8"abc")) << "no zero at the end";
    EXPECT_EQ(hash_of(same, "abc"), hash_of(same, std::array<unsigned char, 3>{'a', 'b', 'c'}));
    EXPECT_EQ(hash_of(same, std::pair(1, 2)), hash_of(same, std::tuple(1, 2)));
    EXPECT_EQ(hash_of(same, std::pair(1, 2)), hash_of(same, std::array<long, 2>{1, 2}));
    EXPECT_EQ(hash_of(same, point{1, 2, "a"}), hash_of(same, std::tuple(1L, 2, "a")));
}

// Parts are hashed one by one, so that ("ab", "c") and ("a", "bc") differ.
TEST(Keys, OfUnlikePartsDiffer) {
    EXPECT_NE(hash_of(same, std::pair("ab", "c")), hash_of(same, std::pair("a", "bc")));
    EXPECT_NE(hash_of(same, std::pair(1, 2)), hash_of(same, std::pair(2, 1)));
    EXPECT_NE(hash_of(same, std::pair(1, std::pair(2, 3))), hash_of(same, std::tuple(1, 2, 3)));
    EXPECT_NE(hash_of(same, std::tuple()), hash_of(same, std::tuple(0)));
    EXPECT_NE(hash_of(same, 7), hash_of(same, "7"));
    EXPECT_EQ(hash_of(same, segment{{1, 2, "a"}, {3, 4, "b"}}),
              hash_of(same, std::pair(std::tuple(1, 2, "a"), std::tuple(3, 4, "b"))));
}

TEST(Keys, OfAProgramsOwnTypes) {
    membrane::filter seen(1000, 0.001);
    blocked_bloom_filter typed(1000, 0.001);
    const auto try_all = [](auto& filter) {
        filter.insert(user_id{1});
        filter.insert(point{1, 2, "a"});
        filter.insert_many(std::vector<point>{{3, 4, "b"}, {5, 6, "c"}});
        EXPECT_TRUE(filter.may_contain(user_id{1}) && filter.may_contain(1u));
        EXPECT_TRUE(filter.may_contain(point{3, 4, "b"}));
        EXPECT_FALSE(filter.may_contain(point{3, 4, "a"}));
        std::vector<bool> answers(2);
        EXPECT_EQ(filter.may_contain_many(std::vector<point>{{5, 6, "c"}, {5, 6, "d"}}, answers), 1u);
        EXPECT_TRUE(answers[0] && !answers[1]);
    };
    try_all(seen);
    try_all(typed);
}

TEST(Keys, HashedByTheProgram) {
    basic_balanced_rank_filter<fnv> texts(1000, 1e-9);
    texts.insert("x");
    EXPECT_TRUE(texts.may_contain(std::string("x")));
    EXPECT_FALSE(texts.may_contain("y"));
    texts.insert_many(std::vector<std::string>{"p", "q"});
    EXPECT_TRUE(texts.may_contain("q"));
    basic_blocked_bloom_filter<wide_hash> numbers(1000, 1e-6);
    numbers.insert(5u);
    EXPECT_TRUE(numbers.may_contain(5u));
    EXPECT_FALSE(numbers.may_contain(6u));
    const auto back = basic_blocked_bloom_filter<wide_hash>::from_bytes(numbers.to_bytes());
    EXPECT_TRUE(back == numbers);
    EXPECT_TRUE(back.may_contain(5u));
    const auto keyed = blocked_bloom_filter(1000, 1e-6).to_bytes();
    EXPECT_EQ(basic_blocked_bloom_filter<wide_hash>::try_from_bytes(keyed).error().what, "hash");
}

// Of a hash that says that it is uniform, the bits are used as they are: filters of former releases keep their answers.
TEST(Keys, OfAUniformHashAreUsedAsTheyAre) {
    const std::uint64_t word = finalise64(42);
    const key_hash as_it_is{word, finalise64(word + 0x9e3779b97f4a7c15)};
    EXPECT_EQ(hash_of(says_so{}, 42u), as_it_is);
    EXPECT_EQ(hash_of(says_true{}, 42u), as_it_is);
    EXPECT_EQ(hash_of(of_somebody_else{}, 42u), as_it_is);
    EXPECT_EQ(hash_of(says_false{}, 42u).low, finalise64(word));
    EXPECT_EQ(hash_of(wide_hash{}, 42u), wide_hash{}(42));
}

// std::hash of an integer is the integer, of which most bits are equal.
template <class Filter>
void expect_planned_rate(std::uint64_t step) {
    constexpr std::uint64_t keys = 100'000, strangers = 200'000;
    constexpr double fpr = 0.01;
    Filter filter(keys, fpr);
    for (std::uint64_t key = 0; key < keys; ++key) filter.insert(key * step);
    for (std::uint64_t key = 0; key < keys; ++key) ASSERT_TRUE(filter.may_contain(key * step));
    double found = 0;
    for (std::uint64_t key = keys; key < keys + strangers; ++key)
        found += filter.may_contain(key * step) ? 1 : 0;
    const double sigma = std::sqrt(fpr * (1 - fpr) / strangers);
    EXPECT_NEAR(found / strangers, fpr, 5 * sigma) << "keys are multiples of " << step;
}

TEST(Keys, HashedByAnIdentityKeepTheRate) {
    using identity = std::hash<unsigned long>;
    for (const std::uint64_t step : {1, 4096}) {
        expect_planned_rate<basic_blocked_bloom_filter<identity>>(step);
        expect_planned_rate<basic_bloom_filter<identity>>(step);
        expect_planned_rate<basic_balanced_rank_filter<identity>>(step);
        expect_planned_rate<basic_fixed_balanced_rank_filter<identity>>(step);
    }
}

}  // namespace
}  // namespace membrane::test
