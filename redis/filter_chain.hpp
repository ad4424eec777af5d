// What a key of the server holds: one filter, or a chain of them that grew with its contents.
//
// All links have one hash, so that a key is hashed once. A key is a member if any link says so; the rates of the links add
// up to at most the rate that was asked for (growth.hpp). Nothing here knows the server.
//
// Erasing in a chain: a key is taken from the newest link that has it, which may be an entry of another key y. That is
// harmless because each link tells keys apart at least as well as every older one (refines): whatever entry of an older
// link was meant answers for y too. Chains in which that does not hold are not made and not loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

namespace membrane::redis {

// Which family of commands a chain answers to; the numbers stand in saved data.
enum class chain_role : std::uint8_t { membership = 1, erasable = 2, counts = 3 };

inline constexpr std::uint64_t most_expansion = 32768;
inline constexpr std::size_t most_links = 64;

struct chain_options {
    chain_role role = chain_role::membership;
    bool has_given_kind = false;  // later links are of the first one's kind, not of the planner's choice
    double error_rate = 0;        // of the whole chain; 0: not planned
    std::uint64_t expansion = 0;  // how many times as many keys the next link takes; 0: there is no next link
    std::uint64_t first_keys = 0;   // that the first link was planned for
    std::uint32_t bucket_size = 0;  // what CF.RESERVE was told: shown by CF.INFO, without further effect
    std::uint32_t max_iterations = 0;

    friend bool operator==(const chain_options&, const chain_options&) = default;
};

struct chain_link {
    any_filter filter;
    std::uint64_t block_bytes;  // what its memory really takes

    bool has_room() const noexcept {
        return filter.spec().planned_keys == 0 || filter.keys() < filter.spec().planned_keys;
    }
};

// Whether there can be such a chain. Asked before the first link of every chain, whoever makes it, so that what a command
// makes is what a saved file may hold.
result<void> check_options(const chain_options& options);
// Whether a filter can be a chain's only or first link.
result<void> check_first_link(const any_view& filter, chain_role role);
// Whether `newer` may follow `older` in a chain of this role.
result<void> check_next_link(const any_view& newer, const any_view& older, chain_role role);

enum class addition : std::uint8_t { stored, present, full };

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
    std::uint64_t memory_bytes() const noexcept;  // everything that the chain holds

    // `max_bytes` bounds the payloads of all links together.
    result<void> append(const filter_spec& spec, const hasher& hash, std::uint64_t max_bytes);
    result<void> append(any_filter filter, std::uint64_t block_bytes);

    bool may_contain(key_hash hash) const noexcept;
    // Bit i of `answers` for hashes[i]; `scratch` is as long.
    void may_contain_many(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                          std::span<std::uint64_t> scratch) const noexcept;
    std::uint64_t estimate(key_hash hash) const noexcept;

    // `full`: the chain must grow first, and nothing has changed.
    addition add_if_absent(key_hash hash) noexcept;
    addition add(key_hash hash) noexcept;
    bool erase(key_hash hash) noexcept;

    result<void> count(key_hash hash, std::uint64_t weight) {
        return links_.front().filter.add(hash, weight);
    }
    // Of a chain with one link, by a filter of the same spec.
    void replace_contents(any_filter other, std::uint64_t block_bytes);
    // Link by link; refused whole, with the field that differs.
    result<void> merge(const filter_chain& other);

    // For defragmentation: small blocks are asked for anew.
    void renew_small_blocks() noexcept;

private:
    chain_options options_;
    std::uint64_t erased_ = 0;
    std::vector<chain_link> links_;
};

}  // namespace membrane::redis
