// A cache line that others may be changing, as a copy of one's own; and the copy back, by the only writer. A reader that gets words of two
// states learns that from the line's version (part/threads/version_locks.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>
#include <membrane/part/threads/shared_words.hpp>

#if defined(__SANITIZE_THREAD__)
#define MEMBRANE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MEMBRANE_THREAD_SANITIZER 1
#endif
#endif

MEMBRANE_TARGET_BEGIN

inline constexpr std::size_t shared_line_bytes = 64;

struct line_copy {
    alignas(shared_line_bytes) std::byte bytes[shared_line_bytes];
};
struct versions_around {
    std::uint64_t before, after;
};

// With AVX2 a line goes by two registers instead of eight words, so that code that has just written the copy, or then reads it, by registers
// meets whole stores in the store buffer. x86 loads and stores in program order and each aligned word whole; the clobber keeps the
// compiler in that order.
#if defined(MEMBRANE_TARGET_AVX2) && !defined(MEMBRANE_THREAD_SANITIZER)
template <class Words>
inline constexpr bool moves_by_registers = std::is_same_v<typename Words::steps, running_freely>;
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
// The version, the line and the version again, in this order: without a clobber, since nothing else has to keep its place.
[[gnu::always_inline]] inline versions_around copy_by_registers(const std::atomic<std::uint64_t>& version,
                                                                const std::byte* from,
                                                                line_copy& to) noexcept {
    versions_around seen;
    asm volatile(
        "movq %[version], %[before]\n\t"
        "vmovdqa %[first], %%ymm0\n\tvmovdqa %[second], %%ymm1\n\t"
        "movq %[version], %[after]\n\t"
        "vmovdqa %%ymm0, %[to_first]\n\tvmovdqa %%ymm1, %[to_second]"
        : [before] "=&r"(seen.before), [after] "=&r"(seen.after),
          [to_first] "=m"(*reinterpret_cast<std::byte(*)[32]>(to.bytes)),
          [to_second] "=m"(*reinterpret_cast<std::byte(*)[32]>(to.bytes + 32))
        : [version] "m"(version), [first] "m"(*reinterpret_cast<const std::byte(*)[32]>(from)),
          [second] "m"(*reinterpret_cast<const std::byte(*)[32]>(from + 32))
        : "xmm0", "xmm1");
    return seen;
}
#else
template <class Words>
inline constexpr bool moves_by_registers = false;
inline void move_by_registers(const std::byte*, std::byte*) noexcept {}
inline versions_around copy_by_registers(const std::atomic<std::uint64_t>&, const std::byte*,
                                         line_copy&) noexcept {
    return {};
}
#endif

template <class Words>
[[gnu::always_inline]] inline void copy_shared_line(const std::byte* from, line_copy& to) noexcept {
    if constexpr (moves_by_registers<Words>) return move_by_registers(from, to.bytes);
    for (std::size_t at = 0; at < shared_line_bytes; at += 8) store_le(to.bytes + at, Words::load(from + at));
}
// A copy, with the version of the line's group before and after it.
template <class Words>
[[gnu::always_inline]] inline versions_around copy_with_versions(const std::atomic<std::uint64_t>& version,
                                                                 const std::byte* from,
                                                                 line_copy& to) noexcept {
    if constexpr (moves_by_registers<Words>) return copy_by_registers(version, from, to);
    Words::steps::step();
    const std::uint64_t before = version.load(std::memory_order_acquire);
    copy_shared_line<Words>(from, to);
    Words::steps::step();
    return {before, version.load(std::memory_order_acquire)};
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
