// membrane::concurrent_filter: membrane::filter for many threads at once, exactly (doc/threads.md). Link the library.
//
//     membrane::concurrent_filter seen(10'000'000, 0.001);     // grows
//     if (seen.insert_if_absent(key)) ...                      // of all threads that come with a new key, one gets true
//     membrane::concurrent_filter live(1'000'000, 0.01, membrane::erasable);
//     membrane::concurrent_filter fast(1'000'000, 0.01, {.fixed = true});   // blocked_bloom: does not grow
//
// The calls that take keys are in part/key_calls.hpp, the same for all filters.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <membrane/filter/concurrent_calls.hpp>
#include <membrane/filter/filter.hpp>
#include <membrane/runtime/concurrent_engine.hpp>

namespace membrane {

class concurrent_filter : public concurrent_calls<concurrent_filter, concurrent_engine, hasher> {
    using calls = concurrent_calls<concurrent_filter, concurrent_engine, hasher>;

public:
    // Whether this filter can is known when it runs: the calls say so at once.
    static constexpr bool can_erase = true, can_count = true;

    template <std::integral Keys, std::floating_point Rate>
    concurrent_filter(Keys keys, Rate fpr, const filter_options& options = {})
        : concurrent_filter(value_or_raise(try_create(keys, fpr, options))) {}
    template <std::integral Keys, std::integral Rate, class Options = filter_options>
    concurrent_filter(Keys, Rate, Options = {}) = delete;  // a whole number is no rate: write 0.01
    template <std::floating_point Keys, class Rate, class Options = filter_options>
    concurrent_filter(Keys, Rate, Options = {}) = delete;  // keys are a whole number: write 1'000'000
    template <std::same_as<filter_spec> Spec>
    explicit concurrent_filter(const Spec& spec, const filter_options& options = {})
        : concurrent_filter(value_or_raise(try_create(spec, options))) {}

    template <std::integral Keys, std::floating_point Rate>
    static result<concurrent_filter> try_create(Keys keys, Rate fpr, const filter_options& options = {}) {
        if (keys < 0) return negative_keys();
        return create(static_cast<std::uint64_t>(keys), static_cast<double>(fpr), options);
    }
    // balanced_rank that grows, or blocked_bloom; other kinds are not_supported.
    static result<concurrent_filter> try_create(const filter_spec& spec, const filter_options& options = {});

    std::string_view kind() const noexcept;
    // The state at one moment, for one thread: every key whose insertion had ended before the call is in it.
    result<filter> try_snapshot() const;
    template <std::same_as<filter> Snapshot = filter>
    Snapshot snapshot() const {
        return value_or_raise(try_snapshot());
    }

private:
    friend calls;
    friend key_lookups<concurrent_filter>;
    friend key_calls<concurrent_filter>;

    using calls::calls;
    static result<concurrent_filter> create(std::uint64_t keys, double fpr, const filter_options& options);
    static result<concurrent_filter> from_file(const payload_file& file);

    static error cannot(std::string_view call) {
        error problem = make_error(errc::not_supported, call);
        return problem.with_note("create the filter with membrane::erasable");
    }
    result<bool> erase_hash(const key_hash& hash) {
        if (!engine().can_erase()) return cannot("erase");
        return calls::erase_hash(hash);
    }
    result<std::size_t> erase_hashes(std::span<const key_hash> hashes) {
        if (!engine().can_erase()) return cannot("erase");
        return calls::erase_hashes(hashes);
    }
    result<std::uint64_t> count_hash(const key_hash& hash) const {
        if (!engine().can_erase()) return cannot("estimate");
        return calls::count_hash(hash);
    }
};

}  // namespace membrane
