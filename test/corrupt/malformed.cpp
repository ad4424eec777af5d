// Files of other tools, wrong headers and wrong checksums; what is only informative may be anything.
#include <cmath>
#include <limits>
#include <string>

#include "malformed.hpp"

namespace membrane::corrupt {
namespace {

file_bytes bytes_of_text(std::string_view text, std::size_t length = 0) {
    const auto bytes = std::as_bytes(std::span(text));
    file_bytes file(bytes.begin(), bytes.end());
    if (length != 0) file.resize(length, std::byte{0x20});
    return file;
}

TEST(malformed, files_of_other_tools) {
    const std::string_view said = "not a membrane file: first bytes are not those of a .mbr file, at byte 0";
    expect_said(bytes_of_text("\x1f\x8b\x08", 300), "gzip", said);
    expect_said(bytes_of_text("\x7f"
                              "ELF\x02\x01\x01",
                              300),
                "ELF program", said);
    expect_said(bytes_of_text("\x89PNG\r\n\x1a\n", 300), "PNG image: our magic differs in three letters",
                said);
    expect_said(bytes_of_text("PK\x03\x04", 300), "zip archive", said);
    expect_said(bytes_of_text("alpha\nbeta\n"), "a list of keys, shorter than a header", said);
    expect_said(bytes_of_text("\x89MBR\n\x1a\n", 300), "our own file after a transfer as text", said);
    expect_said(bytes_of_text(std::string_view("\0\0\0\0\0\0\0\0", 8), 300), "a file of zeros", said);
    expect_said({}, "empty file", "truncated: the file is empty (found 0, expected at least 128), at byte 0");
    expect_said(bytes_of_text("\x89MBR"), "only the beginning of the magic",
                "truncated: bytes of the header (found 4, expected at least 128), at byte 4");
}

TEST(malformed, headers_with_right_checksums) {
    const filter_spec bloom = bloom_of(192, 4);
    expect_all_said({
        {"a later version", bloom, set(layout::version_at, 2u),
         "format version not known to this release: format version (found 2, expected 1), at byte 8; a newer "
         "release of membrane wrote this file"},
        {"version 0 never existed", bloom, set(layout::version_at, 0u),
         "format version not known to this release: format version (found 0, expected 1), at byte 8; a newer "
         "release of membrane wrote this file"},
        {"kind of a later release", bloom, set(layout::kind_at, 999u),
         "kind not known to this release: kind id (found 999), at byte 16; a newer release of membrane wrote "
         "this file"},
        {"hash of a later release", bloom, set(layout::hash_at, 9u),
         "hash not known to this release: hash id (found 9, expected 1 to 5), at byte 20"},
        {"flag that must be understood", bloom, set(layout::must_understand_at, std::uint64_t{1} << 63),
         "flag not known to this release: must-understand flags (found 9223372036854775808, expected 0), at "
         "byte 24; a newer release of membrane wrote this file"},
        {"reserved number", bloom, set(layout::reserved_at, 0x100u),
         "reserved bytes are not zero: header (found 1, expected 0), at byte 101"},
        {"padding behind the fields", bloom, set(field_at(7), std::uint64_t{5}),
         "reserved bytes are not zero: header (found 5, expected 0), at byte 160"},
        {"one field more than the kind has", bloom, set(layout::field_count_at, 8u),
         "value out of range: number of spec fields (found 8, expected 7), at byte 96"},
        {"as many fields as 32 bits can say", bloom, set(layout::field_count_at, UINT32_MAX),
         "value out of range: number of spec fields (found 4294967295, expected 7), at byte 96"},
        {"header length 0", bloom, set(layout::header_bytes_at, 0u),
         "value out of range: header length, a multiple of 64 (found 0, expected 128 to 4096), at byte 12"},
        {"header length off the grid", bloom, set(layout::header_bytes_at, 193u),
         "value out of range: header length, a multiple of 64 (found 193, expected 128 to 4096), at byte 12"},
        {"header longer than any", bloom, set(layout::header_bytes_at, 8192u),
         "value out of range: header length, a multiple of 64 (found 8192, expected 128 to 4096), at byte "
         "12"},
        {"header longer than the file", bloom, set(layout::header_bytes_at, 4096u),
         "truncated: bytes of the header (found 216, expected at least 4096), at byte 216"},
        {"header shorter than its fields", bloom, set(layout::header_bytes_at, 128u),
         "value out of range: header length (found 128, expected 192), at byte 12"},
        {"rate that is no number", bloom, set_rate(std::nan("")),
         "value out of range: planned_fpr, at byte 64; a rate lies between 0 and 1"},
        {"negative rate", bloom, set_rate(-0.25),
         "value out of range: planned_fpr, at byte 64; a rate lies between 0 and 1"},
        {"rate above one", bloom, set_rate(2),
         "value out of range: planned_fpr, at byte 64; a rate lies between 0 and 1"},
        {"infinite rate", bloom, set_rate(std::numeric_limits<double>::infinity()),
         "value out of range: planned_fpr, at byte 64; a rate lies between 0 and 1"},
        {"payload length that no file has", bloom, set(layout::payload_bytes_at, UINT64_MAX),
         "value out of range: payload length (found 18446744073709551615, expected 24), at byte 80"},
    });
}

TEST(malformed, checksums) {
    file_bytes file = file_of(bloom_of(192, 4), 1);
    file[layout::keys_at] ^= std::byte{1};
    auto view = any_view::open(file);
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, errc::bad_header_checksum);
    EXPECT_EQ(view.error().offset, 184u);
    file[layout::keys_at] ^= std::byte{1};

    file.back() ^= std::byte{1};
    view = any_view::open(file);
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, errc::bad_payload_checksum);
    EXPECT_EQ(view.error().offset, 192u);
    EXPECT_TRUE(any_view::open(file, checksum::trust)) << "trust leaves the payload's checksum out";
}

TEST(malformed, flags_that_may_be_ignored_are_no_obstacle) {
    file_bytes file = file_of(bloom_of(192, 4), 2);
    store_le(file.data() + layout::may_ignore_at, UINT64_MAX);
    repair_checksums(file);
    const auto view = any_view::open(file);
    ASSERT_TRUE(view) << describe(view.error());
    EXPECT_TRUE(view->may_contain(std::uint64_t{0}) && view->may_contain(std::uint64_t{1}));
}

TEST(malformed, numbers_that_only_inform_may_be_anything) {
    for (const std::size_t offset : {layout::planned_keys_at, layout::keys_at, layout::hash_key_at}) {
        file_bytes file = file_of(bloom_of(192, 4), 2);
        store_le(file.data() + offset, UINT64_MAX);
        repair_checksums(file);
        const auto view = any_view::open(file);
        ASSERT_TRUE(view) << describe(view.error());
        exercise(*view, true);
    }
}

}  // namespace
}  // namespace membrane::corrupt
