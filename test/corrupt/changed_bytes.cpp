// A file that is not exactly as it was written is refused: every byte, every value, every length.
#include <gtest/gtest.h>

#include "allocation.hpp"
#include "small_files.hpp"

namespace membrane::corrupt {
namespace {

TEST(corrupt, files_are_good_before_they_are_damaged) {
    for (const small_file& file : small_files()) {
        const auto view = any_view::open(file.bytes);
        ASSERT_TRUE(view) << file.name << ": " << describe(view.error());
        for (std::uint64_t key = 0; key < 3; ++key) EXPECT_TRUE(view->may_contain(key)) << file.name;
        EXPECT_LE(file.bytes.size(), 1024u) << file.name;
    }
}

TEST(corrupt, any_other_value_of_any_byte_is_refused) {
    for (small_file& file : small_files()) {
        std::size_t accepted = 0;
        for (std::byte& byte : file.bytes) {
            for (unsigned change = 1; change < 256; ++change) {
                byte ^= static_cast<std::byte>(change);
                accepted += any_view::open(file.bytes) ? 1 : 0;
                byte ^= static_cast<std::byte>(change);
            }
        }
        EXPECT_EQ(accepted, 0u) << file.name;
    }
}

TEST(corrupt, every_truncation_is_refused) {
    for (const small_file& file : small_files()) {
        for (std::size_t length = 0; length < file.bytes.size(); ++length) {
            // A copy of exactly this length, so that a sanitizer sees a look behind it.
            file_bytes cut(file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(length));
            const auto view = any_view::open(cut);
            ASSERT_FALSE(view) << file.name << " cut to " << length;
            EXPECT_EQ(view.error().code, errc::truncated) << file.name << " cut to " << length;
            repair_all(cut);
            EXPECT_FALSE(any_view::open(cut)) << file.name << " cut to " << length << " and repaired";
        }
    }
}

TEST(corrupt, every_extension_is_refused) {
    for (const small_file& file : small_files()) {
        for (const std::size_t more : {1, 7, 8, 32, 64, 1024, 4096}) {
            for (const int value : {0, 255}) {
                file_bytes longer = file.bytes;
                longer.resize(longer.size() + more, static_cast<std::byte>(value));
                const auto view = any_view::open(longer);
                ASSERT_FALSE(view) << file.name << " with " << more << " bytes more";
                EXPECT_EQ(view.error().code, errc::trailing_bytes)
                    << file.name << " with " << more << " bytes more";
                repair_all(longer);
                EXPECT_FALSE(any_view::open(longer))
                    << file.name << " with " << more << " bytes more, repaired";
            }
        }
    }
}

TEST(corrupt, every_flipped_bit_of_a_larger_file_is_refused) {
    for (const kind_entry& kind : registry()) {
        const auto spec = kind.plan.size({1000, 0.01, {}}, {});
        ASSERT_TRUE(spec);
        file_bytes file = file_of(*spec, 1000);
        std::size_t accepted = 0;
        // A prime step: every header bit is close to one that is tried, and the payload is sampled evenly.
        for (std::size_t bit = 0; bit < file.size() * 8; bit += bit < 512 * 8 ? 1 : 13) {
            file[bit / 8] ^= std::byte{1} << (bit % 8);
            accepted += any_view::open(file) ? 1 : 0;
            file[bit / 8] ^= std::byte{1} << (bit % 8);
        }
        EXPECT_EQ(accepted, 0u) << kind.rules.name;
    }
}

TEST(corrupt, opening_allocates_nothing) {
    for (small_file& file : small_files()) {
        for (const bool is_damaged : {false, true}) {
            if (is_damaged) file.bytes[layout::keys_at] ^= std::byte{1};
            const allocation_watch watch;
            const auto view = any_view::open(file.bytes);
            const std::size_t allocations = watch.count();
            EXPECT_EQ(view.has_value(), !is_damaged);
            EXPECT_EQ(allocations, 0u) << file.name;
        }
    }
}

}  // namespace
}  // namespace membrane::corrupt
