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

    // Of two versions with a reading between them: it was whole, and the group has not moved.
    static constexpr bool is_whole(std::uint64_t before, std::uint64_t after) noexcept {
        return (((before ^ after) & ~locked) | (before & (moved | changing))) == 0;
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
    static constexpr std::uint64_t locked = 1, moved = 2, changing = 4;

    void release(std::uint64_t group, std::uint64_t added) noexcept {
        const std::uint64_t now = words_[group].load(std::memory_order_relaxed);
        Steps::step();
        words_[group].store(((now + (now & changing)) & ~locked) | added, std::memory_order_release);
    }

    std::unique_ptr<std::atomic<std::uint64_t>[]> words_;
    std::uint64_t groups_ = 0;
};

MEMBRANE_TARGET_END
