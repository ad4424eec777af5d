// A word for each group of lines: a lock for writers, and a version by which readers learn that what they read was not changing. Readers
// write nothing and wait for nobody but a writer in the middle of its stores.
//
//   bit 0     locked by a writer
//   bit 1     moved: the group's contents are elsewhere, for good
//   bit 2 on  the version: odd while the group changes
//
// A writer locks the groups it needs, always in the same order, says which of them it is going to change (begin_change), stores, and
// unlocks. A reader takes the version, reads, and takes it again: equal and even, then what it read was there at one moment. A lock
// alone does not disturb readers.
//
// Memory order: words of lines are loaded with acquire and stored with release (shared_words.hpp). A reader that sees a new word sees
// the odd version stored before it; one that sees an even version sees all words stored before that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <membrane/base/result.hpp>
#include <membrane/base/target.hpp>
#include <membrane/part/threads/shared_words.hpp>

MEMBRANE_TARGET_BEGIN

template <class Steps>
class version_locks {
public:
    static result<version_locks> create(std::uint64_t groups) {
        version_locks made;
        made.groups_ = groups;
        made.words_.reset(new (std::nothrow) std::atomic<std::uint64_t>[static_cast<std::size_t>(groups)] {});
        if (!made.words_)
            return make_error(errc::out_of_memory, "versions of the lines").with_found(groups * 8);
        return made;
    }

    std::uint64_t groups() const noexcept { return groups_; }
    std::uint64_t size_bytes() const noexcept { return groups_ * sizeof(std::uint64_t); }
    const std::atomic<std::uint64_t>& word(std::uint64_t group) const noexcept { return words_[group]; }

    // ---- readers

    static constexpr bool is_moved(std::uint64_t version) noexcept { return (version & moved) != 0; }
    static constexpr bool is_changing(std::uint64_t version) noexcept { return (version & changing) != 0; }
    std::uint64_t version(std::uint64_t group) const noexcept {
        Steps::step();
        return words_[group].load(std::memory_order_acquire);
    }
    // Nothing has been changed or moved since the version was taken.
    bool is_unchanged(std::uint64_t group, std::uint64_t version_before) const noexcept {
        return ((version(group) ^ version_before) & ~locked) == 0;
    }

    // Around a reading: before what is then read through `address`, after what `outcome` was computed from (shared_words.hpp,
    // reads_in_place).
    template <class Address>
    [[gnu::always_inline]] std::uint64_t version_before(std::uint64_t group,
                                                        Address& address) const noexcept {
        if constexpr (!reads_in_place<Steps>) return version(group) & ~state_bits;
#if defined(__x86_64__) && defined(__GNUC__)
        std::uint64_t now;
        // An atomic load would make the compiler forget what else it has loaded. The second statement is no instruction.
        asm volatile("movq %[word], %[now]" : [now] "=r"(now) : [word] "m"(words_[group]));
        asm("" : "+m"(address) : "r"(now));
        return now & ~state_bits;
#endif
    }
    // change_since: 0, but for the lock, if a reading with this version_before was whole.
    class later {
    public:
        explicit later(const std::atomic<std::uint64_t>* words) noexcept : words_(words) {}
        std::uint64_t change_since(std::uint64_t group, std::uint64_t before) const noexcept {
            Steps::step();
            return words_[group].load(std::memory_order_relaxed) ^ before;
        }
        static constexpr bool is_change(std::uint64_t changes) noexcept { return (changes & ~locked) != 0; }
        bool is_whole(std::uint64_t group, std::uint64_t before) const noexcept {
            return !is_change(change_since(group, before));
        }

    private:
        const std::atomic<std::uint64_t>* words_;
    };
    template <class Outcome>
    [[gnu::always_inline]] later versions_after([[maybe_unused]] const Outcome& outcome) const noexcept {
        const std::atomic<std::uint64_t>* words = words_.get();
#if defined(__x86_64__) && defined(__GNUC__)
        if constexpr (reads_in_place<Steps>)
            asm("" : "+r"(words) : "r"(outcome.is_there), "r"(outcome.goes_on));
#endif
        return later(words);
    }

    // ---- writers

    // Waits for the lock. False, and not locked, if the group has moved.
    bool lock(std::uint64_t group) noexcept {
        for (unsigned tries = 0;; ++tries) {
            std::uint64_t now = version(group);
            if (is_moved(now)) return false;
            if ((now & locked) == 0) {
                Steps::step();
                if (words_[group].compare_exchange_weak(now, now | locked, std::memory_order_acquire,
                                                        std::memory_order_relaxed))
                    return true;
            }
            Steps::wait(tries);
        }
    }
    // Of a locked group, before the first store.
    void begin_change(std::uint64_t group) noexcept {
        const std::uint64_t now = words_[group].load(std::memory_order_relaxed);
        if (is_changing(now)) return;
        Steps::step();
        words_[group].store(now + changing, std::memory_order_relaxed);
    }
    void unlock(std::uint64_t group) noexcept { release(group, 0); }
    void unlock_as_moved(std::uint64_t group) noexcept { release(group, moved); }

private:
    static constexpr std::uint64_t locked = 1, moved = 2, changing = 4, state_bits = 7;

    void release(std::uint64_t group, std::uint64_t added) noexcept {
        const std::uint64_t now = words_[group].load(std::memory_order_relaxed);
        Steps::step();
        words_[group].store(((now + (now & changing)) & ~locked) | added, std::memory_order_release);
    }

    std::unique_ptr<std::atomic<std::uint64_t>[]> words_;
    std::uint64_t groups_ = 0;
};

MEMBRANE_TARGET_END
