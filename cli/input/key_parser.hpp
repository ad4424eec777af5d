// Parses one block of records (record_blocks.hpp) into batches of keys without an allocation per key: keys are views into the
// block, valid until the next batch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

#include "key_notes.hpp"
#include "key_source.hpp"
#include "record_blocks.hpp"

namespace membrane::cli {

class key_parser {
public:
    static constexpr std::size_t batch_keys = 1024;

    explicit key_parser(const key_source& source);

    // The block must stay valid until the last batch.
    void start(const record_block& block);
    // There is no block.
    void stop();

    // The next keys; empty at the end of the block and at a malformed record, for which `check` then fails. Records that are to be left
    // out are counted in the notes.
    std::span<const input_key> next_batch();
    // The hashes of the keys of the last batch.
    std::span<const key_hash> hash_batch(const hasher& hash);
    // Where each key of the last batch stands: the number of its line in the block, from 0. Keys with the same number are keys of
    // the same line.
    std::span<const std::uint32_t> lines() const noexcept { return line_of_; }
    const record_block& block() const noexcept { return *block_; }
    std::uint64_t line_in_file(std::uint32_t line) const noexcept { return block_->first_line + line; }

    std::uint64_t keys() const noexcept { return keys_; }  // parsed from this block so far
    const key_notes& notes() const noexcept { return notes_; }
    // Throws failure, with the file, the number of the line and the problem, if the last batch ended at a malformed record.
    void check() const;

private:
    void take_plain_lines();
    void take_records();
    void take_integers();
    void take(std::string_view record);
    void take_fields(std::string_view record, std::string_view line);
    void take_tokens(std::string_view record, std::string_view line);
    void add(std::string_view record, std::string_view key);
    void refuse(std::string problem);
    // The whole line but what ends it; nothing for a line that is to be left out.
    std::optional<std::string_view> line_in(std::string_view record);
    std::optional<std::string_view> field_of(std::string_view line, int field) const;
    std::size_t count_fields(std::string_view line) const;
    std::optional<std::string_view> joined(std::string_view line, const key_fields& fields);
    std::optional<std::string_view> decode_hex(std::string_view digits);

    key_source source_;
    bool is_text_;  // lines that may end in CR LF
    std::array<bool, 256> is_separator_{};
    const record_block* block_ = nullptr;
    std::span<const char> left_;
    std::uint32_t line_ = 0;  // of the record that is being taken, in the block
    std::vector<input_key> batch_;
    std::vector<std::uint32_t> line_of_;
    std::string_view many_;  // what is left of a line with more tokens than a batch has room for
    std::string_view many_record_;
    std::vector<std::string_view> texts_;
    std::vector<std::uint64_t> numbers_;
    std::vector<key_hash> hashes_;
    std::vector<char> decoded_;  // the bytes of keys in hex digits and of joined fields
    std::size_t decoded_bytes_per_byte_ = 1;
    std::optional<std::string> problem_;
    std::uint64_t keys_ = 0;
    key_notes notes_;
};

}  // namespace membrane::cli
