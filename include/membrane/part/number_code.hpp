// Ascending numbers as bytes: the differences in a Rice code, whose parameter is stored first.
//
//   set:       difference - 1 to the number before (the first to -1)
//   multiset:  the difference; 0 says that the number before comes again, and is followed by how often, less one, in an Elias gamma code;
//              a 1 behind the last number
//
// A Rice code of parameter k writes q = value >> k as q ones and a zero, and the k low bits. For n of U numbers, k = log2(0.69 U / n)
// takes about log2(U / n) + 1.5 bits each; the least possible is log2(U / n) + 1.44. Bits are written from the lowest of a byte on.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <membrane/part/counted_number.hpp>

namespace membrane {

class bit_writer {
public:
    void put(std::uint64_t value, unsigned count) {
        for (unsigned done = 0; done < count;) {
            if (used_ == 0) bytes_.push_back(std::byte{0});
            const unsigned now = std::min(8 - used_, count - done);
            const auto piece = static_cast<unsigned>(value >> done) & ((1u << now) - 1);
            bytes_.back() |= static_cast<std::byte>(piece << used_);
            used_ = (used_ + now) % 8;
            done += now;
        }
    }
    void put_ones(std::uint64_t count) {
        for (; count >= 32; count -= 32) put(0xffffffff, 32);
        put(0xffffffff, static_cast<unsigned>(count));
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
    unsigned used_ = 0;  // bits of the last byte
};

class bit_reader {
public:
    explicit bit_reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    // Behind the end all bits are 0, and the reader is exhausted.
    std::uint64_t get(unsigned count) {
        std::uint64_t value = 0;
        for (unsigned done = 0; done < count;) {
            if (at_ / 8 >= bytes_.size()) {
                is_exhausted_ = true;
                return value;
            }
            const auto offset = static_cast<unsigned>(at_ % 8);
            const unsigned now = std::min(8 - offset, count - done);
            const std::uint64_t piece =
                std::to_integer<std::uint64_t>(bytes_[at_ / 8]) >> offset & ((1u << now) - 1);
            value |= piece << done;
            at_ += now;
            done += now;
        }
        return value;
    }
    // And the 0 behind them; exhausted if there are more than `most`.
    std::uint64_t get_ones(std::uint64_t most) {
        std::uint64_t ones = 0;
        while (get(1) == 1)
            if (++ones > most) {
                is_exhausted_ = true;
                return most;
            }
        return ones;
    }
    bool is_exhausted() const { return is_exhausted_; }
    // Whether only zeros of the last byte are left.
    bool is_at_end() {
        if ((at_ + 7) / 8 != bytes_.size()) return false;
        while (at_ % 8 != 0)
            if (get(1) != 0) return false;
        return true;
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    bool is_exhausted_ = false;
};

// Before the bits: how many different numbers, in 8 bytes, and the parameter, in one.
class number_encoder {
public:
    number_encoder(std::uint64_t distinct, std::uint64_t universe, bool is_multiset)
        : is_multiset_(is_multiset), parameter_(parameter_for(distinct, universe)) {
        bits_.put(distinct, 64);
        bits_.put(parameter_, 8);
    }
    void add(const counted_number& added) {
        put_rice(added.number - last_ - (is_multiset_ ? 0 : 1));
        last_ = added.number;
        if (!is_multiset_ || added.times == 1) return;
        put_rice(0);
        const std::uint64_t more = added.times - 1;
        // At most 2^63 - 1 can be said; nobody counts so far.
        const auto width = static_cast<unsigned>(std::bit_width(std::min(more, UINT64_MAX / 2)));
        bits_.put_ones(width - 1);
        bits_.put(0, 1);
        bits_.put(more, width - 1);  // without its highest bit
    }
    std::vector<std::byte> take() {
        if (is_multiset_) put_rice(1);
        return bits_.take();
    }

    static unsigned parameter_for(std::uint64_t distinct, std::uint64_t universe) {
        if (distinct == 0) return 0;
        const double mean = static_cast<double>(universe) / static_cast<double>(distinct);
        return static_cast<unsigned>(std::max(0.0, std::round(std::log2(std::max(1.0, 0.69 * mean)))));
    }

private:
    void put_rice(std::uint64_t value) {
        bits_.put_ones(value >> parameter_);
        bits_.put(0, 1);
        bits_.put(value, parameter_);
    }

    bit_writer bits_;
    bool is_multiset_;
    unsigned parameter_;
    std::uint64_t last_ = UINT64_MAX;  // -1
};

// Nothing is allocated; the bytes may be anybody's.
class number_decoder {
public:
    number_decoder(std::span<const std::byte> bytes, std::uint64_t universe, bool is_multiset)
        : bits_(bytes),
          universe_(universe),
          is_multiset_(is_multiset),
          left_(bits_.get(64)),
          parameter_(static_cast<unsigned>(bits_.get(8))) {
        // Each number takes at least a bit.
        is_bad_ = bits_.is_exhausted() || parameter_ > 56 || left_ > 8 * bytes.size() || left_ > universe;
        if (!is_bad_ && is_multiset_) gap_ = read_rice();
    }

    std::uint64_t left() const { return is_bad_ ? 0 : left_; }
    // None behind the last one and after an error.
    std::optional<counted_number> next() {
        if (is_bad_) return std::nullopt;
        if (left_ == 0) {
            is_bad_ = (is_multiset_ && gap_ != 1) || !bits_.is_at_end();
            return std::nullopt;
        }
        --left_;
        const std::uint64_t gap = is_multiset_ ? gap_ : read_rice() + 1;
        counted_number found;
        found.number = last_ = last_ + gap;
        // A gap of at most U cannot wrap, since the number before is below U.
        if (gap == 0 || gap > universe_ || found.number >= universe_) is_bad_ = true;
        if (is_multiset_ && !is_bad_) {
            gap_ = read_rice();
            if (gap_ == 0) {
                found.times = read_times();
                gap_ = read_rice();
            }
        }
        if (is_bad_) return std::nullopt;
        return found;
    }
    // After next() has ended: false if the bytes were those of an encoder.
    bool is_bad() const { return is_bad_; }

private:
    std::uint64_t read_rice() {
        const std::uint64_t high = bits_.get_ones(universe_ >> parameter_);
        const std::uint64_t low = bits_.get(parameter_);
        if (bits_.is_exhausted()) is_bad_ = true;
        return high << parameter_ | low;
    }
    std::uint64_t read_times() {
        const std::uint64_t width = bits_.get_ones(62);
        const std::uint64_t more = std::uint64_t{1} << width | bits_.get(static_cast<unsigned>(width));
        if (bits_.is_exhausted()) is_bad_ = true;
        return more + 1;
    }

    bit_reader bits_;
    std::uint64_t universe_;
    bool is_multiset_;
    std::uint64_t left_;
    unsigned parameter_;
    std::uint64_t last_ = UINT64_MAX;  // -1
    std::uint64_t gap_ = 0;            // read ahead
    bool is_bad_ = false;
};

}  // namespace membrane
