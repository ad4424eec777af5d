// Damage with the checksums made right again, as an enemy would: the file is refused for a reason, or it opens to a filter
// on which everything can be called. Memory errors are for the sanitizers (`./dev sanitize corrupt`) to see.
#include <algorithm>
#include <array>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "../../fuzz/moved_bits.hpp"
#include "allocation.hpp"
#include "small_files.hpp"

namespace membrane::corrupt {
namespace {

constexpr std::size_t peak_constant_bytes = std::size_t{64} << 20;

// Opens, and uses what opens; whether it did.
bool open_and_use(const file_bytes& file, bool slow_ones_too) {
    const auto view = any_view::open(file);
    if (!view) {
        EXPECT_NE(view.error().code, errc::bad_header_checksum);
        EXPECT_NE(view.error().code, errc::bad_payload_checksum);
        EXPECT_FALSE(view.error().what.empty());
        EXPECT_TRUE(view.error().offset) << describe(view.error());
        return false;
    }
    EXPECT_EQ(view->file_bytes(), file.size());
    const allocation_watch watch;
    exercise(*view, slow_ones_too);
    EXPECT_LE(watch.peak_bytes(), peak_constant_bytes + 4 * file.size());
    return true;
}

struct number {
    std::size_t offset;
    std::size_t bytes;
};

// Every number of the header, the spec's fields included.
std::vector<number> header_numbers(const file_bytes& file) {
    std::vector<number> numbers{{layout::version_at, 4},
                                {layout::header_bytes_at, 4},
                                {layout::kind_at, 4},
                                {layout::hash_at, 4},
                                {layout::must_understand_at, 8},
                                {layout::may_ignore_at, 8},
                                {layout::hash_key_at, 8},
                                {layout::hash_key_at + 8, 8},
                                {layout::planned_keys_at, 8},
                                {layout::planned_fpr_at, 8},
                                {layout::keys_at, 8},
                                {layout::payload_bytes_at, 8},
                                {layout::field_count_at, 4},
                                {layout::reserved_at, 4}};
    const std::size_t header_bytes = load_le<std::uint32_t>(file.data() + layout::header_bytes_at);
    for (std::size_t at = layout::fields_at; at + 8 < header_bytes; at += 8) numbers.push_back({at, 8});
    return numbers;
}

std::vector<std::uint64_t> border_values() {
    std::set<std::uint64_t> values{0, UINT64_MAX, UINT64_MAX - 1, UINT32_MAX, UINT32_MAX - 1};
    for (unsigned power = 0; power < 64; ++power)
        for (const std::uint64_t near : {0, 1, 2}) values.insert((std::uint64_t{1} << power) + near - 1);
    return {values.begin(), values.end()};
}

void put(file_bytes& file, const number& where, std::uint64_t value) {
    if (where.bytes == 4) store_le(file.data() + where.offset, static_cast<std::uint32_t>(value));
    else store_le(file.data() + where.offset, value);
}

TEST(repaired, border_values_of_every_header_number) {
    for (const small_file& good : small_files()) {
        SCOPED_TRACE(good.name);
        for (const number& where : header_numbers(good.bytes)) {
            for (const std::uint64_t value : border_values()) {
                file_bytes file = good.bytes;
                put(file, where, value);
                repair_checksums(file);
                open_and_use(file,
                             where.offset != layout::hash_key_at && where.offset != layout::hash_key_at + 8);
                if (HasFailure()) FAIL() << "offset " << where.offset << ", value " << value;
            }
        }
    }
}

// Two fields at once can agree on a size where one alone cannot.
TEST(repaired, border_values_of_two_fields_at_once) {
    const std::array<std::uint64_t, 12> values{
        0, 1, 2, 3, 47, 48, 63, 64, 65, 512, std::uint64_t{1} << 56, UINT64_MAX};
    std::size_t opened = 0;
    for (const small_file& good : small_files()) {
        SCOPED_TRACE(good.name);
        const std::size_t fields = load_le<std::uint32_t>(good.bytes.data() + layout::field_count_at);
        for (std::size_t i = 0; i < fields; ++i)
            for (std::size_t j = 0; j < i; ++j)
                for (const std::uint64_t a : values)
                    for (const std::uint64_t b : values) {
                        file_bytes file = good.bytes;
                        put(file, {layout::fields_at + 8 * i, 8}, a);
                        put(file, {layout::fields_at + 8 * j, 8}, b);
                        repair_checksums(file);
                        opened += open_and_use(file, false) ? 1 : 0;
                        if (HasFailure())
                            FAIL() << "fields " << i << " = " << a << " and " << j << " = " << b;
                    }
    }
    EXPECT_GT(opened, 1000u) << "hardly any change was accepted: the test no longer reaches the filters";
}

TEST(repaired, changed_bytes) {
    for (const small_file& good : small_files()) {
        SCOPED_TRACE(good.name);
        for (std::size_t at = 0; at < good.bytes.size(); ++at) {
            for (const unsigned change : {1, 2, 4, 8, 16, 32, 64, 128, 255, 127}) {
                file_bytes file = good.bytes;
                file[at] ^= static_cast<std::byte>(change);
                repair_checksums(file);
                // A change of the checksums themselves is undone by the repair, one of the lengths may not be repairable.
                if (at < layout::magic.size() || at / 4 == layout::header_bytes_at / 4) continue;
                open_and_use(file, (at + change) % 16 == 0);
                if (HasFailure()) FAIL() << "byte " << at << " changed by " << change;
            }
        }
    }
}

TEST(repaired, moved_bits) {
    std::mt19937_64 random(7);
    for (const small_file& good : small_files(40)) {
        SCOPED_TRACE(good.name);
        const auto filter = any_filter::open_copy(good.bytes);
        ASSERT_TRUE(filter);
        for (int round = 0; round < 2000; ++round) {
            std::vector<moved_bits> moves(1 + random() % 3);
            for (moved_bits& move : moves) move = {random(), random(), 1 + random() % 24};
            open_and_use(file_with_moved_bits(*filter, moves), false);
            if (HasFailure()) FAIL() << "round " << round;
        }
    }
}

TEST(repaired, payloads_of_one_value) {
    for (const small_file& good : small_files()) {
        SCOPED_TRACE(good.name);
        const std::size_t header_bytes = load_le<std::uint32_t>(good.bytes.data() + layout::header_bytes_at);
        for (const unsigned value : {0u, 1u, 0x0fu, 0x55u, 0x80u, 0xeeu, 0xf0u, 0xffu}) {
            file_bytes file = good.bytes;
            std::fill(file.begin() + static_cast<std::ptrdiff_t>(header_bytes), file.end(),
                      static_cast<std::byte>(value));
            repair_checksums(file);
            open_and_use(file, true);
        }
    }
}

}  // namespace
}  // namespace membrane::corrupt
