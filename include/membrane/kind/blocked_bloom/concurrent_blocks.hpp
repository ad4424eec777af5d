// A blocked_bloom filter that many threads use at once (doc/threads.md). Bits are set and never cleared, so that a lookup takes no lock and
// asks for no version: it never waits. Insertions are of one of two sorts:
//
//   exact_insertions      lock the key's group of lines: of any number of threads that insert an absent key, one is told so
//   lock_free_insertions  set the key's words one after the other by atomic instructions: no thread waits for another, and each that set a
//                         bit is told that the key was new, so that several threads may be, and at least one is
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/insertion.hpp>
#include <membrane/kind/blocked_bloom/view.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/part/filter_copy.hpp>
#include <membrane/part/growth_policy.hpp>
#include <membrane/part/threads/shared_line.hpp>
#include <membrane/part/threads/striped_count.hpp>
#include <membrane/part/threads/version_locks.hpp>

MEMBRANE_TARGET_BEGIN

enum class block_insertions : bool { exact, lock_free };

template <class View, block_insertions Insertions, class Steps = running_freely>
class concurrent_blocks {
    static constexpr bool is_exact = Insertions == block_insertions::exact;
    using words = shared_words<Steps>;

public:
    using family = blocked_bloom_family;
    using view_type = View;
    static constexpr bool can_erase = false, can_count = false;

    static result<std::unique_ptr<concurrent_blocks>> create(const filter_spec& spec,
                                                             const growth_policy& policy = {}) {
        const auto size = View::payload_bytes(spec);
        if (!size) return make_error(errc::size_overflow, "payload of this spec");
        if (*size > policy.max_bytes)
            return make_error(errc::too_large, "filter bytes")
                .with_found(*size)
                .with_range(0, policy.max_bytes);
        auto payload = aligned_buffer::zeroed(*size);
        if (!payload) return payload.error();
        return of(spec, std::move(*payload), policy);
    }
    // Takes a payload of this spec that has been checked.
    static result<std::unique_ptr<concurrent_blocks>> of(const filter_spec& spec, aligned_buffer payload,
                                                         const growth_policy& = {}, std::uint64_t keys = 0) {
        auto locks = version_locks<Steps>::create(is_exact ? group_of(payload.size_bytes() - 1) + 1 : 0);
        if (!locks) return locks.error();
        std::unique_ptr<concurrent_blocks> made(
            new (std::nothrow) concurrent_blocks(spec, std::move(payload), std::move(*locks), keys));
        if (!made) return make_error(errc::out_of_memory, "filter");
        return made;
    }

    const filter_spec& spec() const noexcept { return spec_; }
    std::uint64_t held_bytes() const noexcept { return payload_.size_bytes() + locks_.size_bytes(); }

    // Insertions; those that were told `present` only if they are not insert_if_absent.
    std::uint64_t keys() const noexcept { return keys_.sum(); }

    // ---- keys

    bool may_contain(const key_hash& hash) const noexcept {
        // Bits that are read one after the other and were all set are all set at the end.
        if constexpr (reads_in_place<Steps>) {
            // A caller's loop must read them again.
            std::atomic_signal_fence(std::memory_order_acquire);
            return view_.may_contain(hash);
        } else {
            const place at = place_of(hash);
            line_copy copy;
            copy_shared_line<words>(at.line, copy);
            return view_.has_bits(copy.bytes + at.in_line, hash);
        }
    }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        if constexpr (reads_in_place<Steps>) return view_.may_contain_many(hashes, answers);
        else return look_up_many(walk{*this}, hashes, answers);
    }
    // Never refused. `present`: no bit was set.
    insertion insert(const key_hash& hash) noexcept { return insert_key<true>(hash); }
    insertion insert_if_absent(const key_hash& hash) noexcept { return insert_key<false>(hash); }
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        return change_in_turn(
            hashes.size(), [&](std::size_t i) { prefetch_for_write(view_.block_of(hashes[i])); },
            [&](std::size_t i) {
                insert(hashes[i]);
                return true;
            });
    }

    // ---- the whole filter

    // Every key whose insertion had ended before is in the copy. Of exact filters it is the state at one moment, for which writers wait.
    result<filter_copy> copy() {
        auto bytes = aligned_buffer::zeroed(payload_.size_bytes());
        if (!bytes) return bytes.error();
        lock_all();
        for (std::uint64_t at = 0; at < payload_.size_bytes(); at += 8)
            store_le(bytes->data() + at, words::load(payload_.data() + at));
        const std::uint64_t keys = keys_.sum();
        unlock_all();
        return filter_copy{spec_, std::move(*bytes), keys};
    }
    result<double> estimated_size() {
        return of_copy([](const View& view) { return view.estimated_size(); });
    }
    result<double> estimated_fpr_now() {
        return of_copy([](const View& view) { return view.estimated_fpr_now(); });
    }

private:
    concurrent_blocks(const filter_spec& spec, aligned_buffer payload, version_locks<Steps> locks,
                      std::uint64_t keys)
        : spec_(spec),
          payload_(std::move(payload)),
          view_(spec_, payload_.data()),
          locks_(std::move(locks)),
          keys_(keys) {}

    static std::uint64_t group_of(std::uint64_t offset) noexcept {
        return offset / (shared_line_bytes * Steps::lines_in_group);
    }
    // A block of 256 bits is half a line.
    struct place {
        std::byte* line;
        std::size_t in_line;
        std::uint64_t group;
    };
    place place_of(const key_hash& hash) const noexcept {
        const auto offset = static_cast<std::uint64_t>(view_.block_of(hash) - payload_.data());
        const std::size_t in_line = offset % shared_line_bytes;
        return {view_.block_of(hash) - in_line, in_line, group_of(offset)};
    }

    struct walk {
        struct place {};
        static constexpr unsigned rounds = 1;
        static constexpr bool has_quick_look = false;
        static constexpr std::size_t group = 1;

        void start(place&, const key_hash& hash) const noexcept { prefetch_far(filter.view_.block_of(hash)); }
        look_result look(const place&, const key_hash& hash) const noexcept {
            return {filter.may_contain(hash) ? 1u : 0u, 0};
        }

        const concurrent_blocks& filter;
    };

    template <bool CountsPresent>
    insertion insert_key(const key_hash& hash) noexcept {
        const auto count = [&](insertion done) {
            if (CountsPresent || done == insertion::inserted) keys_.add_one();
            return done;
        };
        if constexpr (is_exact) return insert_locked(hash, count);
        else return count(set_words(hash));
    }
    // count(outcome) while the lock is held, so that whoever holds all locks knows how many keys are there.
    template <class Count>
    insertion insert_locked(const key_hash& hash, const Count& count) noexcept {
        const place at = place_of(hash);
        line_copy copy;
        locks_.lock(at.group);
        copy_shared_line<words>(at.line, copy);
        const bool is_there = view_.has_bits(copy.bytes + at.in_line, hash);
        if (!is_there) {
            view_.set_bits(copy.bytes + at.in_line, hash);
            write_shared_line<words>(copy, at.line);
        }
        const insertion done = count(is_there ? insertion::present : insertion::inserted);
        locks_.unlock(at.group);
        return done;
    }
    insertion set_words(const key_hash& hash) noexcept {
        const place at = place_of(hash);
        line_copy bits{};
        view_.set_bits(bits.bytes + at.in_line, hash);
        insertion done = insertion::present;
        for (std::size_t word = 0; word < shared_line_bytes; word += 8) {
            const auto wanted = load_le<std::uint64_t>(bits.bytes + word);
            // Most words of a key that is there need no instruction that takes the line from the other cores.
            if ((wanted & ~words::load(at.line + word)) == 0) continue;
            if ((wanted & ~words::fetch_or(at.line + word, wanted)) != 0) done = insertion::inserted;
        }
        return done;
    }

    void lock_all() noexcept {
        for (std::uint64_t group = 0; group < locks_.groups(); ++group) locks_.lock(group);
    }
    void unlock_all() noexcept {
        for (std::uint64_t group = 0; group < locks_.groups(); ++group) locks_.unlock(group);
    }
    template <class Use>
    result<double> of_copy(const Use& use) {
        const auto now = copy();
        if (!now) return now.error();
        return use(View(spec_, const_cast<std::byte*>(now->payload.data())));
    }

    filter_spec spec_;
    aligned_buffer payload_;
    View view_;
    version_locks<Steps> locks_;
    striped_count keys_;
};

MEMBRANE_TARGET_END
