// Parses one block of records (record_blocks.hpp) into batches of keys without an allocation per key: keys are views into the
// block, valid until the next batch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

#include "key_source.hpp"

namespace membrane::cli {

class key_parser {
public:
    static constexpr std::size_t batch_keys = 1024;

    explicit key_parser(const key_source& source);

    // The bytes must stay valid until the last batch.
    void start(std::span<const char> records);

    // The next keys; empty at the end of the block and at a malformed record, which `problem` describes.
    std::span<const input_key> next_batch();
    // The hashes of the keys of the last batch.
    std::span<const key_hash> hash_batch(const hasher& hash);

    std::uint64_t keys() const noexcept { return keys_; }  // parsed from this block so far
    const std::optional<std::string>& problem() const noexcept { return problem_; }

private:
    void take_records();
    void take_integers();
    void take(std::string_view record);
    std::optional<std::string_view> field_of(std::string_view record);
    std::optional<std::string_view> decode_hex(std::string_view digits);

    key_format format_;
    std::optional<char> delimiter_;
    int field_;
    std::span<const char> left_;
    std::vector<input_key> batch_;
    std::vector<std::string_view> texts_;
    std::vector<std::uint64_t> numbers_;
    std::vector<key_hash> hashes_;
    std::vector<char> decoded_;
    std::optional<std::string> problem_;
    std::uint64_t keys_ = 0;
};

}  // namespace membrane::cli
