// Header-only filters in a program that is compiled for AVX2: the same answers, refusals and bytes as the portable code. Nothing
// of the library is linked, which is compiled for any machine.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/owning.hpp>
#include <membrane/kind/balanced_rank/planned_lines.hpp>
#include <membrane/hash/integer_mix.hpp>

namespace membrane::test {
namespace {

static_assert(!std::is_same_v<native_line_code, plain_line_code>, "compiled for AVX2 and what came with it");
static_assert(!std::is_same_v<native_code, plain_code>);

// The code for lines with planes is for both lines as planned, and for no others.
static_assert(planned_plane_bits<false>(planned_line<10>, planned_line<10>) == 10);
static_assert(planned_plane_bits<false>(planned_line<13>, planned_line<13>) == 13);
static_assert(planned_plane_bits<true>(planned_line<10>, planned_carried_line<10>) == 10);
static_assert(planned_plane_bits<true>(planned_line<13>, planned_carried_line<13>) == 13);
static_assert(planned_plane_bits<true>(planned_line<10>, planned_line<10>) == 0);
static_assert(planned_plane_bits<false>(rank_line_shape(49, 41, 10), planned_line<10>) == 0);

key_hash hash_of(std::uint64_t number) { return integer_mix({3, 4}, number); }

// Fingerprints of the second table of as many bits as planned, or of more: then the lines have the code for any.
enum class second_table : bool { as_planned, other };

// Of 8 bits the lines are tight with 52 chains, and not with 50.
filter_spec rank_spec_of(std::uint64_t form, std::uint64_t bits, std::uint64_t lines = 150,
                         std::uint64_t chains = 52, second_table second = second_table::as_planned) {
    constexpr std::uint64_t second_chains = 55, served = 400;
    const auto known_bits = static_cast<unsigned>(bits);
    const std::uint64_t planned_bits = form == rank_form::erasable
                                           ? erasable_rank_view::second_bits(known_bits)
                                           : insert_only_rank_view::second_bits(known_bits);
    const std::uint64_t second_bits = second == second_table::other ? bits + 5 : planned_bits;
    filter_spec spec = initial_spec(kind_id::balanced_rank, balanced_rank_fields);
    spec[rank_field::form] = form;
    spec[rank_field::lines] = lines;
    spec[rank_field::chains] = chains;
    spec[rank_field::cells] = std::min<std::uint64_t>(64, (511 - chains) / (bits + 1));
    spec[rank_field::fingerprint_bits] = bits;
    spec[rank_field::served_chains] = served;
    spec[rank_field::second_chains] = second_chains;
    spec[rank_field::second_cells] = std::min<std::uint64_t>(64, (511 - second_chains) / (second_bits + 1));
    spec[rank_field::second_fingerprint_bits] = second_bits;
    spec[rank_field::list_slots] = 300;
    return spec;
}

// All numbers of both lines as planned for one of the usual rates.
template <unsigned Bits>
filter_spec planned_rank_spec(std::uint64_t form, std::uint64_t lines) {
    const rank_line_shape first = planned_line<Bits>;
    const rank_line_shape second = form == rank_form::erasable ? planned_carried_line<Bits> : first;
    filter_spec spec = rank_spec_of(form, Bits, lines, first.chains());
    spec[rank_field::cells] = first.cells();
    spec[rank_field::served_chains] = 390;  // of the 392 places that the fewest chains and bits tell apart
    spec[rank_field::second_chains] = second.chains();
    spec[rank_field::second_cells] = second.cells();
    spec[rank_field::second_fingerprint_bits] = second.fingerprint_bits();
    EXPECT_TRUE(first_shape(spec) == first && second_shape(spec) == second);
    return spec;
}

template <class View>
struct filled {
    explicit filled(const filter_spec& spec)
        : bytes(*aligned_buffer::zeroed(*View::payload_bytes(spec))), view(spec, bytes.data()) {}
    bool equals(const filled& other) const {
        return std::memcmp(bytes.data(), other.bytes.data(), bytes.size_bytes()) == 0;
    }
    aligned_buffer bytes;
    View view;
};

template <class View>
void expect_portable_answers(const filled<View>& native, std::uint64_t keys) {
    std::vector<key_hash> asked;
    for (std::uint64_t i = 0; i < keys + 20'000; ++i) asked.push_back(hash_of(i));
    std::vector<std::uint64_t> answers(bitmap_words(asked.size())), portable(answers.size());
    may_contain_many(native.view, asked, answers);
    ask_in_ring(native.view.steps(plain_line_code{}), asked, portable);
    EXPECT_EQ(answers, portable);
    for (std::uint64_t i = 0; i < asked.size(); ++i) {
        const bool is_yes = (portable[i / 64] >> (i % 64) & 1) != 0;
        ASSERT_TRUE(is_yes || i >= keys) << i;
        ASSERT_EQ(native.view.may_contain(asked[i]), is_yes) << i;
    }
}

// Fills until the list refuses, and a little further.
template <class View>
std::uint64_t fill(filled<View>& native, filled<View>& portable) {
    std::uint64_t stored = 0, refused = 0;
    for (std::uint64_t i = 0; refused < 50; ++i) {
        const bool is_stored = portable.view.insert(hash_of(i), plain_line_code{});
        EXPECT_EQ(native.view.insert(hash_of(i)), is_stored) << i;
        refused += is_stored ? 0 : 1;
        if (refused == 0) ++stored;
        EXPECT_TRUE((i % 64 != 0 && is_stored) || native.equals(portable)) << i;
        if (testing::Test::HasFailure()) break;
    }
    return stored;
}

void expect_insertions_as_portable(const filter_spec& spec) {
    SCOPED_TRACE(spec[rank_field::second_fingerprint_bits]);
    ASSERT_TRUE(check_balanced_rank_spec(spec));
    filled<insert_only_rank_view> native(spec), portable(spec);
    const std::uint64_t keys = fill(native, portable);
    EXPECT_GT(keys,
              spec[rank_field::lines] * spec[rank_field::cells]);  // both tables and the list are in use
    expect_portable_answers(native, keys);
}

void expect_erasures_as_portable(const filter_spec& spec) {
    SCOPED_TRACE(spec[rank_field::second_fingerprint_bits]);
    ASSERT_TRUE(check_balanced_rank_spec(spec));
    filled<erasable_rank_view> native(spec), portable(spec);
    const std::uint64_t inserted = fill(native, portable);
    expect_portable_answers(native, inserted);
    for (std::uint64_t i = 0; i < inserted; ++i) {
        ASSERT_EQ(native.view.erase(hash_of(i)), portable.view.erase(hash_of(i), plain_line_code{})) << i;
        ASSERT_TRUE(i % 64 != 0 || native.equals(portable)) << i;
    }
    EXPECT_TRUE(native.equals(portable));
}

TEST(NativeLines, AreThePortableOnes) {
    struct shape {
        std::uint64_t bits, chains;
    };
    for (const auto& [bits, chains] : {shape{6, 52}, {7, 52}, {8, 52}, {8, 50}, {10, 52}, {13, 52}}) {
        SCOPED_TRACE(testing::Message() << bits << " bits, " << chains << " chains");
        for (const second_table second : {second_table::as_planned, second_table::other}) {
            const filter_spec set = rank_spec_of(rank_form::insert_only, bits, 150, chains, second);
            ASSERT_EQ(first_shape(set).is_tight(), bits == 8 && chains == 52);
            expect_insertions_as_portable(set);
            expect_erasures_as_portable(rank_spec_of(rank_form::erasable, bits, 150, chains, second));
        }
    }
}

template <unsigned Bits>
void expect_planned_lines_as_portable() {
    SCOPED_TRACE(Bits);
    expect_insertions_as_portable(planned_rank_spec<Bits>(rank_form::insert_only, 150));
    expect_erasures_as_portable(planned_rank_spec<Bits>(rank_form::erasable, 150));
}
TEST(NativeLines, AsPlannedAreThePortableOnes) {
    expect_planned_lines_as_portable<7>();
    expect_planned_lines_as_portable<8>();
    expect_planned_lines_as_portable<10>();
    expect_planned_lines_as_portable<13>();
}

// Tables that no cache holds have single lookups of their own.
template <class View>
void expect_far_lookups_as_portable(const filter_spec& spec) {
    SCOPED_TRACE(testing::Message() << "form " << spec[rank_field::form] << ", second table of "
                                    << spec[rank_field::second_fingerprint_bits] << " bits");
    ASSERT_TRUE(check_balanced_rank_spec(spec));
    ASSERT_FALSE(View::is_near(spec));
    filled<View> native(spec);
    // Into few lines of the many, which are full then.
    const auto hash_of_few = [](std::uint64_t number) {
        key_hash hash = hash_of(number);
        hash.low >>= 12;
        return hash;
    };
    const std::uint64_t keys = spec[rank_field::lines] / 4096 * spec[rank_field::cells];
    for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(native.view.insert(hash_of_few(i))) << i;
    const auto portable = native.view.steps(plain_line_code{});
    std::uint64_t forwarded = 0;
    for (std::uint64_t i = 0; i < 20 * keys; ++i) {
        const key_hash hash = hash_of_few(i);
        const rank_address at = portable.asked_of(hash);
        const bool is_further = portable.is_further(at);
        const bool is_yes = portable.is_there(at) || (is_further && portable.looks_further(at));
        ASSERT_TRUE(is_yes || i >= keys) << i;
        ASSERT_EQ(native.view.may_contain(hash), is_yes) << i;
        forwarded += is_further ? 1 : 0;
    }
    EXPECT_GT(forwarded, keys / 10);
}

TEST(NativeLines, InMemoryAreThePortableOnes) {
    constexpr std::uint64_t lines = 140'000;  // 8.5 MiB
    for (const std::uint64_t bits : {6u, 7u, 8u, 10u}) {
        SCOPED_TRACE(bits);
        for (const second_table second : {second_table::as_planned, second_table::other}) {
            expect_far_lookups_as_portable<insert_only_rank_view>(
                rank_spec_of(rank_form::insert_only, bits, lines, 52, second));
            expect_far_lookups_as_portable<erasable_rank_view>(
                rank_spec_of(rank_form::erasable, bits, lines, 52, second));
        }
    }
}

template <unsigned Bits>
void expect_planned_far_lookups_as_portable(std::uint64_t lines) {
    SCOPED_TRACE(Bits);
    expect_far_lookups_as_portable<insert_only_rank_view>(
        planned_rank_spec<Bits>(rank_form::insert_only, lines));
    expect_far_lookups_as_portable<erasable_rank_view>(planned_rank_spec<Bits>(rank_form::erasable, lines));
}
TEST(NativeLines, InMemoryAsPlannedAreThePortableOnes) {
    expect_planned_far_lookups_as_portable<8>(140'000);
    expect_planned_far_lookups_as_portable<10>(140'000);
    expect_planned_far_lookups_as_portable<13>(140'000);
}

TEST(NativeBlocks, AreThePortableOnes) {
    const filter_spec spec = *blocked_bloom_spec_for_bits(5000, 10);
    filled<blocked_bloom_view<512, 64, native_code>> native(spec);
    filled<blocked_bloom_view<512, 64, plain_code>> portable(spec);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        native.view.insert(hash_of(i));
        portable.view.insert(hash_of(i));
    }
    ASSERT_EQ(std::memcmp(native.bytes.data(), portable.bytes.data(), native.bytes.size_bytes()), 0);
    for (std::uint64_t i = 0; i < 50'000; ++i)
        ASSERT_EQ(native.view.may_contain(hash_of(i)), portable.view.may_contain(hash_of(i))) << i;
}

}  // namespace
}  // namespace membrane::test
