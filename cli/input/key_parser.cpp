#include "key_parser.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include <membrane/base/endian.hpp>

#include "cli/print/failure.hpp"

namespace membrane::cli {

namespace {

int hex_digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return -1;
}

bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }

// Field number `field` of a line whose fields stand between runs of blanks, as awk counts them.
std::optional<std::string_view> field_between_blanks(std::string_view line, int field) {
    const bool is_backwards = field < 0;
    int skip = std::abs(field) - 1;
    for (;; --skip) {
        while (!line.empty() && is_blank(is_backwards ? line.back() : line.front()))
            line = is_backwards ? line.substr(0, line.size() - 1) : line.substr(1);
        if (line.empty()) return std::nullopt;
        const std::size_t at = is_backwards ? line.find_last_of(" \t") : line.find_first_of(" \t");
        if (skip == 0) {
            if (at == std::string_view::npos) return line;
            return is_backwards ? line.substr(at + 1) : line.substr(0, at);
        }
        if (at == std::string_view::npos) return std::nullopt;
        line = is_backwards ? line.substr(0, at) : line.substr(at);
    }
}

std::optional<std::string_view> field_between(std::string_view line, char delimiter, int field) {
    int skip = std::abs(field) - 1;
    if (field > 0) {
        for (; skip != 0; --skip) {
            const std::size_t at = line.find(delimiter);
            if (at == std::string_view::npos) return std::nullopt;
            line.remove_prefix(at + 1);
        }
        return line.substr(0, line.find(delimiter));
    }
    for (; skip != 0; --skip) {
        const std::size_t at = line.rfind(delimiter);
        if (at == std::string_view::npos) return std::nullopt;
        line = line.substr(0, at);
    }
    return line.substr(line.rfind(delimiter) + 1);
}

std::string fields_text(const std::vector<key_fields>& keys) {
    std::string text;
    for (const key_fields& key : keys) {
        if (!text.empty()) text += ',';
        for (std::size_t i = 0; i < key.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : "+", key[i]);
    }
    return text;
}

}  // namespace

key_parser::key_parser(const key_source& source)
    : source_(source),
      is_text_(source.format == key_format::lines || source.format == key_format::hex),
      hashes_(batch_keys) {
    for (const key_fields& fields : source_.keys) decoded_bytes_per_byte_ += fields.size();
    for (const char letter : source_.separators) is_separator_[static_cast<unsigned char>(letter)] = true;
    batch_.reserve(batch_keys);
    line_of_.reserve(batch_keys);
    texts_.reserve(batch_keys);
    numbers_.reserve(batch_keys);
}

void key_parser::start(const record_block& block) {
    stop();
    block_ = &block;
    left_ = block.bytes();
    if (block.begins_with_mark) ++notes_.marks;
}

void key_parser::stop() {
    left_ = {};
    many_ = {};
    line_ = 0;
    keys_ = 0;
    problem_.reset();
    notes_ = {};
}

std::span<const input_key> key_parser::next_batch() {
    batch_.clear();
    line_of_.clear();
    decoded_.clear();
    if (problem_) return {};
    if (source_.format == key_format::u64) take_integers();
    else if (source_.format == key_format::lines && source_.keys.empty() && !source_.has_tokens)
        take_plain_lines();
    else take_records();
    keys_ += batch_.size();
    return batch_;
}

std::span<const key_hash> key_parser::hash_batch(const hasher& hash) {
    if (source_.format == key_format::u64) {
        numbers_.clear();
        for (const input_key& key : batch_)
            numbers_.push_back(load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(key.bytes.data())));
        hash.hash_all(numbers_, hashes_.data());
    } else {
        texts_.clear();
        for (const input_key& key : batch_) texts_.push_back(key.bytes);
        hash.hash_all(texts_, hashes_.data());
    }
    return std::span(hashes_).first(batch_.size());
}

void key_parser::check() const {
    if (problem_)
        fail(exit_code::bad_data, fmt::format("{}:{}: {}", block_->name, line_in_file(line_), *problem_));
}

namespace {

std::string_view next_record(std::span<const char>& left, char end) {
    const void* const found = std::memchr(left.data(), end, left.size());
    const std::size_t length = found == nullptr
                                   ? left.size()
                                   : static_cast<std::size_t>(static_cast<const char*>(found) - left.data());
    const std::string_view record(left.data(), length);
    left = left.subspan(std::min(length + 1, left.size()));
    return record;
}

}  // namespace

void key_parser::take_plain_lines() {
    // In registers: what is pushed to vectors may, for all that the compiler knows, change the members.
    batch_.resize(batch_keys);
    line_of_.resize(batch_keys);
    input_key* const keys = batch_.data();
    std::uint32_t* const lines = line_of_.data();
    std::size_t count = 0;
    std::uint32_t line_number = line_;
    std::span<const char> left = left_;
    for (; count < batch_keys && !left.empty(); ++line_number) {
        const std::string_view record = next_record(left, '\n');
        std::string_view key = record;
        // Most lines have nothing that is to be left out.
        if (record.empty() || record.back() == '\r' || record.front() == '#') {
            const auto line = line_in(record);
            if (!line) continue;
            key = *line;
        }
        keys[count] = {record, key};
        lines[count++] = line_number;
    }
    batch_.resize(count);
    line_of_.resize(count);
    left_ = left;
    line_ = line_number;
}

void key_parser::take_records() {
    const char end = record_end_of(source_.format)[0];
    if (!many_.empty()) {
        take_tokens(many_record_, many_);
        if (!many_.empty()) return;
        ++line_;
    }
    while (batch_.size() < batch_keys && !left_.empty()) {
        // Reserves the largest decoded size, because reallocation would invalidate the views into it.
        if (decoded_.empty()) decoded_.reserve((left_.size() + 1) * decoded_bytes_per_byte_);
        take(next_record(left_, end));
        if (problem_ || !many_.empty()) return;
        ++line_;
        if (batch_.size() + source_.keys.size() > batch_keys) return;
    }
}

void key_parser::take_integers() {
    for (; batch_.size() < batch_keys && left_.size() >= integer_key_bytes;
         left_ = left_.subspan(integer_key_bytes), ++line_) {
        const std::string_view record(left_.data(), integer_key_bytes);
        add(record, record);
    }
    if (batch_.size() < batch_keys && !left_.empty()) {
        refuse(fmt::format(
            "the last record is cut off ({} bytes, expected 8); --format u64 reads 8-byte integers",
            left_.size()));
        if (!problem_) left_ = {};
    }
}

void key_parser::add(std::string_view record, std::string_view key) {
    batch_.push_back({record, key});
    line_of_.push_back(line_);
}

void key_parser::refuse(std::string problem) {
    if (!source_.skips_malformed) {
        problem_ = std::move(problem);
        return;
    }
    if (notes_.malformed++ == 0)
        notes_.first_malformed = fmt::format("{}:{}: {}", block_->name, line_in_file(line_), problem);
}

std::optional<std::string_view> key_parser::line_in(std::string_view record) {
    std::string_view line = record;
    if (is_text_ && !source_.is_exact && !line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
        ++notes_.cr_ends;
    }
    if (line.empty() && !source_.keeps_blank) {
        ++notes_.blank;
        return std::nullopt;
    }
    if (source_.has_comments && line.starts_with('#')) {
        ++notes_.comments;
        return std::nullopt;
    }
    return line;
}

void key_parser::take(std::string_view record) {
    const auto line = line_in(record);
    if (!line) return;
    if (source_.has_tokens) return take_tokens(record, *line);
    if (!source_.keys.empty()) return take_fields(record, *line);
    if (const auto key = decode_hex(*line)) add(record, *key);
}

void key_parser::take_fields(std::string_view record, std::string_view line) {
    bool has_any = false;
    for (const key_fields& fields : source_.keys) {
        auto key = fields.size() == 1 ? field_of(line, fields.front()) : joined(line, fields);
        if (!key) continue;
        has_any = true;
        if (source_.format == key_format::hex) key = decode_hex(*key);
        if (key) add(record, *key);
        if (problem_) return;
    }
    if (has_any) return;
    refuse(fmt::format("too few fields (found {}, expected field {}); check --delimiter and --field",
                       count_fields(line), fields_text(source_.keys)));
}

void key_parser::take_tokens(std::string_view record, std::string_view line) {
    many_ = {};
    const auto separates = [this](char letter) { return is_separator_[static_cast<unsigned char>(letter)]; };
    for (;;) {
        const auto* const from = std::find_if_not(line.begin(), line.end(), separates);
        if (from == line.end()) return;
        if (batch_.size() == batch_keys) {
            many_ = line;
            many_record_ = record;
            return;
        }
        const auto* const to = std::find_if(from, line.end(), separates);
        add(record,
            line.substr(static_cast<std::size_t>(from - line.begin()), static_cast<std::size_t>(to - from)));
        line.remove_prefix(static_cast<std::size_t>(to - line.begin()));
    }
}

std::size_t key_parser::count_fields(std::string_view line) const {
    if (source_.delimiter)
        return static_cast<std::size_t>(std::count(line.begin(), line.end(), *source_.delimiter)) + 1;
    std::size_t found = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
        if (!is_blank(line[i]) && (i == 0 || is_blank(line[i - 1]))) ++found;
    return found;
}

std::optional<std::string_view> key_parser::field_of(std::string_view line, int field) const {
    return source_.delimiter ? field_between(line, *source_.delimiter, field)
                             : field_between_blanks(line, field);
}

std::optional<std::string_view> key_parser::joined(std::string_view line, const key_fields& fields) {
    const std::size_t start = decoded_.size();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto part = field_of(line, fields[i]);
        if (!part) return std::nullopt;
        if (i != 0) decoded_.push_back(source_.delimiter.value_or(' '));
        decoded_.insert(decoded_.end(), part->begin(), part->end());
    }
    return std::string_view(decoded_.data() + start, decoded_.size() - start);
}

std::optional<std::string_view> key_parser::decode_hex(std::string_view digits) {
    if (source_.format != key_format::hex) return digits;
    if (digits.size() % 2 != 0) {
        refuse(fmt::format("an odd number of hexadecimal digits ({}); a byte has two", digits.size()));
        return std::nullopt;
    }
    const std::size_t start = decoded_.size();
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = hex_digit(digits[i]);
        const int low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0) {
            refuse(fmt::format(
                "not a hexadecimal digit (byte {:#04x} in column {}); --format hex reads 0-9, a-f, A-F",
                static_cast<unsigned char>(digits[high < 0 ? i : i + 1]), (high < 0 ? i : i + 1) + 1));
            return std::nullopt;
        }
        decoded_.push_back(static_cast<char>(high * 16 + low));
    }
    return std::string_view(decoded_.data() + start, digits.size() / 2);
}

}  // namespace membrane::cli
