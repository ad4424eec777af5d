// Labels in the header: what is written is read, what is malformed is refused with its place, unknown sections are skipped.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/base/endian.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/number_files.hpp>
#include <membrane/runtime/planner.hpp>

namespace membrane {

namespace {

using bytes = std::vector<std::byte>;

any_filter labelled_filter(const char* kind, const file_labels& labels) {
    const filter_spec spec = *find_entry(std::string_view(kind))->plan.size({.keys = 1000, .fpr = 0.01}, {});
    any_filter made = *any_filter::create(spec, hasher{hash_id::siphash13, {1, 2}});
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(made.insert(std::to_string(i)));
    made.set_labels(labels);
    return made;
}

file_labels labels_of(std::initializer_list<label> all) {
    file_labels made;
    for (const label& each : all) EXPECT_TRUE(made.set(each.name, each.value));
    return made;
}

void repair(bytes& file) {
    const std::size_t end =
        load_le<std::uint32_t>(file.data() + layout::header_bytes_at) - layout::checksum_bytes;
    store_le(file.data() + end, checksum64(std::span<const std::byte>(file).first(end)));
}

// A bloom file whose sections are these bytes.
bytes with_sections(const std::string& sections, std::uint64_t flags = layout::has_sections) {
    const bytes plain = encode_file(labelled_filter("bloom", {}).as_file());
    const std::size_t fields = load_le<std::uint32_t>(plain.data() + layout::field_count_at);
    const std::size_t old_size = load_le<std::uint32_t>(plain.data() + layout::header_bytes_at);
    const std::size_t size = layout::header_bytes(fields, sections.size());
    bytes file(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(layout::fields_at + 8 * fields));
    for (const char each : sections) file.push_back(static_cast<std::byte>(each));
    file.resize(size);
    store_le(file.data() + layout::header_bytes_at, static_cast<std::uint32_t>(size));
    store_le(file.data() + layout::may_ignore_at, flags);
    file.insert(file.end(), plain.begin() + static_cast<std::ptrdiff_t>(old_size), plain.end());
    repair(file);
    return file;
}

std::string section(std::uint32_t id, const std::string& text, std::uint32_t length) {
    std::string made(8, '\0');
    store_le(reinterpret_cast<std::byte*>(made.data()), id);
    store_le(reinterpret_cast<std::byte*>(made.data()) + 4, length);
    made += text;
    made.resize((made.size() + 7) / 8 * 8);
    return made;
}
std::string section(std::uint32_t id, const std::string& text) {
    return section(id, text, static_cast<std::uint32_t>(text.size()));
}

std::string refusal(const bytes& file) {
    const auto view = any_view::open(file);
    return view ? "accepted" : describe(view.error());
}

}  // namespace

TEST(labels, are_read_as_they_were_written) {
    const file_labels labels =
        labels_of({{"name", "malware"}, {"source", "https://example.org/a?b=c"}, {"x", "gr\xc3\xbcn"}});
    for (const char* const kind : {"bloom", "blocked_bloom", "rank", "balanced_rank", "count_min"}) {
        const bytes file = encode_file(labelled_filter(kind, labels).as_file());
        const auto view = any_view::open(file);
        ASSERT_TRUE(view) << describe(view.error());
        EXPECT_EQ(view->labels().text(), labels.text());
        EXPECT_EQ(view->file_bytes(), file.size());
        EXPECT_EQ(encode_file(any_filter::open_copy(file)->as_file()), file);
        for (int i = 0; i < 500; ++i) EXPECT_TRUE(view->may_contain(std::to_string(i)));
    }
}

TEST(labels, without_them_the_file_is_as_before) {
    const bytes file = encode_file(labelled_filter("bloom", {}).as_file());
    EXPECT_EQ(load_le<std::uint64_t>(file.data() + layout::may_ignore_at), 0u);
    EXPECT_EQ(load_le<std::uint32_t>(file.data() + layout::header_bytes_at), layout::header_bytes(7));
}

TEST(labels, unknown_sections_are_skipped) {
    const std::string ours = section(layout::labels_section, "a=b\n");
    for (const std::string& sections :
         {section(77, "whatever"), section(77, "") + ours, ours + section(0xffffffff, "\x01\x02")}) {
        const bytes file = with_sections(sections);
        const auto view = any_view::open(file);
        ASSERT_TRUE(view) << describe(view.error());
        EXPECT_EQ(view->labels().text(), sections.find("a=b") == std::string::npos ? "" : "a=b\n");
        EXPECT_TRUE(view->may_contain("7"));
    }
    EXPECT_EQ(refusal(with_sections(ours, UINT64_MAX)), "accepted");
}

TEST(labels, malformed_sections_are_refused) {
    const auto of_labels = [](const std::string& text) {
        return refusal(with_sections(section(layout::labels_section, text)));
    };
    EXPECT_EQ(of_labels("a=b\n"), "accepted");
    for (const char* const text : {"a=b", "ab\n", "=b\n", "a b=c\n", "a=\x1b[31m\n", "a=\xff\n",
                                   "a=\xc2\x9b\n", "a=b\r\n", "\n", "a=\x7f\n"})
        EXPECT_TRUE(of_labels(text).starts_with("value out of range: ")) << text << ": " << of_labels(text);
    EXPECT_EQ(of_labels(std::string(64, 'n') + "=" + std::string(1024, 'v') + "\n"), "accepted");
    EXPECT_NE(of_labels(std::string(65, 'n') + "=v\n"), "accepted");
    EXPECT_NE(of_labels("n=" + std::string(1025, 'v') + "\n"), "accepted");
    std::string many;
    while (many.size() + 6 <= most_label_bytes) many += "n=abc\n";
    EXPECT_EQ(of_labels(many), "accepted");
    EXPECT_NE(of_labels(many + "n=abc\n"), "accepted");

    const std::string ours = section(layout::labels_section, "a=b\n");
    EXPECT_NE(refusal(with_sections(ours + ours)), "accepted");
    EXPECT_NE(refusal(with_sections(ours, 0)), "accepted") << "sections that no flag announces";
    EXPECT_NE(refusal(with_sections(ours + std::string(64, '\0'))), "accepted")
        << "a header longer than it need be";
    EXPECT_NE(refusal(with_sections(section(layout::labels_section, "a=b\n", 1000))), "accepted");
    EXPECT_NE(refusal(with_sections(section(77, "x", 0xfffffff0))), "accepted");
    std::string padded = ours;
    padded.back() = '\x01';
    EXPECT_NE(refusal(with_sections(padded)), "accepted") << "bytes between sections";
}

// Every bit of a header with labels, its checksum repaired: refused, or a filter that can be asked and written.
TEST(labels, every_changed_bit_is_refused_or_harmless) {
    const bytes good = with_sections(section(layout::labels_section, "name=x\n") + section(5, "abc"));
    const std::size_t header = load_le<std::uint32_t>(good.data() + layout::header_bytes_at);
    std::size_t accepted = 0;
    for (std::size_t at = layout::fields_at; at < header - layout::checksum_bytes; ++at)
        for (int bit = 0; bit < 8; ++bit) {
            bytes file = good;
            file[at] ^= static_cast<std::byte>(1 << bit);
            repair(file);
            const auto view = any_view::open(file, checksum::trust);
            if (!view) continue;
            ++accepted;
            for (const label& each : view->labels().all()) EXPECT_FALSE(each.name.empty());
            EXPECT_TRUE(file_labels::decode(view->labels().text()));
        }
    EXPECT_GT(accepted, 0u);
}

TEST(labels, set_replaces_and_merge_keeps_both) {
    file_labels ours = labels_of({{"name", "a"}, {"date", "1"}});
    const file_labels copy = ours;
    ASSERT_TRUE(ours.set("name", "b"));
    EXPECT_EQ(ours.text(), "name=b\ndate=1\n");
    EXPECT_EQ(copy.text(), "name=a\ndate=1\n");
    EXPECT_EQ(ours.merge(copy), 0u);
    EXPECT_EQ(ours.text(), "name=b\ndate=1\nname=a\n");
    EXPECT_EQ(ours.merge(copy), 0u);
    EXPECT_EQ(ours.all().size(), 3u);
    ASSERT_TRUE(ours.set("name", "c"));
    EXPECT_EQ(ours.text(), "name=c\ndate=1\n");
    ours.remove("name");
    ours.remove("date");
    EXPECT_TRUE(ours.empty());
    file_labels full;
    ASSERT_TRUE(full.set("x", std::string(1000, 'v')));
    ASSERT_TRUE(full.set("y", std::string(1000, 'v')));
    EXPECT_FALSE(full.set("z", std::string(100, 'v')));
    EXPECT_EQ(full.merge(labels_of({{"z", std::string(100, 'v')}, {"w", "1"}})), 1u);
    EXPECT_EQ(*full.find("w"), "1");
}

TEST(labels, stay_with_the_filter) {
    const file_labels labels = labels_of({{"name", "x"}}), others = labels_of({{"name", "y"}});
    for (const char* const kind : {"bloom", "balanced_rank", "rank"}) {
        any_filter filter = labelled_filter(kind, labels);
        EXPECT_EQ(any_filter::copy_of(filter)->labels().text(), labels.text());
        if (const auto packed = filter.pack(); packed) {
            EXPECT_EQ(any_filter::unpack(*packed)->labels().text(), labels.text());
        }
        any_filter moved = std::move(filter);
        EXPECT_EQ(moved.labels().text(), labels.text());
        ASSERT_TRUE(moved.merge(labelled_filter(kind, others)));
        EXPECT_EQ(moved.labels().text(), "name=x\nname=y\n");
    }
    any_filter older = labelled_filter("balanced_rank", labels);
    if (older.universe() == 0) {
        const filter_spec spec = *find_entry(kind_id::balanced_rank)
                                      ->plan.size({.keys = 1000, .fpr = 0.01, .grow_to = 100'000}, {});
        older = *any_filter::create(spec, hasher{hash_id::siphash13, {1, 2}});
        older.set_labels(labels);
    }
    any_filter newer = *any_filter::copy_of(older);
    ASSERT_TRUE(newer.insert("one more"));
    newer.set_labels(others);
    const auto patch = diff(older, newer);
    ASSERT_TRUE(patch);
    const auto made = patched(older, *patch, no_byte_limit);
    ASSERT_TRUE(made) << describe(made.error());
    EXPECT_EQ(encode_file(made->as_file()), encode_file(newer.as_file()));
}

}  // namespace membrane
