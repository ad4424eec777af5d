#include "filter_chain.hpp"

#include <algorithm>
#include <utility>

#include <membrane/kind/balanced_rank/spec.hpp>
#include <membrane/part/number_streams.hpp>

#include "memory.hpp"

namespace membrane::redis {

namespace {

// Whether any two keys that the newer filter cannot distinguish are also indistinguishable in the older filter.
bool refines(const filter_spec& newer, const filter_spec& older) {
    if (newer.kind != kind_id::balanced_rank || older.kind != kind_id::balanced_rank) return false;
    return newer[rank_field::universe] >= older[rank_field::universe] &&
           are_joinable_universes(newer[rank_field::universe], older[rank_field::universe]);
}

// Runs `make` and records how much memory the filter takes.
template <class Make>
result<chain_link> with_block_bytes(Make&& make) {
    const std::uint64_t before = allocated_by_this_thread();
    auto made = make();
    if (!made) return made.error();
    // A chain grows by links.
    if (capabilities_of(made->spec()).grow) (void)made->set_growth({.max_bytes = 0});
    return chain_link{std::move(*made), allocated_by_this_thread() - before};
}

}  // namespace

result<void> check_options(const chain_options& options) {
    if (options.role < chain_role::membership || options.role > chain_role::counts)
        return make_error(errc::bad_field, "role").with_found(static_cast<std::uint64_t>(options.role));
    if (!(options.error_rate >= 0 && options.error_rate <= 1))
        return make_error(errc::bad_field, "error rate");
    if (options.expansion > max_expansion)
        return make_error(errc::bad_field, "expansion")
            .with_found(options.expansion)
            .with_range(0, max_expansion);
    if (options.expansion != 0 && (options.first_keys == 0 || options.error_rate == 0))
        return make_error(errc::bad_field, "first keys").with_note("a chain that grows was planned for keys");
    return {};
}

result<void> check_first_link(const any_view& filter, chain_role role) {
    const capabilities can = capabilities_of(filter.spec());
    if (role == chain_role::erasable && !(can.erase && can.count))
        return make_error(errc::not_supported, "erasing").with_note("this kind does not take keys out again");
    if ((role == chain_role::counts) != (filter.spec().kind == kind_id::count_min))
        return make_error(errc::not_supported, "kind")
            .with_note("counts are kept in a count_min, and only there");
    if (filter.hash().id == hash_id::precomputed)
        return make_error(errc::not_supported, "hash precomputed")
            .with_note("the server hashes its keys itself");
    return {};
}

result<void> check_next_link(const any_view& newer, const any_view& older, chain_role role) {
    if (auto checked = check_first_link(newer, role); !checked) return checked;
    if (role == chain_role::counts) return make_error(errc::not_supported, "growing counts");
    if (!(newer.hash() == older.hash()))
        return make_error(errc::spec_mismatch, "hash key").with_note("the links of a chain have one hash");
    if (role == chain_role::erasable && !refines(newer.spec(), older.spec()))
        return make_error(errc::spec_mismatch, "lines")
            .with_note("a later link of a chain with erasure must tell keys apart as well as the earlier");
    return {};
}

result<filter_chain> filter_chain::copy_of(const filter_chain& other) {
    filter_chain copy(other.options_);
    copy.erased_ = other.erased_;
    copy.links_.reserve(other.links_.size());
    for (const chain_link& link : other.links_) {
        auto made = with_block_bytes([&] { return any_filter::copy_of(link.filter); });
        if (!made) return made.error();
        copy.links_.push_back(std::move(*made));
    }
    return result<filter_chain>(std::move(copy));
}

std::uint64_t filter_chain::keys() const noexcept {
    std::uint64_t sum = 0;
    for (const chain_link& link : links_) sum += std::min(link.filter.keys(), UINT64_MAX - sum);
    return sum;
}

std::uint64_t filter_chain::planned_keys() const noexcept {
    std::uint64_t sum = 0;
    for (const chain_link& link : links_) sum += std::min(link.filter.spec().planned_keys, UINT64_MAX - sum);
    return sum;
}

std::uint64_t filter_chain::filter_bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const chain_link& link : links_) sum += link.filter.size_bytes();
    return sum;
}

std::uint64_t filter_chain::memory_bytes() const noexcept {
    std::uint64_t sum = sizeof *this + links_.capacity() * sizeof(chain_link);
    for (const chain_link& link : links_) sum += link.block_bytes;
    return sum;
}

result<void> filter_chain::append(const filter_spec& spec, const hasher& hash, std::uint64_t max_bytes) {
    const std::uint64_t used = filter_bytes();
    auto made = with_block_bytes(
        [&] { return any_filter::create(spec, hash, max_bytes - std::min(used, max_bytes)); });
    if (!made) return made.error();
    return append(std::move(made->filter), made->block_bytes);
}

result<void> filter_chain::append(any_filter filter, std::uint64_t block_bytes) {
    if (links_.size() == max_links)
        return make_error(errc::full, "links").with_found(links_.size()).with_range(1, max_links);
    if (links_.empty()) {
        if (auto checked = check_options(options_); !checked) return checked;
        if (auto checked = check_first_link(filter, options_.role); !checked) return checked;
    } else if (auto checked = check_next_link(filter, links_.back().filter, options_.role); !checked) {
        return checked;
    }
    links_.push_back({std::move(filter), block_bytes});
    return {};
}

bool filter_chain::may_contain(key_hash hash) const noexcept {
    // Newest first: it usually has the most keys.
    for (std::size_t i = links_.size(); i-- != 0;)
        if (links_[i].filter.may_contain(hash)) return true;
    return false;
}

void filter_chain::may_contain_many(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                                    std::span<std::uint64_t> scratch) const noexcept {
    links_.back().filter.may_contain_many(hashes, answers);
    for (std::size_t i = links_.size() - 1; i-- != 0;) {
        links_[i].filter.may_contain_many(hashes, scratch);
        for (std::size_t word = 0; word < answers.size(); ++word) answers[word] |= scratch[word];
    }
}

std::uint64_t filter_chain::estimate(key_hash hash) const noexcept {
    std::uint64_t sum = 0;
    for (const chain_link& link : links_) {
        const auto times = link.filter.estimate(hash);
        if (times) sum += std::min(*times, UINT64_MAX - sum);
    }
    return sum;
}

add_result filter_chain::add_if_absent(key_hash hash) noexcept {
    return may_contain(hash) ? add_result::present : add(hash);
}

add_result filter_chain::add(key_hash hash) noexcept {
    // Older links have room after keys were erased from them.
    for (std::size_t i = links_.size(); i-- != 0;)
        if (links_[i].has_room() && links_[i].filter.insert(hash)) return add_result::stored;
    return add_result::full;
}

bool filter_chain::erase(key_hash hash) noexcept {
    for (std::size_t i = links_.size(); i-- != 0;) {
        const auto erased = links_[i].filter.erase(hash);
        if (erased && *erased) {
            ++erased_;
            return true;
        }
    }
    return false;
}

void filter_chain::replace_contents(any_filter other, std::uint64_t block_bytes) {
    links_.front() = {std::move(other), block_bytes};
}

result<void> filter_chain::merge(const filter_chain& other) {
    if (links_.size() != other.links_.size())
        return make_error(errc::spec_mismatch, "number of links")
            .with_found(other.links_.size())
            .with_expected(links_.size());
    // Into a copy, so that an error in one link leaves the others unchanged.
    auto merged = copy_of(*this);
    if (!merged) return merged.error();
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (auto joined = merged->links_[i].filter.merge(other.links_[i].filter); !joined) return joined;
    *this = std::move(*merged);
    return {};
}

void filter_chain::reallocate_small_blocks() noexcept {
    constexpr std::uint64_t largest_small_block =
        14336;  // jemalloc's largest small size class; above it, blocks are whole pages
    for (chain_link& link : links_) {
        if (link.block_bytes > largest_small_block) continue;
        auto moved = with_block_bytes([&] { return any_filter::copy_of(link.filter); });
        if (moved) link = std::move(*moved);
    }
}

}  // namespace membrane::redis
