#include "key_parser.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include <membrane/base/endian.hpp>

namespace membrane::cli {

namespace {

int hex_digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return -1;
}

}  // namespace

key_parser::key_parser(const key_source& source)
    : format_(source.format), delimiter_(source.delimiter), field_(source.field), hashes_(batch_keys) {
    batch_.reserve(batch_keys);
    texts_.reserve(batch_keys);
    numbers_.reserve(batch_keys);
}

void key_parser::start(std::span<const char> records) {
    left_ = records;
    keys_ = 0;
    problem_.reset();
    // Reserves the largest decoded size, because reallocation would invalidate the views into it.
    if (format_ == key_format::hex) decoded_.reserve(records.size() / 2 + 1);
}

std::span<const input_key> key_parser::next_batch() {
    batch_.clear();
    decoded_.clear();
    if (problem_) return {};
    if (format_ == key_format::u64) take_integers();
    else take_records();
    keys_ += batch_.size();
    return batch_;
}

std::span<const key_hash> key_parser::hash_batch(const hasher& hash) {
    if (format_ == key_format::u64) {
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

void key_parser::take_records() {
    const char end = record_end_of(format_)[0];
    while (batch_.size() < batch_keys && !left_.empty() && !problem_) {
        const void* const found = std::memchr(left_.data(), end, left_.size());
        const std::size_t length =
            found == nullptr ? left_.size()
                             : static_cast<std::size_t>(static_cast<const char*>(found) - left_.data());
        take({left_.data(), length});
        left_ = left_.subspan(std::min(length + 1, left_.size()));
    }
}

void key_parser::take_integers() {
    for (; batch_.size() < batch_keys && left_.size() >= integer_key_bytes;
         left_ = left_.subspan(integer_key_bytes)) {
        const std::string_view record(left_.data(), integer_key_bytes);
        batch_.push_back({record, record});
    }
    if (batch_.size() < batch_keys && !left_.empty())
        problem_ = fmt::format(
            "the last record is cut off ({} bytes, expected 8); --format u64 reads 8-byte integers",
            left_.size());
}

void key_parser::take(std::string_view record) {
    std::optional<std::string_view> bytes = delimiter_ ? field_of(record) : record;
    if (bytes && format_ == key_format::hex) bytes = decode_hex(*bytes);
    if (bytes) batch_.push_back({record, *bytes});
}

std::optional<std::string_view> key_parser::field_of(std::string_view record) {
    const char delimiter = *delimiter_;
    std::string_view left = record;
    int skip = std::abs(field_) - 1;
    if (field_ > 0) {
        for (; skip != 0; --skip) {
            const std::size_t at = left.find(delimiter);
            if (at == std::string_view::npos) break;
            left.remove_prefix(at + 1);
        }
        if (skip == 0) return left.substr(0, left.find(delimiter));
    } else {
        for (; skip != 0; --skip) {
            const std::size_t at = left.rfind(delimiter);
            if (at == std::string_view::npos) break;
            left = left.substr(0, at);
        }
        if (skip == 0) return left.substr(left.rfind(delimiter) + 1);
    }
    const auto fields = std::count(record.begin(), record.end(), delimiter) + 1;
    problem_ = fmt::format("too few fields (found {}, expected field {}); check --delimiter and --field",
                           fields, field_);
    return std::nullopt;
}

std::optional<std::string_view> key_parser::decode_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) {
        problem_ = fmt::format("an odd number of hexadecimal digits ({}); a byte has two", digits.size());
        return std::nullopt;
    }
    const std::size_t start = decoded_.size();
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = hex_digit(digits[i]);
        const int low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0) {
            problem_ = fmt::format(
                "not a hexadecimal digit (byte {:#04x} in column {}); --format hex reads 0-9, a-f, A-F",
                static_cast<unsigned char>(digits[high < 0 ? i : i + 1]), (high < 0 ? i : i + 1) + 1);
            return std::nullopt;
        }
        decoded_.push_back(static_cast<char>(high * 16 + low));
    }
    return std::string_view(decoded_.data() + start, digits.size() / 2);
}

}  // namespace membrane::cli
