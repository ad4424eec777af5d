// Runs of bits one behind the other, into bytes that are only written: nothing waits for a store to be read again.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

class run_writer {
public:
    explicit run_writer(std::byte* to) noexcept : to_(to) {}

    // The lowest `count` bits (1 .. 64) of `bits`, which has no others.
    void append(std::uint64_t bits, unsigned count) noexcept {
        word_ |= bits << filled_;
        filled_ += count;
        if (filled_ < 64) return;
        filled_ -= 64;
        store_le(to_, word_);
        to_ += 8;
        before_ = word_;
        // What did not fit; nothing, if the run ends with the word.
        word_ = bits >> (count - filled_ - 1) >> 1;
    }
    void append_zeros(unsigned count) noexcept {
        for (; count > 64; count -= 64) append(0, 64);
        if (count != 0) append(0, count);
    }
    // What is left of the last word; the runs were whole bytes, 8 or more.
    void finish() noexcept {
        if (filled_ == 0) return;
        store_le(to_ + filled_ / 8 - 8, word_ << (64 - filled_) | before_ >> filled_);
    }

private:
    std::byte* to_;
    std::uint64_t word_ = 0, before_ = 0;
    unsigned filled_ = 0;
};

MEMBRANE_TARGET_END
