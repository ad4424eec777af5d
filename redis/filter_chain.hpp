// A chain of filters, the value of a key: one filter, and further ones that were appended when the newest was full. Each filter
// is a link of the chain. This file does not use the server.
//
// All links have the same hash, so that a lookup hashes its key once. A key is a member if any link reports it; the false
// positive rates of the links sum to at most the rate that the user requested (chain_growth.hpp).
//
// Erasing in a chain: erase(x) removes x from the newest link that reports it. If x was inserted into an older link, this
// removes the entry of another key y. No false negative follows, because each link distinguishes keys at least as finely as
// every older link (refines in filter_chain.cpp): x and y have equal fingerprints in the older link too, where the entry of x
// stays and answers for y. Chains without this property are neither created nor loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

namespace membrane::redis {

// The command family that a chain belongs to. The numbers are part of saved data.
enum class chain_role : std::uint8_t { membership = 1, erasable = 2, counts = 3 };

inline constexpr std::uint64_t max_expansion = 32768;
inline constexpr std::size_t max_links = 64;

struct chain_options {
    chain_role role = chain_role::membership;
    bool has_given_kind = false;  // later links have the kind of the first one; otherwise the planner chooses
    double error_rate = 0;        // of the whole chain; 0: unknown
    std::uint64_t expansion =
        0;  // capacity of a link / capacity of the link before it; 0: the chain does not grow
    std::uint64_t first_keys = 0;   // capacity of the first link
    std::uint32_t bucket_size = 0;  // arguments of CF.RESERVE that only CF.INFO uses
    std::uint32_t max_iterations = 0;

    friend bool operator==(const chain_options&, const chain_options&) = default;
};

struct chain_link {
    any_filter filter;
    std::uint64_t block_bytes;  // of its memory, as rounded by the allocator

    bool has_room() const noexcept {
        return filter.spec().planned_keys == 0 || filter.keys() < filter.spec().planned_keys;
    }
};

// Checked before the first link of every chain, whether a command creates it or a file: the commands create no chain that
// loading would refuse.
result<void> check_options(const chain_options& options);
// Whether a filter can be the first link of a chain.
result<void> check_first_link(const any_view& filter, chain_role role);
// Whether `newer` may follow `older` in a chain of this role.
result<void> check_next_link(const any_view& newer, const any_view& older, chain_role role);

enum class add_result : std::uint8_t { stored, present, full };

class filter_chain {
public:
    explicit filter_chain(const chain_options& options) : options_(options) {}
    filter_chain(filter_chain&&) noexcept = default;
    filter_chain& operator=(filter_chain&&) noexcept = default;
    static result<filter_chain> copy_of(const filter_chain& other);

    const chain_options& options() const noexcept { return options_; }
    std::span<const chain_link> links() const noexcept { return links_; }
    const hasher& hash() const noexcept { return links_.front().filter.hash(); }
    std::uint64_t keys() const noexcept;
    std::uint64_t planned_keys() const noexcept;  // of all links
    std::uint64_t erased() const noexcept { return erased_; }
    void set_erased(std::uint64_t count) noexcept { erased_ = count; }
    std::uint64_t filter_bytes() const noexcept;  // payloads
    std::uint64_t memory_bytes() const noexcept;  // of everything that the chain owns

    // `max_bytes` limits the sum of the payloads of all links.
    result<void> append(const filter_spec& spec, const hasher& hash, std::uint64_t max_bytes);
    result<void> append(any_filter filter, std::uint64_t block_bytes);

    bool may_contain(key_hash hash) const noexcept;
    // Bit i of `answers` is the answer for hashes[i]. `scratch` has the length of `answers`.
    void may_contain_many(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                          std::span<std::uint64_t> scratch) const noexcept;
    std::uint64_t estimate(key_hash hash) const noexcept;

    // `full`: nothing was changed; append a link and try again.
    add_result add_if_absent(key_hash hash) noexcept;
    add_result add(key_hash hash) noexcept;
    bool erase(key_hash hash) noexcept;

    result<void> count(key_hash hash, std::uint64_t weight) {
        return links_.front().filter.add(hash, weight);
    }
    // For chains of one link; `other` has the same spec.
    void replace_contents(any_filter other, std::uint64_t block_bytes);
    // Merges link by link. After an error, which names the field that differs, the chain is unchanged.
    result<void> merge(const filter_chain& other);

    // For defragmentation: copies the filters in small blocks into new blocks.
    void reallocate_small_blocks() noexcept;

private:
    chain_options options_;
    std::uint64_t erased_ = 0;
    std::vector<chain_link> links_;
};

}  // namespace membrane::redis
