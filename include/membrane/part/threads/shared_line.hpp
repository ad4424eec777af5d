// A cache line that others may be changing, as a copy of one's own; and the copy back, by the only writer. A reader that gets words of two
// states learns that from the line's version (part/threads/version_locks.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>
#include <membrane/part/threads/shared_words.hpp>

MEMBRANE_TARGET_BEGIN

inline constexpr std::size_t shared_line_bytes = 64;

struct line_copy {
    alignas(shared_line_bytes) std::byte bytes[shared_line_bytes];
};

// With AVX2 a line is copied by two registers of 32 bytes instead of eight words: operations on lines store and load 32 bytes at a time, and
// a processor forwards such a store to a load of all of it at once, but eight small stores not. x86 loads and stores in program
// order and each aligned word whole; the clobber keeps the compiler in that order.
#if defined(MEMBRANE_TARGET_AVX2)
template <class Words>
inline constexpr bool moves_by_registers = reads_in_place<typename Words::steps>;
inline void move_by_registers(const std::byte* from, std::byte* to) noexcept {
    asm volatile(
        "vmovdqa %[first], %%ymm0\n\tvmovdqa %[second], %%ymm1\n\t"
        "vmovdqa %%ymm0, %[to_first]\n\tvmovdqa %%ymm1, %[to_second]"
        : [to_first] "=m"(*reinterpret_cast<std::byte(*)[32]>(to)), [to_second] "=m"(
                                                                        *reinterpret_cast<std::byte(*)[32]>(
                                                                            to + 32))
        : [first] "m"(*reinterpret_cast<const std::byte(*)[32]>(from)), [second] "m"(*reinterpret_cast<
                                                                                     const std::byte(*)[32]>(
                                                                            from + 32))
        : "memory", "xmm0", "xmm1");
}
#else
template <class Words>
inline constexpr bool moves_by_registers = false;
inline void move_by_registers(const std::byte*, std::byte*) noexcept {}
#endif

template <class Words>
[[gnu::always_inline]] inline void copy_shared_line(const std::byte* from, line_copy& to) noexcept {
    if constexpr (moves_by_registers<Words>) return move_by_registers(from, to.bytes);
    for (std::size_t at = 0; at < shared_line_bytes; at += 8) store_le(to.bytes + at, Words::load(from + at));
}
// All words: to compare them first would be a branch for each that nobody can predict.
template <class Words>
[[gnu::always_inline]] inline void write_shared_line(const line_copy& from, std::byte* to) noexcept {
    if constexpr (moves_by_registers<Words>) return move_by_registers(from.bytes, to);
    for (std::size_t at = 0; at < shared_line_bytes; at += 8)
        Words::store(to + at, load_le<std::uint64_t>(from.bytes + at));
}

// Whether the copy differs from the line, which nobody else may change.
inline bool differs_from(const line_copy& copy, const std::byte* line) noexcept {
    return std::memcmp(copy.bytes, line, shared_line_bytes) != 0;
}

MEMBRANE_TARGET_END
