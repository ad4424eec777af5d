// The hexdump and the worked example of doc/format.md are what the library writes and computes today.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/format/encode.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/kind/bloom/spec.hpp>
#include <membrane/runtime/any_filter.hpp>

namespace membrane {
namespace {

std::string document() {
    std::ifstream in(std::string(MEMBRANE_SOURCE_DIR) + "/doc/format.md", std::ios::binary);
    EXPECT_TRUE(in.is_open());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The bytes between "```hexdump" and "```": in each line an offset, bytes, then " | " and a remark.
std::vector<std::byte> bytes_of_hexdump(const std::string& text) {
    const std::string fence = "```hexdump\n";
    const std::size_t begin = text.find(fence);
    EXPECT_NE(begin, std::string::npos);
    std::istringstream lines(
        text.substr(begin + fence.size(), text.find("```", begin + fence.size()) - begin - fence.size()));
    std::vector<std::byte> bytes;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('|')));
        std::string word;
        words >> word;
        EXPECT_EQ(std::stoul(word, nullptr, 16), bytes.size()) << line;
        while (words >> word) bytes.push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
    }
    return bytes;
}

any_filter example_filter() {
    filter_spec spec = initial_spec(kind_id::bloom, bloom_fields);
    spec[flat_field::size] = 192;
    spec[flat_field::k] = 4;
    spec.planned_keys = 10;
    spec.planned_fpr = 0.01;
    auto filter = any_filter::create(spec, {hash_id::siphash13, {0x0706050403020100, 0x0f0e0d0c0b0a0908}});
    EXPECT_TRUE(filter);
    EXPECT_TRUE(filter->insert("membrane"));
    EXPECT_TRUE(filter->insert("format"));
    return std::move(*filter);
}

std::string hexdump(const std::vector<std::byte>& bytes) {
    std::string text;
    char part[32];
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i % 16 == 0) text += (std::snprintf(part, sizeof part, "%04zx ", i), part);
        if (i % 8 == 0) text += ' ';
        text += (std::snprintf(part, sizeof part, "%02x%s", std::to_integer<unsigned>(bytes[i]),
                               i % 16 == 15 ? "\n" : " "),
                 part);
    }
    return text;
}

TEST(format_document, hexdump_is_the_file_that_the_library_writes) {
    const any_filter filter = example_filter();
    const std::vector<std::byte> file = encode_file(filter.as_file());
    EXPECT_EQ(bytes_of_hexdump(document()), file) << "doc/format.md must show:\n" << hexdump(file);
}

TEST(format_document, worked_example_is_what_the_library_computes) {
    const any_filter filter = example_filter();
    const std::string text = document();
    const auto expect_line = [&](const char* form, auto... numbers) {
        char line[200];
        std::snprintf(line, sizeof line, form, numbers...);
        EXPECT_NE(text.find(line), std::string::npos) << "doc/format.md must say: " << line;
    };
    const auto hex = [](std::uint64_t word) { return static_cast<unsigned long long>(word); };
    for (const char* key : {"membrane", "format"}) {
        const key_hash hash = filter.hash()(key);
        const std::uint64_t start = fastrange(remix(hash, stream::start), 192);
        const std::uint64_t stride = 2 * fastrange(remix(hash, stream::stride), 96) + 1;
        expect_line("%-8s  low 0x%016llx  high 0x%016llx", key, hex(hash.low), hex(hash.high));
        expect_line("remix(0) 0x%016llx  start %llu", hex(remix(hash, stream::start)), hex(start));
        expect_line("remix(1) 0x%016llx  stride %llu", hex(remix(hash, stream::stride)), hex(stride));
        std::string positions = "positions";
        for (std::uint64_t i = 0; i < 4; ++i) {
            const std::uint64_t at = (start + i * stride) % 192;
            positions.append(" ").append(std::to_string(at));
            EXPECT_EQ(std::to_integer<unsigned>(filter.payload()[at / 8]) >> (at % 8) & 1, 1u);
        }
        expect_line("%s", positions.c_str());
    }
}

TEST(format_document, number_and_text_hashes_are_those_of_the_library) {
    const std::string text = document();
    const hash_key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    for (const hash_name& hash : hash_names) {
        if (hash.id == hash_id::precomputed) continue;
        const hasher hashing{hash.id, key};
        for (const bool is_text : {true, false}) {
            const key_hash made = is_text ? hashing("membrane") : hashing(std::uint64_t{42});
            char line[200];
            std::snprintf(line, sizeof line, "| `%s` | %s | `%016llx` | `%016llx` |",
                          std::string(hash.name).c_str(), is_text ? "\"membrane\"" : "42",
                          static_cast<unsigned long long>(made.low),
                          static_cast<unsigned long long>(made.high));
            EXPECT_NE(text.find(line), std::string::npos) << "doc/format.md must have the row: " << line;
        }
    }
}

}  // namespace
}  // namespace membrane
