// A stack of filters, the value of a key. This file does not use the server.
//
// A filter for membership or erasure is a growable or erasable balanced_rank, which grows by itself up to many times its capacity
// (stack_growth.hpp): the stack then has one link. While it has few keys, it is a list of their numbers (few_numbers.hpp). Further links
// are appended when the promise of the newest is used up, and to filters of kinds that do not grow.
//
// All links have the same hash, so that a lookup hashes its key once. A key is a member if any link reports it; the false
// positive rates of the links sum to at most the rate that the user requested.
//
// Erasing in a stack: erase(x) removes x from the newest link that reports it. If x was inserted into an older link, this
// removes the entry of another key y. No false negative follows, because each link distinguishes keys at least as finely as
// every older link (refines in filter_stack.cpp): x and y have equal fingerprints in the older link too, where the entry of x
// stays and answers for y. Stacks without this property are neither created nor loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

#include "few_numbers.hpp"
#include "memory.hpp"

namespace membrane::redis {

// The command family that a stack belongs to. The numbers are part of saved data.
enum class stack_role : std::uint8_t { membership = 1, erasable = 2, counts = 3 };

inline constexpr std::uint64_t max_expansion = 32768;
inline constexpr std::size_t max_links = 1024;

struct stack_options {
    stack_role role = stack_role::membership;
    bool has_given_kind = false;  // later links have the kind of the first one
    double error_rate = 0;        // of the whole stack; 0: unknown
    // RedisBloom's: capacity of a filter / capacity of the one before it. Here of stacks of a given kind; 0: the stack does not grow.
    std::uint64_t expansion = 0;
    std::uint64_t first_keys = 0;   // the capacity that was asked for
    std::uint32_t bucket_size = 0;  // arguments of CF.RESERVE that only CF.INFO uses
    std::uint32_t max_iterations = 0;

    friend bool operator==(const stack_options&, const stack_options&) = default;
};

struct stack_link {
    any_filter filter;
    bool grows;

    bool has_room() const noexcept {
        const std::uint64_t most = filter.promised_keys();
        return most == 0 || filter.keys() < most;
    }
};

// How many lines of a growth a command moves: a line takes one to one and a half microseconds in a large filter, so that these take less
// than a millisecond.
inline constexpr std::uint64_t lines_of_a_command = 600;

// What a command may do to a stack.
struct growth_terms {
    std::uint64_t max_bytes = no_byte_limit;  // of the payloads of all links
    double lines_per_insertion = 16;          // that a growth moves
};

// Checked before the first link of every stack, whether a command creates it or a file: the commands create no stack that
// loading would refuse.
result<void> check_options(const stack_options& options);
// Whether a filter can be the first link of a stack.
result<void> check_first_link(const filter_spec& spec, const hasher& hash, stack_role role);
// Whether `newer` may follow `older` in a stack of this role.
result<void> check_next_link(const any_view& newer, const any_view& older, stack_role role);

// full: another link is needed. refused: there is no memory, or max_bytes is reached.
enum class add_result : std::uint8_t { stored, present, full, refused };

class filter_stack {
public:
    explicit filter_stack(const stack_options& options) : options_(options) {}
    filter_stack(filter_stack&&) noexcept = default;
    filter_stack& operator=(filter_stack&&) noexcept = default;
    static result<filter_stack> copy_of(const filter_stack& other);

    const stack_options& options() const noexcept { return options_; }
    // Null once there are links.
    const few_numbers* few() const noexcept { return few_ ? &*few_ : nullptr; }
    std::span<const stack_link> links() const noexcept { return links_; }
    std::size_t filters() const noexcept { return few_ ? 1 : links_.size(); }
    const hasher& hash() const noexcept { return few_ ? few_->hash() : links_.front().filter.hash(); }
    std::uint64_t keys() const noexcept;
    // As RedisBloom counts it: that of a stack whose filters grow by the factor `expansion`, with these keys.
    std::uint64_t capacity() const noexcept;
    std::uint64_t promised_keys() const noexcept;  // up to which no link is appended
    double promised_fpr() const noexcept;          // the sum of the links'
    std::uint64_t erased() const noexcept { return erased_; }
    void set_erased(std::uint64_t count) noexcept { erased_ = count; }
    std::uint64_t filter_bytes() const noexcept;  // payloads
    // Of everything that the stack owns, whatever the allocator makes of it: equal for equal contents.
    std::uint64_t size_bytes() const noexcept {
        return sizeof *this + links_.size() * sizeof(stack_link) + filter_bytes();
    }
    // The same as the allocator counts it, without this object.
    std::uint64_t memory_bytes() const noexcept { return block_bytes_; }

    // A spec of few numbers makes a list of them.
    result<void> append(const filter_spec& spec, const hasher& hash, std::uint64_t max_bytes);
    // The file of a link: an image of few numbers, or a .mbr file.
    result<void> append_file(byte_span file, std::uint64_t max_bytes);
    // A stack of one link, which does not grow, from a .mbr file. The role follows from the capabilities of the kind.
    static result<filter_stack> from_file(byte_span file, std::uint64_t max_bytes);

    bool may_contain(key_hash hash) const noexcept;
    // Bit i of `answers` is the answer for hashes[i]. `scratch` has the length of `answers`.
    void may_contain_many(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                          std::span<std::uint64_t> scratch) const noexcept;
    std::uint64_t estimate(key_hash hash) const noexcept;

    // Before keys are added.
    void set_terms(const growth_terms& terms) noexcept;
    // For so many keys more: makes room for all of them at once, if they are many beside those that are there. Only then, so that the
    // time is in proportion to the keys of the command.
    void prepare_for(std::uint64_t more_keys, const growth_terms& terms);

    // Nothing was changed unless the answer is `stored`.
    add_result add_if_absent(key_hash hash, const growth_terms& terms);
    add_result add(key_hash hash, const growth_terms& terms);
    bool erase(key_hash hash) noexcept;

    result<void> count(key_hash hash, std::uint64_t weight) {
        return links_.front().filter.add(hash, weight);
    }
    // For stacks of one link, which becomes what make() returns, a result<any_filter>.
    template <class Make>
    result<void> replace_contents(const Make& make) {
        const memory_meter meter(block_bytes_);
        auto made = make();
        if (!made) return made.error();
        links_.front().filter = std::move(*made);
        return {};
    }
    // The union with other stacks, link by link. After an error the stack is to be thrown away.
    result<void> merge(std::span<const filter_stack* const> others);

    // Layouts for the keys that are there, where that is possible.
    void shrink() noexcept;
    // Ends a growth, so that payloads are whole. False if memory is refused.
    bool settle() noexcept;
    // The same a step at a time: moves up to lines_of_a_command lines of a growth.
    enum class step { whole, goes_on, refused };
    step settle_by_a_step() noexcept;

    // For defragmentation: copies the filters in small blocks into new blocks.
    void reallocate_small_blocks() noexcept;

private:
    result<void> copy_links(const filter_stack& other);
    result<void> open_only_link(byte_span file, std::uint64_t max_bytes);

    // These and the other functions of this section leave block_bytes_ to their callers.
    result<void> place(few_numbers numbers);
    result<void> place(any_filter filter);
    bool is_full() const noexcept;
    // The list of numbers becomes a table with room for so many keys, or for the capacity.
    result<void> lay_out(std::uint64_t keys, std::uint64_t max_bytes);

    stack_options options_;
    std::uint64_t erased_ = 0;
    std::uint64_t block_bytes_ = 0;  // of the memory, as rounded by the allocator
    std::optional<few_numbers> few_;
    std::vector<stack_link> links_;
};

}  // namespace membrane::redis
