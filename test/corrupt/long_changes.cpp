// Every change of a byte, with and without repaired checksums, in files of up to 4 KiB of each kind; every bit of a file of 1 MiB.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "allocation.hpp"
#include "small_files.hpp"
#include "support/kinds.hpp"

namespace membrane::corrupt {
namespace {

class LongChanges : public test::kind_test {
protected:
    // Files of a few sizes of every variant: at most 4 KiB with the header.
    std::vector<small_file> files() const {
        std::vector<small_file> files = small_files_of(entry(), 40);
        const auto spec = entry().plan.size({.keys = 2000, .bits_per_key = 13}, {});
        if (spec && fits(entry(), *spec, 3840)) files.push_back({"of 2000 keys", file_of(*spec, 2000)});
        return files;
    }
};

TEST_P(LongChanges, AnyOtherValueOfAnyByteIsRefused) {
    for (small_file& file : files()) {
        ASSERT_LE(file.bytes.size(), 4096u);
        ASSERT_TRUE(any_view::open(file.bytes));
        std::size_t accepted = 0;
        for (std::byte& byte : file.bytes)
            for (unsigned change = 1; change < 256; ++change) {
                byte ^= static_cast<std::byte>(change);
                accepted += any_view::open(file.bytes) ? 1 : 0;
                byte ^= static_cast<std::byte>(change);
            }
        EXPECT_EQ(accepted, 0u) << file.name;
    }
}

TEST_P(LongChanges, WithRepairedChecksumsEveryOneIsRefusedOrSafeToUse) {
    for (const small_file& good : files())
        for (std::size_t at = 0; at < good.bytes.size(); ++at)
            for (unsigned change = 1; change < 256; ++change) {
                file_bytes file = good.bytes;
                file[at] ^= static_cast<std::byte>(change);
                repair_checksums(file);
                const auto view = any_view::open(file);
                if (!view) {
                    ASSERT_FALSE(view.error().what.empty());
                    continue;
                }
                const allocation_watch watch;
                exercise(*view, (at * 255 + change) % 1024 == 0);
                ASSERT_LE(watch.peak_bytes(), (std::size_t{64} << 20) + 4 * file.size())
                    << good.name << ", byte " << at << " changed by " << change;
            }
}

// One part of 64 of the bits in a run: MEMBRANE_PART=0 to 63, or all of them.
TEST_P(LongChanges, EveryBitOfAMebibyteIsNoticed) {
    constexpr std::size_t parts = 64;
    const auto spec = entry().plan.size({.keys = 1 << 19, .bits_per_key = 15.9}, {});
    ASSERT_TRUE(spec);
    file_bytes file = file_of(*spec, 1 << 19);
    ASSERT_GT(file.size(), 900'000u);
    ASSERT_TRUE(any_view::open(file));
    const char* const part = std::getenv("MEMBRANE_PART");
    const std::size_t first = part == nullptr ? 0 : static_cast<std::size_t>(std::atoi(part)) % parts;
    std::size_t accepted = 0;
    for (std::size_t bit = first; bit < 8 * file.size(); bit += part == nullptr ? 1 : parts) {
        file[bit / 8] ^= std::byte{1} << (bit % 8);
        accepted += any_view::open(file) ? 1 : 0;
        file[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(accepted, 0u);
}

MEMBRANE_FOR_EVERY_KIND(LongChanges);

}  // namespace
}  // namespace membrane::corrupt
