// Special malformed files, one reason each, and what the reader says about them: what, where, found, expected.
#include <bit>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <membrane/spec/blocked_bloom_spec.hpp>
#include <membrane/spec/bloom_spec.hpp>
#include <membrane/spec/count_min_spec.hpp>

#include "small_files.hpp"

namespace membrane::corrupt {
namespace {

file_bytes bytes_of_text(std::string_view text, std::size_t length = 0) {
    const auto bytes = std::as_bytes(std::span(text));
    file_bytes file(bytes.begin(), bytes.end());
    if (length != 0) file.resize(length, std::byte{0x20});
    return file;
}

filter_spec bloom_of(std::uint64_t size_bits, std::uint64_t k) {
    filter_spec spec = initial_spec(kind_id::bloom, bloom_fields);
    spec[flat_field::size] = size_bits;
    spec[flat_field::k] = k;
    return spec;
}

filter_spec count_min_of(std::uint64_t width, std::uint64_t depth, std::uint64_t slots,
                         std::uint64_t key_bytes) {
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    spec[count_min_field::width] = width;
    spec[count_min_field::depth] = depth;
    spec[count_min_field::top_slots] = slots;
    spec[count_min_field::top_key_bytes] = key_bytes;
    return spec;
}

filter_spec blocked_of(std::uint64_t blocks) {
    filter_spec spec = initial_spec(kind_id::blocked_bloom, blocked_bloom_fields);
    spec[blocked_field::blocks] = blocks;
    return spec;
}

constexpr std::size_t field_at(std::size_t field) { return layout::fields_at + 8 * field; }

template <class Word>
std::function<void(file_bytes&)> set(std::size_t offset, Word value) {
    return [=](file_bytes& file) { store_le(file.data() + offset, value); };
}
std::function<void(file_bytes&)> set_rate(double rate) {
    return set(layout::planned_fpr_at, std::bit_cast<std::uint64_t>(rate));
}

struct malformed {
    std::string_view reason;
    filter_spec spec;
    std::function<void(file_bytes&)> damage;  // before the checksums are repaired
    std::string_view said;
};

void expect_said(const file_bytes& file, std::string_view reason, std::string_view said) {
    const auto view = any_view::open(file);
    ASSERT_FALSE(view) << reason;
    EXPECT_EQ(describe(view.error()), said) << reason;
    EXPECT_FALSE(any_view::open(file, checksum::trust)) << reason;
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
    const std::initializer_list<malformed> cases{
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
         "hash not known to this release: hash id (found 9, expected 1 to 4), at byte 20"},
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
    };
    for (const malformed& each : cases) {
        file_bytes file = file_of(each.spec, 1);
        each.damage(file);
        repair_checksums(file);
        expect_said(file, each.reason, each.said);
    }
}

TEST(malformed, specs_with_right_checksums) {
    const filter_spec bloom = bloom_of(192, 4);
    filter_spec partitioned = bloom_of(192, 4);
    partitioned[flat_field::probes] = probes::partitioned;
    partitioned[flat_field::sub_array] = 47;
    const filter_spec blocked = blocked_of(3);
    const filter_spec sketch = count_min_of(7, 3, 2, 5);
    const std::initializer_list<malformed> cases{
        {"no probes: everything would be present", bloom, set(field_at(flat_field::k), std::uint64_t{0}),
         "value out of range: k (found 0, expected 1 to 64), at byte 112"},
        {"more probes than streams", bloom, set(field_at(flat_field::k), std::uint64_t{65}),
         "value out of range: k (found 65, expected 1 to 64), at byte 112"},
        {"array of nothing", bloom, set(field_at(flat_field::size), std::uint64_t{0}),
         "value out of range: size_bits (found 0, expected 1 to 72057594037927936), at byte 104"},
        {"size whose rounding up wraps", bloom, set(field_at(flat_field::size), UINT64_MAX - 62),
         "value out of range: size_bits (found 18446744073709551553, expected 1 to 72057594037927936), at "
         "byte 104"},
        {"largest size that is allowed, in a small file", bloom,
         set(field_at(flat_field::size), max_size_bits),
         "value out of range: payload length (found 24, expected 9007199254740992), at byte 80"},
        {"size that ends inside a word", bloom, set(field_at(flat_field::size), std::uint64_t{190}),
         "value out of range: size_bits (found 190), at byte 104; with strides=coprime it must be a multiple "
         "of 64"},
        {"probe scheme that does not exist", bloom, set(field_at(flat_field::probes), std::uint64_t{4}),
         "value out of range: probes (found 4, expected 0 to 3), at byte 120"},
        {"fold by more than a shift can", bloom, set(field_at(flat_field::fold_log2), std::uint64_t{64}),
         "value out of range: fold_log2 (found 64, expected 0 to 48), at byte 152"},
        {"fold by nearly 2^64", bloom, set(field_at(flat_field::fold_log2), UINT64_MAX),
         "value out of range: fold_log2 (found 18446744073709551615, expected 0 to 48), at byte 152"},
        {"fold past a single word", bloom, set(field_at(flat_field::fold_log2), std::uint64_t{2}),
         "value out of range: fold_log2 (found 2), at byte 152; the array has fewer words than that many "
         "halvings"},
        {"sub-arrays without partitions", bloom, set(field_at(flat_field::sub_array), std::uint64_t{48}),
         "value out of range: sub_array_bits (found 48, expected 0), at byte 144; only probes=partitioned "
         "has sub-arrays"},
        {"sub-arrays that reach behind the array", partitioned,
         set(field_at(flat_field::sub_array), std::uint64_t{49}),
         "value out of range: sub_array_bits (found 49, expected 1 to 48), at byte 144; k sub-arrays must "
         "fit into the array"},
        {"sub-arrays whose sum wraps", partitioned,
         set(field_at(flat_field::sub_array), std::uint64_t{1} << 56),
         "value out of range: sub_array_bits (found 72057594037927936, expected 1 to 48), at byte 144; k "
         "sub-arrays must fit into the array"},
        {"sub-arrays of nothing", partitioned, set(field_at(flat_field::sub_array), std::uint64_t{0}),
         "value out of range: sub_array_bits (found 0, expected 1 to 48), at byte 144; k sub-arrays must fit "
         "into the array"},
        {"block of 300 bits", blocked, set(field_at(blocked_field::block_bits), std::uint64_t{300}),
         "value out of range: block_bits (found 300), at byte 112; a block has 256 or 512 bits"},
        {"more blocks than there is room for", blocked,
         set(field_at(blocked_field::blocks), std::uint64_t{1} << 60),
         "value out of range: blocks (found 1152921504606846976, expected 1 to 140737488355328), at byte "
         "104"},
        {"fold past a single block", blocked, set(field_at(blocked_field::fold_log2), std::uint64_t{48}),
         "value out of range: fold_log2 (found 48), at byte 128; there are fewer blocks than that many "
         "halvings"},
        {"width that is not prime", sketch, set(field_at(count_min_field::width), std::uint64_t{8}),
         "value out of range: width (found 8), at byte 112; rows=two_hash needs a prime width"},
        {"widest sketch, in a small file", sketch,
         set(field_at(count_min_field::width), (std::uint64_t{1} << 40) - 87),
         "value out of range: payload length (found 336, expected 26388279064720), at byte 80"},
        {"width beyond the widest", sketch, set(field_at(count_min_field::width), UINT64_MAX),
         "value out of range: width (found 18446744073709551615, expected 1 to 1099511627776), at byte 112"},
        {"most copies, in a small file", sketch, set(field_at(count_min_field::copies), std::uint64_t{64}),
         "value out of range: payload length (found 336, expected 10896), at byte 80"},
        {"more rows than the streams have room for", sketch,
         [](file_bytes& file) {
             store_le(file.data() + field_at(count_min_field::depth), std::uint64_t{5});
             store_le(file.data() + field_at(count_min_field::copies), std::uint64_t{64});
         },
         "value out of range: copies (found 64), at byte 128; depth times copies is at most 256"},
        {"counters of 48 bits", sketch, set(field_at(count_min_field::cell_bits), std::uint64_t{48}),
         "value out of range: cell_bits (found 48), at byte 136; a counter has 32 or 64 bits"},
        {"most slots, in a small file", sketch,
         set(field_at(count_min_field::top_slots), std::uint64_t{1} << 20),
         "value out of range: payload length (found 336, expected 41943296), at byte 80"},
        {"slots times bytes that wrap", sketch,
         set(field_at(count_min_field::top_slots), UINT64_MAX / 40 + 1),
         "value out of range: top_slots (found 461168601842738791, expected 0 to 1048576), at byte 152"},
        {"longest names, in a small file", sketch,
         set(field_at(count_min_field::top_key_bytes), std::uint64_t{65536}),
         "value out of range: payload length (found 336, expected 131392), at byte 80"},
    };
    for (const malformed& each : cases) {
        file_bytes file = file_of(each.spec, 1);
        each.damage(file);
        repair_checksums(file);
        expect_said(file, each.reason, each.said);
    }
}

TEST(malformed, payloads_with_right_checksums) {
    filter_spec odd = bloom_of(190, 4);
    odd[flat_field::probes] = probes::independent;
    const filter_spec sketch = count_min_of(7, 3, 2, 5);
    const std::size_t cells = 192 + 21 * 8;  // end of the counters
    const std::size_t top = 192 + 192;       // the section of the most counted keys
    const std::initializer_list<malformed> cases{
        {"a bit behind the end of the array", odd, [](file_bytes& file) { file.back() |= std::byte{0x80}; },
         "payload contradicts its header: a cell behind the end of the array is in use (found 191), at byte "
         "192"},
        {"something behind the counters", sketch, set(cells, std::uint64_t{1}),
         "reserved bytes are not zero: padding behind the counters, at byte 192"},
        {"more slots in use than there are", sketch, set(top, std::uint64_t{3}),
         "payload contradicts its header: used slots of the most counted keys (found 3, expected 0 to 2), at "
         "byte 192"},
        {"far more slots in use than there are", sketch, set(top, UINT64_MAX),
         "payload contradicts its header: used slots of the most counted keys (found 18446744073709551615, "
         "expected 0 to 2), at byte 192"},
        {"something in the head of the section", sketch, set(top + 8, std::uint64_t{1}),
         "reserved bytes are not zero: head of the most counted keys, at byte 192"},
        {"a slot in use that the count leaves out", sketch, set(top, std::uint64_t{0}),
         "reserved bytes are not zero: unused slots of the most counted keys, at byte 192"},
        {"slots out of order", sketch,
         [=](file_bytes& file) {
             store_le(file.data() + top, std::uint64_t{2});
             store_le(file.data() + top + 64 + 40 + 16, UINT64_MAX);
         },
         "payload contradicts its header: order of the most counted keys (found 1), at byte 192"},
        {"letters behind the end of a key", sketch, set(top + 64 + 24, std::uint64_t{2}),
         "reserved bytes are not zero: bytes behind a most counted key (found 0), at byte 192"},
    };
    for (const malformed& each : cases) {
        file_bytes file = file_of(each.spec, 1);
        each.damage(file);
        repair_checksums(file);
        expect_said(file, each.reason, each.said);
    }
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
