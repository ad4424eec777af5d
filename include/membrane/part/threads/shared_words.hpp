// Words of memory that several threads read and change at once: each is loaded and stored whole, and a reader that sees a new word also
// sees everything that its writer did before (acquire, release). On x86 these are plain moves.
//
// Steps is told of each of these accesses. running_freely does nothing then; a test's scheduler switches threads there, and so explores
// every order in which they can come (test/concurrent).
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>

#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>

#if defined(__SANITIZE_THREAD__)
#define MEMBRANE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MEMBRANE_THREAD_SANITIZER 1
#endif
#endif

MEMBRANE_TARGET_BEGIN

struct running_freely {
    // Lines that share a lock: 64 bits for so many are 0.04 to 0.07 bits per key.
    static constexpr std::uint64_t lines_in_group = 32;

    static void step() noexcept {}
    // Called over and over while the thread waits for another one; `tries` counts from 0. Now and then the thread gives its core away:
    // the other one may be waiting for it.
    static void wait(unsigned tries) noexcept {
        if (tries % 64 == 63) return std::this_thread::yield();
#if defined(__x86_64__) && defined(__GNUC__)
        __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
        asm volatile("yield");
#endif
    }
};

// Whether lookups read lines where they stand instead of copies made word by word. x86 loads in program order, so that the version loaded
// afterwards tells whether what was read was whole, whatever instructions read it; version_locks.hpp keeps the compiler in that order.
// Elsewhere that would take a barrier for each line. ThreadSanitizer does not know versions, and reports such a reading.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(MEMBRANE_THREAD_SANITIZER)
template <class Steps>
inline constexpr bool reads_in_place = std::is_same_v<Steps, running_freely>;
#else
template <class Steps>
inline constexpr bool reads_in_place = false;
#endif

// The compiler's atomic operations, since libc++ 13 (WebAssembly) has no std::atomic_ref.
// The same members as plain_words (part/sorted_slots.hpp). Addresses are multiples of 8; the bytes are little-endian.
template <class Steps>
struct shared_words {
    using steps = Steps;
    // A list that is nearly full is one long run, and erasure is exact there, too.
    static constexpr std::uint64_t most_moved_by_erasure = UINT64_MAX;

    static std::uint64_t load(const std::byte* from) noexcept {
        Steps::step();
        return in_file_order(__atomic_load_n(reinterpret_cast<const std::uint64_t*>(from), __ATOMIC_ACQUIRE));
    }
    static void store(std::byte* to, std::uint64_t word) noexcept {
        Steps::step();
        __atomic_store_n(reinterpret_cast<std::uint64_t*>(to), in_file_order(word), __ATOMIC_RELEASE);
    }
    // Sets bits; what the word was before.
    static std::uint64_t fetch_or(std::byte* to, std::uint64_t bits) noexcept {
        Steps::step();
        return in_file_order(
            __atomic_fetch_or(reinterpret_cast<std::uint64_t*>(to), in_file_order(bits), __ATOMIC_ACQ_REL));
    }
    static void move_up(std::byte* from, std::uint64_t count) noexcept {
        for (; count != 0; --count) store(from + 8 * count, load(from + 8 * (count - 1)));
    }
    static void move_down(std::byte* from, std::uint64_t count) noexcept {
        for (; count != 0; --count, from += 8) store(from - 8, load(from));
    }

private:
    static std::uint64_t in_file_order(std::uint64_t word) noexcept {
        if constexpr (std::endian::native == std::endian::big) return byte_swapped(word);
        return word;
    }
};

MEMBRANE_TARGET_END
