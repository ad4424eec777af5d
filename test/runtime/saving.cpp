// Files: the old one or the new one, never a mix, never litter, and the reason when it cannot be done.
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/save.hpp>

#include "support/filters.hpp"
#include "support/kinds.hpp"
#include "support/temporary.hpp"

namespace membrane::test {
namespace {

using names = std::set<std::string>;

any_filter some_filter(std::uint64_t first = 0) {
    const auto spec =
        value_of(registry().front().plan.size({.keys = 1000, .fpr = 0.01, .bits_per_key = {}}, {}));
    return filled(spec, hashes_of(numbered_hasher(1), first, 1000));
}

std::string text_of(const any_view& filter) {
    const auto file = file_of(filter);
    return {reinterpret_cast<const char*>(file.data()), file.size()};
}

void expect_io_error(const result<void>& done, int number) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::io_error) << describe(done.error());
    EXPECT_EQ(done.error().found, static_cast<std::uint64_t>(number)) << describe(done.error());
}

class Saving : public kind_test {};

TEST_P(Saving, AndMappingAgainAnswersLikeTheOwner) {
    const temporary_directory directory;
    const auto members = hashes_of(numbered_hasher(1), 0, 500),
               strangers = hashes_of(numbered_hasher(1), 1 << 20, 5000);
    for (const named_spec& each : planned_specs(entry(), {.keys = 500, .fpr = 0.05, .bits_per_key = {}})) {
        SCOPED_TRACE(each.name);
        const any_filter filter = filled(each.spec, members);
        expect_done(save(filter, directory.path("f.mbr"), existing::replace));
        for (const checksum check : {checksum::verify, checksum::trust}) {
            const mapped_filter mapped = value_of(mapped_filter::try_open(directory.path("f.mbr"), check));
            ASSERT_EQ(false_negatives(mapped.view(), members), 0u);
            ASSERT_EQ(answers_of(mapped.view(), strangers), answers_of(filter, strangers));
            ASSERT_EQ(mapped->keys(), 500u);
            ASSERT_EQ(mapped->spec(), each.spec);
            const any_filter copy = value_of(any_filter::copy_of(mapped.view()));
            ASSERT_EQ(file_of(copy), file_of(filter));
        }
    }
    EXPECT_EQ(directory.names(), names{"f.mbr"});
}
MEMBRANE_FOR_EVERY_KIND(Saving);

TEST(SavedFile, IsKeptUnlessItsReplacementIsAskedFor) {
    const temporary_directory directory;
    const std::string path = directory.path("f.mbr");
    std::ofstream(path) << "precious";
    const auto refused = save(some_filter(), path, existing::keep);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::already_exists);
    EXPECT_EQ(contents_of(path), "precious");
    EXPECT_EQ(directory.names(), names{"f.mbr"});
    expect_done(save(some_filter(), path, existing::replace));
    EXPECT_EQ(contents_of(path), text_of(some_filter()));
    EXPECT_EQ(directory.names(), names{"f.mbr"});
    expect_done(save(some_filter(), directory.path("new.mbr"), existing::keep));
    EXPECT_EQ(contents_of(directory.path("new.mbr")), text_of(some_filter()));
    EXPECT_EQ(directory.names(), (names{"f.mbr", "new.mbr"}));
}

TEST(SavedFile, StaysWholeForWhoeverHasTheOldOneMapped) {
    const temporary_directory directory;
    const std::string path = directory.path("f.mbr");
    expect_done(save(some_filter(0), path, existing::keep));
    const mapped_filter old = value_of(mapped_filter::try_open(path));
    expect_done(save(some_filter(5000), path, existing::replace));
    EXPECT_EQ(false_negatives(old.view(), hashes_of(numbered_hasher(1), 0, 1000)), 0u);
    const mapped_filter now = value_of(mapped_filter::try_open(path));
    EXPECT_EQ(false_negatives(now.view(), hashes_of(numbered_hasher(1), 5000, 1000)), 0u);
}

TEST(SavedFile, KeepsItsPermissionsAndItsSymbolicLink) {
    const temporary_directory directory;
    const std::string path = directory.path("f.mbr"), link = directory.path("link.mbr");
    expect_done(save(some_filter(), path, existing::keep));
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    std::filesystem::create_symlink("f.mbr", link);
    expect_done(save(some_filter(5000), link, existing::replace));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(contents_of(path), text_of(some_filter(5000)));
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0640u);
}

TEST(SavedFile, IsOneOfThoseThatThreadsWroteAtOnce) {
    const temporary_directory directory;
    const std::string path = directory.path("f.mbr");
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    for (std::uint64_t writer = 0; writer < 4; ++writer)
        threads.emplace_back([&, writer] {
            const any_filter filter = some_filter(writer * 10000);
            for (int round = 0; round < 25; ++round) failed += save(filter, path, existing::replace) ? 0 : 1;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failed, 0);
    const mapped_filter last = value_of(mapped_filter::try_open(path));
    std::size_t holders = 0;
    for (std::uint64_t writer = 0; writer < 4; ++writer)
        holders +=
            false_negatives(last.view(), hashes_of(numbered_hasher(1), writer * 10000, 1000)) == 0 ? 1 : 0;
    EXPECT_EQ(holders, 1u);
    EXPECT_EQ(directory.names(), names{"f.mbr"});
}

TEST(SavedFile, CannotGoIntoAMissingDirectoryOrOntoADirectory) {
    const temporary_directory directory;
    expect_io_error(save(some_filter(), directory.path("missing/f.mbr"), existing::keep), ENOENT);
    expect_io_error(save(some_filter(), directory.path("missing/f.mbr"), existing::replace), ENOENT);
    std::filesystem::create_directory(directory.path("sub"));
    expect_io_error(save(some_filter(), directory.path("sub"), existing::replace), EISDIR);
    EXPECT_FALSE(save(some_filter(), directory.path("sub"), existing::keep));
    expect_io_error(save(some_filter(), "/dev/null", existing::replace), EINVAL);
    EXPECT_EQ(directory.names(), names{"sub"});
}

TEST(SavedFile, CannotGoWhereNothingMayBeWritten) {
    // Root may write into any directory, but not create files in /proc.
    const auto refused = save(some_filter(), "/proc/f.mbr", existing::keep);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::io_error);
    if (::geteuid() == 0) return;
    const temporary_directory directory;
    std::filesystem::permissions(directory.root(),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    expect_io_error(save(some_filter(), directory.path("f.mbr"), existing::keep), EACCES);
    EXPECT_TRUE(directory.names().empty());
}

TEST(OpenedFile, ThatIsMissingEmptyOrNoFileIsRefusedWithItsReason) {
    const temporary_directory directory;
    const auto missing = mapped_filter::try_open(directory.path("missing.mbr"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, errc::io_error);
    EXPECT_EQ(missing.error().found, static_cast<std::uint64_t>(ENOENT));
    const auto folder = mapped_filter::try_open(directory.root().string());
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().found, static_cast<std::uint64_t>(EISDIR));
    std::ofstream(directory.path("empty.mbr"));
    const auto empty = mapped_filter::try_open(directory.path("empty.mbr"));
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().code, errc::truncated);
    std::ofstream(directory.path("text.mbr")) << std::string(1000, 'x');
    const auto text = mapped_filter::try_open(directory.path("text.mbr"));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, errc::not_a_membrane_file);
}

TEST(OpenedFile, LargerThanTheLimitIsNotCopied) {
    const any_filter filter = some_filter();
    const auto file = file_of(filter);
    const auto refused = any_filter::open_copy(file, filter.size_bytes() - 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::too_large);
    EXPECT_EQ(refused.error().found, filter.size_bytes());
    EXPECT_TRUE(any_filter::open_copy(file, filter.size_bytes()));
}

}  // namespace
}  // namespace membrane::test
