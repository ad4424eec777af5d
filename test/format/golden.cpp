// Files of every released format version open, answer as they did when they were written, and are written the same
// today. A new kind or choice fails here until its files are made, once, by the command that the failure prints.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/format/encode.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "golden_cases.hpp"

namespace membrane {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(MEMBRANE_GOLDEN) / ("v" + std::to_string(layout::format_version));

std::vector<std::filesystem::path> golden_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(MEMBRANE_GOLDEN))
        if (entry.path().extension() == ".mbr") files.push_back(entry.path());
    return files;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.is_open()) << path;
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::byte> encoded(const any_view& filter) { return encode_file(filter.as_file()); }

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(golden, every_kind_choice_and_hash_has_a_file) {
    for (const kind_entry& kind : registry())
        for (const auto& wanted : golden::cases_of(kind))
            for (const char* extension : {".mbr", ".txt"})
                EXPECT_TRUE(std::filesystem::exists(folder / (wanted.name + extension)))
                    << wanted.name << extension
                    << " is missing. Make it once, from the code that is being released:\n"
                    << "  build/bin/test_format --gtest_also_run_disabled_tests "
                       "--gtest_filter='*make_missing_files'";
}

TEST(golden, files_open_and_their_members_are_in) {
    ASSERT_FALSE(golden_files().empty());
    for (const auto& path : golden_files()) {
        SCOPED_TRACE(path.filename());
        const std::string file = contents(path);
        EXPECT_LE(file.size(), 4096u);
        const auto view = any_view::open(std::as_bytes(std::span(file)));
        ASSERT_TRUE(view) << describe(view.error());
        EXPECT_EQ(view->hash().key, golden::fixed_key);
        ASSERT_GE(view->keys(), view->spec().planned_keys);
        for (std::uint64_t i = 0; i < view->spec().planned_keys; ++i) {
            const key_hash hash = golden::key_of(view->hash(), i);
            EXPECT_TRUE(view->may_contain(hash)) << "member " << i;
            const auto estimate = view->estimate(hash);
            EXPECT_TRUE(!estimate || *estimate >= golden::times_of(i)) << "member " << i;
        }
        for (const counted_key& entry : view->top()) EXPECT_EQ(entry.estimate, *view->estimate(entry.hash));
    }
}

TEST(golden, files_answer_as_when_they_were_written) {
    for (const auto& path : golden_files()) {
        const std::string file = contents(path);
        const auto view = any_view::open(std::as_bytes(std::span(file)));
        ASSERT_TRUE(view) << path;
        auto pinned = path;
        EXPECT_EQ(golden::pinned_answers(*view), contents(pinned.replace_extension(".txt")))
            << path.filename();
    }
}

TEST(golden, files_are_written_again_byte_for_byte) {
    for (const auto& path : golden_files()) {
        if (path.parent_path() != folder) continue;  // older versions are read, not written
        const std::string file = contents(path);
        const auto view = any_view::open(std::as_bytes(std::span(file)));
        ASSERT_TRUE(view) << path;
        EXPECT_EQ(text_of(encoded(*view)), file) << path.filename();

        // Not only the bytes in memory are the same: filling an equal filter sets the same bits today.
        filter_spec spec = view->spec();
        const fold_ops* const fold = view->kind().ops_for(spec).folds;
        const std::uint64_t folds = fold == nullptr ? 0 : std::exchange(spec[fold->field], 0);
        EXPECT_EQ(text_of(encoded(
                      golden::fill({"", spec, view->hash().id, folds, std::string(view->labels().text())}))),
                  file)
            << path.filename();
    }
}

TEST(golden, DISABLED_make_missing_files) {
    std::filesystem::create_directories(folder);
    for (const kind_entry& kind : registry()) {
        for (const auto& wanted : golden::cases_of(kind)) {
            const auto path = folder / (wanted.name + ".mbr");
            if (std::filesystem::exists(path)) continue;
            const any_filter filter = golden::fill(wanted);
            std::ofstream(path, std::ios::binary) << text_of(encoded(filter));
            std::ofstream(folder / (wanted.name + ".txt"), std::ios::binary)
                << golden::pinned_answers(filter);
        }
    }
}

}  // namespace
}  // namespace membrane
