#include "key_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <membrane/base/endian.hpp>

#include "file_start.hpp"
#include "report.hpp"

namespace membrane::cli {

namespace {

constexpr std::size_t first_buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t integer_bytes = 8;

bool is_standard_input(const std::string& file) { return file == "-"; }

std::optional<std::uint64_t> bytes_left(const std::string& file) {
    struct stat status {};
    const int outcome =
        is_standard_input(file) ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
    if (outcome != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    const off_t at = is_standard_input(file) ? std::max<off_t>(0, ::lseek(STDIN_FILENO, 0, SEEK_CUR)) : 0;
    return static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - at));
}

int hex_digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return -1;
}

}  // namespace

key_reader::key_reader(const key_source& source) : source_(source), total_bytes_(0) {
    if (source_.files.empty()) source_.files.emplace_back("-");
    for (const std::string& file : source_.files) {
        const auto size = bytes_left(file);
        total_bytes_ = size && total_bytes_ ? std::optional(*total_bytes_ + *size) : std::nullopt;
    }
    buffer_.resize(first_buffer_bytes);
    batch_.reserve(batch_keys);
    hashes_.resize(batch_keys);
}

key_reader::~key_reader() { close_current(); }

void key_reader::close_current() noexcept {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
    descriptor_ = -1;
}

std::string_view key_reader::record_end() const noexcept {
    switch (source_.format) {
        case key_format::u64: return {};
        case key_format::nul: return {"\0", 1};
        default: return "\n";
    }
}

bool key_reader::open_next() {
    close_current();
    if (next_file_ == source_.files.size()) return false;
    const std::string& file = source_.files[next_file_++];
    if (is_standard_input(file)) {
        name_ = "standard input";
        descriptor_ = STDIN_FILENO;
    } else {
        name_ = file;
        descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail_errno(name_, "open", errno);
    }
    check_is_keys(name_, descriptor_);
    is_at_end_ = false;
    record_number_ = 0;
    return true;
}

void key_reader::refill() {
    if (begin_ != 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) {
        try {
            buffer_.resize(buffer_.size() * 2);
        } catch (const std::bad_alloc&) {
            ++record_number_;
            fail(exit_code::io,
                 fmt::format("{}:{}: out of memory: the key has more than {} bytes; is --format right?",
                             name_, record_number_, end_));
        }
    }
    ssize_t got = 0;
    do got = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
    while (got < 0 && errno == EINTR);
    if (got < 0) fail_errno(name_, "read", errno);
    is_at_end_ = got == 0;
    end_ += static_cast<std::size_t>(got);
    bytes_read_ += static_cast<std::uint64_t>(got);
}

std::span<const input_key> key_reader::next_batch() {
    if (pending_) throw failure(*pending_);
    batch_.clear();
    decoded_.clear();
    for (;;) {
        if (begin_ == end_ && is_at_end_ && !open_next()) return {};
        // Room for all that can be decoded from the buffer, so that views into it stay where they are.
        if (source_.format == key_format::hex) decoded_.reserve((end_ - begin_) / 2 + 1);
        try {
            if (source_.format == key_format::u64) take_integers();
            else take_records();
        } catch (const failure& problem) {
            if (batch_.empty()) throw;
            pending_ = problem;  // the good keys before it come first
            break;
        }
        if (batch_.empty() && is_at_end_ && begin_ != end_) take_rest();
        if (!batch_.empty()) break;
        if (!is_at_end_) refill();
    }
    keys_read_ += batch_.size();
    return batch_;
}

std::span<const key_hash> key_reader::hash_batch(const hasher& hash) {
    if (source_.format == key_format::u64) {
        for (std::size_t i = 0; i < batch_.size(); ++i)
            hashes_[i] =
                hash(load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(batch_[i].bytes.data())));
    } else {
        for (std::size_t i = 0; i < batch_.size(); ++i) hashes_[i] = hash(batch_[i].bytes);
    }
    return std::span(hashes_).first(batch_.size());
}

void key_reader::take_records() {
    const char end_of_record = source_.format == key_format::nul ? '\0' : '\n';
    while (batch_.size() < batch_keys) {
        const char* const from = buffer_.data() + begin_;
        const std::size_t left = end_ - begin_;
        const void* const found = std::memchr(from + searched_, end_of_record, left - searched_);
        if (found == nullptr) {
            searched_ = left;
            return;
        }
        const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - from);
        take({from, length});
        begin_ += length + 1;
        searched_ = 0;
    }
}

void key_reader::take_integers() {
    for (; batch_.size() < batch_keys && end_ - begin_ >= integer_bytes; begin_ += integer_bytes)
        take({buffer_.data() + begin_, integer_bytes});
}

void key_reader::take_rest() {
    if (source_.format == key_format::u64) {
        ++record_number_;
        fail_here(fmt::format(
            "the last record is cut off ({} bytes, expected 8); --format u64 reads 8-byte integers",
            end_ - begin_));
    }
    take({buffer_.data() + begin_, end_ - begin_});
    begin_ = end_;
    searched_ = 0;
}

void key_reader::take(std::string_view record) {
    ++record_number_;
    std::string_view bytes = source_.delimiter ? field_of(record) : record;
    if (source_.format == key_format::hex) bytes = decode_hex(bytes);
    batch_.push_back({record, bytes});
}

std::string_view key_reader::field_of(std::string_view record) const {
    const char delimiter = *source_.delimiter;
    std::string_view left = record;
    int skip = std::abs(source_.field) - 1;
    if (source_.field > 0) {
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
    fail_here(fmt::format("too few fields (found {}, expected field {}); check --delimiter and --field",
                          fields, source_.field));
}

std::string_view key_reader::decode_hex(std::string_view digits) {
    if (digits.size() % 2 != 0)
        fail_here(fmt::format("an odd number of hexadecimal digits ({}); a byte has two", digits.size()));
    const std::size_t start = decoded_.size();
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = hex_digit(digits[i]);
        const int low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0)
            fail_here(fmt::format(
                "not a hexadecimal digit (byte {:#04x} in column {}); --format hex reads 0-9, a-f, A-F",
                static_cast<unsigned char>(digits[high < 0 ? i : i + 1]), (high < 0 ? i : i + 1) + 1));
        decoded_.push_back(static_cast<char>(high * 16 + low));
    }
    return {decoded_.data() + start, digits.size() / 2};
}

void key_reader::fail_here(std::string_view what) const {
    fail(exit_code::bad_data, fmt::format("{}:{}: {}", name_, record_number_, what));
}

}  // namespace membrane::cli
