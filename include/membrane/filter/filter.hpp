// membrane::filter: one filter for programs that do not want to choose. By default it grows with its keys (doc/growth.md) and refuses a
// key only when memory does; erasable if asked for. Or any kind, by its name, a spec or a plan.
//
//     membrane::filter seen(10'000'000, 0.001);      // keys, false positive rate
//     seen.insert("alice");
//     if (seen.insert_if_absent(key)) ...            // true exactly if it looked absent and is now stored
//     membrane::filter live(1'000'000, 0.01, membrane::erasable);
//
// The calls that take keys are in part/key_calls.hpp, the same for all filters. Link the library.
//
// Any number of threads may call const members at once; a call that changes the filter runs alone. A filter that was moved from is empty
// and usable, with the parameters and the hash key it had.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/part/key_calls.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/save.hpp>

namespace membrane {

namespace plan {
struct requirement;
}

struct filter_options {
    bool erasable = false;  // keys can be erased and counted
    bool fixed = false;     // no more keys than planned: fewer bits, or faster; the planner chooses the kind
    std::uint64_t grow_to =
        0;  // up to how many keys the rate is kept, not fewer than planned; 0: up to the planned number. Not with `fixed`
    std::optional<hasher> hash{};  // the default has a random key; filters to be merged are given the same
    std::uint64_t max_bytes = UINT64_MAX;  // a filter that would need more refuses
};
inline constexpr filter_options erasable{.erasable = true};

class filter : public key_calls<filter> {
public:
    using hash_type = hasher;
    // Whether this filter can is known when it runs: the calls say so at once.
    static constexpr bool can_erase = true, can_count = true, has_weights = true, has_values = true;

    template <std::integral Keys, std::floating_point Rate>
    filter(Keys keys, Rate fpr, const filter_options& options = {})
        : filter(value_or_raise(try_create(keys, fpr, options))) {}
    template <std::integral Keys, std::integral Rate>
    filter(Keys, Rate, const filter_options& = {}) = delete;  // a whole number is no rate: write 0.01
    template <std::floating_point Keys, class Rate>
    filter(Keys, Rate, const filter_options& = {}) = delete;  // keys are a whole number: write 1'000'000
    // Of this kind, also with values for some of its parameters: "blocked_bloom", "bloom:k=5", "rank:mode=map,value_bits=8".
    template <std::integral Keys, std::floating_point Rate>
    filter(std::string_view kind, Keys keys, Rate fpr, const filter_options& options = {})
        : filter(value_or_raise(try_create(kind, keys, fpr, options))) {}
    template <std::floating_point Keys, class Rate, class Options = filter_options>
    filter(std::string_view, Keys, Rate, Options = {}) = delete;  // keys are a whole number: write 1'000'000
    // From a spec, or from a plan::requirement, for which the planner chooses.
    template <class Plan>
    requires std::same_as<Plan, filter_spec> || std::same_as<Plan, plan::requirement>
    explicit filter(const Plan& plan, const filter_options& options = {})
        : filter(value_or_raise(try_create(plan, options))) {}
    explicit filter(any_filter&& engine) noexcept : engine_(std::move(engine)) {}

    template <std::integral Keys, std::floating_point Rate>
    static result<filter> try_create(Keys keys, Rate fpr, const filter_options& options = {}) {
        if (keys < 0) return negative_keys();
        return create(static_cast<std::uint64_t>(keys), static_cast<double>(fpr), options);
    }
    template <std::integral Keys, std::floating_point Rate>
    static result<filter> try_create(std::string_view kind, Keys keys, Rate fpr,
                                     const filter_options& options = {}) {
        if (keys < 0) return negative_keys();
        return create_of_kind(kind, static_cast<std::uint64_t>(keys), static_cast<double>(fpr), options);
    }
    static result<filter> try_create(const filter_spec& spec, const filter_options& options = {});
    static result<filter> try_create(const plan::requirement& wanted, const filter_options& options = {});

    // Copies throw if memory is refused.
    filter(const filter& other);
    filter& operator=(const filter& other);
    filter(filter&&) noexcept = default;
    filter& operator=(filter&&) noexcept = default;
    ~filter() = default;
    result<filter> try_copy() const;
    friend void swap(filter& a, filter& b) noexcept { std::swap(a.engine_, b.engine_); }
    // Equal parameters, hash functions and contents; of filters that grow, equal contents in the same universe, whatever the layouts.
    // How many insertions led to them does not count. Throws if memory is refused.
    friend bool operator==(const filter& a, const filter& b) { return a.is_equal(b); }

    std::string_view kind() const noexcept { return engine_.kind().rules.name; }
    const filter_spec& spec() const noexcept { return engine_.spec(); }
    const hasher& hash() const noexcept { return engine_.hash(); }
    // Insertions less erasures; of counters the sum of all weights.
    std::uint64_t keys() const noexcept { return engine_.keys(); }
    std::uint64_t size_bytes() const noexcept { return engine_.size_bytes(); }
    double estimated_size() const { return engine_.estimated_size(); }
    double estimated_fpr_now() const { return engine_.estimated_fpr_now(); }
    // Up to how many keys the planned rate is kept.
    std::uint64_t promised_keys() const noexcept { return engine_.promised_keys(); }
    bool is_over_capacity() const noexcept { return engine_.is_over_capacity(); }

    // All keys at once into an empty filter, by so many threads (0: as many as the machine has); see any_filter::build.
    [[nodiscard]] result<void> build(const hash_batches& hashes, unsigned threads = 0) {
        return engine_.build(hashes, threads);
    }
    void clear() noexcept { engine_.clear(); }

    // Of any filter, a mapped_filter among them. Equal hash functions and parameters; filters that grow take filters of any size, and of
    // universes that differ by a power of two.
    [[nodiscard]] result<void> try_merge(const any_view& other) { return engine_.merge(other); }
    // Of kinds that can. Equal hash functions and parameters.
    [[nodiscard]] result<void> try_intersect(const any_view& other) { return engine_.intersect(other); }

    // ---- filters that grow: other layouts, without the keys. On an error nothing has changed. A kind that does not grow says so.

    growth_policy growth() const noexcept { return engine_.growth(); }
    [[nodiscard]] result<void> set_growth(const growth_policy& policy) noexcept {
        return engine_.set_growth(policy);
    }
    // Room for so many keys in all without growth.
    [[nodiscard]] result<void> try_reserve(std::uint64_t keys) { return engine_.reserve(keys); }
    // The layout for the keys that are there.
    [[nodiscard]] result<void> try_shrink_to_fit() { return engine_.shrink_to_fit(); }
    // The smallest filter whose rate for the present keys stays at or below `fpr`; also of kinds that fold.
    [[nodiscard]] result<std::uint64_t> try_lower_rate(double fpr) { return engine_.lower_rate(fpr); }

    // ---- filters that grow: compared, packed and as differences (runtime/number_files.hpp)

    result<comparison> try_compare(const any_view& other) const;
    // With the patch that try_diff makes, older.try_patched() is this filter.
    result<std::vector<std::byte>> try_diff(const any_view& older) const;
    result<filter> try_patched(std::span<const std::byte> patch) const;
    // A shorter form to send; also of other kinds that have one.
    result<std::vector<std::byte>> try_pack() const { return engine_.pack(); }
    static result<filter> try_unpack(std::span<const std::byte> packed);
    // visit(number, times) in ascending order.
    template <class Visit>
    void for_each_number(Visit&& visit) const {
        value_or_raise(try_for_each_number(visit));
    }
    template <class Visit>
    [[nodiscard]] result<void> try_for_each_number(Visit&& visit) const {
        return engine_.for_each_number(visit);
    }

    // ---- files and their bytes

    result<std::vector<std::byte>> try_to_bytes() const;
    static result<filter> try_from_bytes(std::span<const std::byte> file);
    [[nodiscard]] result<void> try_save(const std::string& path, existing there = existing::replace) const {
        return membrane::save(engine_, path, there);
    }
    static result<filter> try_load(const std::string& path);

    // For the functions of the library that take filters of any kind: comparison, differences, packing.
    const any_view& view() const noexcept { return engine_; }
    operator const any_view&() const noexcept { return engine_; }
    any_filter& engine() noexcept { return engine_; }

private:
    friend key_lookups<filter>;
    friend key_calls<filter>;

    static result<filter> create(std::uint64_t keys, double fpr, const filter_options& options);
    static result<filter> create_of_kind(std::string_view kind, std::uint64_t keys, double fpr,
                                         const filter_options& options);
    static error negative_keys() {
        return make_error(errc::bad_field, "keys").with_note("a number of keys is not negative");
    }
    bool is_equal(const filter& other) const;

    bool contains_hash(const key_hash& hash) const noexcept { return engine_.may_contain(hash); }
    std::size_t contains_hashes(std::span<const key_hash> hashes,
                                std::span<std::uint64_t> answers) const noexcept {
        return engine_.may_contain_many(hashes, answers);
    }
    insertion insert_hash(const key_hash& hash) {
        return engine_.insert(hash) ? insertion::inserted : insertion::refused;
    }
    insertion insert_hash_if_absent(const key_hash& hash) {
        return engine_.may_contain(hash) ? insertion::present : insert_hash(hash);
    }
    std::size_t insert_hashes(std::span<const key_hash> hashes) { return engine_.insert_many(hashes); }
    error refusal() const noexcept { return engine_.refusal(); }
    template <class T>
    static result<T> explained(result<T> outcome) {
        if (outcome || outcome.error().code != errc::not_supported) return outcome;
        error problem = outcome.error();
        return problem.with_note("create the filter with membrane::erasable, or of a kind that can");
    }
    result<bool> erase_hash(const key_hash& hash) { return explained(engine_.erase(hash)); }
    result<std::size_t> erase_hashes(std::span<const key_hash> hashes) {
        return explained(engine_.erase_many(hashes));
    }
    result<std::uint64_t> count_hash(const key_hash& hash) const { return explained(engine_.estimate(hash)); }
    result<void> add_hash(const key_hash& hash, std::uint64_t weight) { return engine_.add(hash, weight); }
    result<void> insert_value_of_hash(const key_hash& hash, std::uint64_t value) {
        return engine_.insert_value(hash, value);
    }
    result<bool> update_value_of_hash(const key_hash& hash, std::uint64_t from, std::uint64_t to) {
        return engine_.update_value(hash, from, to);
    }
    result<bool> erase_value_of_hash(const key_hash& hash, std::uint64_t value) {
        return engine_.erase_value(hash, value);
    }
    result<std::vector<std::uint64_t>> values_of_hash(const key_hash& hash) const {
        return engine_.values(hash);
    }

    any_filter engine_;
};

}  // namespace membrane
