// A filter whose kind is known at compile time, with its memory: header-only, nothing to link (but for files), every call inlined. Blocks
// in lanes and rank-indexed lines are compiled for AVX2 where the program is: all its units should then be.
//
// Shape names a kind, its store and how it is sized (filters.hpp has them all). Hash is the library's hasher, or a function object of
// the program's own that gives 64 or 128 uniform bits of a key: a file then says `precomputed`.
//
// Any number of threads may call const members at once; a call that changes the filter runs alone. A filter that was moved from is empty
// and usable, with the parameters it had.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <membrane/base/comparison.hpp>
#include <membrane/base/refusal.hpp>
#include <membrane/filter/file_bytes.hpp>
#include <membrane/filter/stores.hpp>
#include <membrane/part/key_calls.hpp>
#include <membrane/spec/bits_per_key.hpp>

namespace membrane {

class mapped_filter;

// A random hash key from the operating system; or a hash function of the program's own as it is.
template <class Hash>
result<Hash> new_hash() {
    if constexpr (std::same_as<Hash, hasher>) {
        return random_hasher();
    } else {
        return Hash{};
    }
}

}  // namespace membrane

MEMBRANE_TARGET_BEGIN

template <class Shape, class Hash = hasher>
class typed_filter : public key_calls<typed_filter<Shape, Hash>> {
    using store_type = typename Shape::store;
    using calls = key_calls<typed_filter>;
    template <class... More>
    static constexpr bool is_sized_by = requires(std::uint64_t keys, double fpr, const More&... more) {
        Shape::spec_for(keys, fpr, more...);
    };
    static constexpr bool is_sized_by_error = requires(double error, double confidence) {
        Shape::spec_for_error(error, confidence);
    };

public:
    using hash_type = Hash;
    using view_type = typename store_type::view_type;
    static constexpr bool can_erase = requires(store_type & store, key_hash hash) {
        requires requires(view_type & view) { view.erase(hash); };
    };
    static constexpr bool can_count = requires(const view_type& view, key_hash hash) { view.estimate(hash); };
    static constexpr bool has_weights = requires(view_type & view, key_hash hash) { view.add(hash, 1); };
    static constexpr bool has_values = requires(view_type & view, key_hash hash) {
        view.insert_value(hash, 1);
    };
    static constexpr bool can_intersect = requires(view_type & view) { view.intersect(view); };
    static constexpr bool can_grow = requires(store_type & store) { store.reserve(1); };
    static constexpr bool can_merge = can_grow || requires(view_type & view) { view.merge(view); };
    static constexpr bool can_pack = can_grow || requires(const view_type& view, std::byte* to) {
        view.pack(to);
    };

    // For `keys` keys at a false positive rate of `fpr`; some kinds take one thing more (filters.hpp). The hash function comes last: without
    // it a random one, or Hash{}. Filters that are to be merged are given the same: balanced_rank_filter b(1000, 0.01, a.hash()).
    template <std::integral Keys, std::floating_point Rate>
    requires(is_sized_by<>) typed_filter(Keys keys, Rate fpr, const std::optional<Hash>& hash = {})
        : typed_filter(value_or_raise(try_create(keys, fpr, hash))) {}
    template <std::integral Keys, std::floating_point Rate, class More>
    requires(is_sized_by<More>)
        typed_filter(Keys keys, Rate fpr, const More& more, const std::optional<Hash>& hash = {})
        : typed_filter(value_or_raise(try_create(keys, fpr, more, hash))) {}
    template <std::integral Keys>
    requires requires(std::uint64_t keys, bits_per_key bits) { Shape::spec_for(keys, bits); }
    typed_filter(Keys keys, bits_per_key bits, const std::optional<Hash>& hash = {})
        : typed_filter(value_or_raise(try_create(keys, bits, hash))) {}
    template <std::floating_point Error, std::floating_point Confidence>
    requires(is_sized_by_error)
        typed_filter(Error error, Confidence confidence, const std::optional<Hash>& hash = {})
        : typed_filter(value_or_raise(try_create(error, confidence, hash))) {}
    template <std::integral Keys, std::integral Rate>
    typed_filter(Keys, Rate) = delete;  // a whole number is no rate: write 0.01, or bits_per_key{12}
    template <std::floating_point Keys, class Size, class = std::enable_if_t<!is_sized_by_error, Size>>
    typed_filter(Keys, Size) = delete;  // the number of keys is a whole number: write 1'000'000
    template <std::integral Keys, std::floating_point Rate,
              class = std::enable_if_t<!is_sized_by<> && !is_sized_by_error, Rate>>
    typed_filter(Keys, Rate) = delete;  // takes more: rank_map(keys, fpr, value_bits{8}), or a spec
    template <std::integral Keys, std::floating_point Rate, class = std::enable_if_t<is_sized_by_error, Rate>,
              class = void>
    typed_filter(Keys, Rate) = delete;  // a sketch has no keys: count_min_sketch(error, confidence)
    template <std::integral Keys, std::floating_point Rate>
    typed_filter(Keys, bits_per_key, Rate) = delete;  // bits per key or a rate: leave out one of them
    explicit typed_filter(const filter_spec& spec, const std::optional<Hash>& hash = {})
        : typed_filter(value_or_raise(try_create(spec, hash))) {}

    template <std::integral Keys, std::floating_point Rate>
    requires(is_sized_by<>) static result<typed_filter> try_create(Keys keys, Rate fpr,
                                                                   const std::optional<Hash>& hash = {}) {
        return of_sizing(
            keys, [&](std::uint64_t n) { return Shape::spec_for(n, static_cast<double>(fpr)); }, hash);
    }
    template <std::integral Keys, std::floating_point Rate, class More>
    requires(is_sized_by<More>) static result<typed_filter> try_create(Keys keys, Rate fpr, const More& more,
                                                                       const std::optional<Hash>& hash = {}) {
        return of_sizing(
            keys, [&](std::uint64_t n) { return Shape::spec_for(n, static_cast<double>(fpr), more); }, hash);
    }
    template <std::integral Keys>
    static result<typed_filter> try_create(Keys keys, bits_per_key bits,
                                           const std::optional<Hash>& hash = {}) {
        return of_sizing(
            keys, [&](std::uint64_t n) { return Shape::spec_for(n, bits); }, hash);
    }
    template <std::floating_point Error, std::floating_point Confidence>
    static result<typed_filter> try_create(Error error, Confidence confidence,
                                           const std::optional<Hash>& hash = {}) {
        const result<filter_spec> spec =
            Shape::spec_for_error(static_cast<double>(error), static_cast<double>(confidence));
        if (!spec) return spec.error();
        return try_create(*spec, hash);
    }
    static result<typed_filter> try_create(const filter_spec& spec, const std::optional<Hash>& hash = {}) {
        const auto given = hash ? result<Hash>(*hash) : new_hash<Hash>();
        if (!given) return given.error();
        if (auto checked = check(spec); !checked) return checked.error();
        auto store = store_type::create(spec);
        if (!store) return store.error();
        return typed_filter(*given, 0, std::move(*store));
    }

    typed_filter(const typed_filter& other) : typed_filter(value_or_raise(other.try_copy())) {}
    typed_filter(typed_filter&& other) noexcept
        : hash_(other.hash_), keys_(std::exchange(other.keys_, 0)), store_(std::move(other.store_)) {}
    typed_filter& operator=(const typed_filter& other) {
        if (this != &other) *this = value_or_raise(other.try_copy());
        return *this;
    }
    typed_filter& operator=(typed_filter&& other) noexcept {
        if (this == &other) return *this;
        hash_ = other.hash_;
        keys_ = std::exchange(other.keys_, 0);
        store_ = std::move(other.store_);
        return *this;
    }
    result<typed_filter> try_copy() const {
        auto store = has_memory() ? store_.copy() : store_type::empty_like(store_);
        if (!store) return store.error();
        return typed_filter(hash_, keys_, std::move(*store));
    }
    friend void swap(typed_filter& a, typed_filter& b) noexcept {
        typed_filter taken(std::move(a));
        a = std::move(b);
        b = std::move(taken);
    }
    // Equal parameters, hash functions and contents. How many insertions led to them does not count.
    friend bool operator==(const typed_filter& a, const typed_filter& b) {
        if constexpr (requires { a.hash_ == b.hash_; })
            if (!(a.hash_ == b.hash_)) return false;
        if (!a.has_memory() || !b.has_memory())
            return a.store_.is_comparable(b.store_) && a.is_blank() && b.is_blank();
        return a.store_ == b.store_;
    }

    const filter_spec& spec() const noexcept { return store_.spec(); }
    const Hash& hash() const noexcept { return hash_; }
    // Insertions less erasures; of counters the sum of all weights.
    std::uint64_t keys() const noexcept { return keys_; }
    std::uint64_t size_bytes() const noexcept { return store_.held_bytes(); }
    double estimated_size() const { return has_memory() ? store_.estimated_size() : 0; }
    double estimated_fpr_now() const { return has_memory() ? store_.estimated_fpr_now() : 0; }
    // Not of a filter that was moved from.
    const view_type& view() const noexcept { return store_.view(); }

    // All keys at once into an empty filter, by so many threads (0: as many as the machine has). `full`: they do not fit, and
    // the filter is empty. `bad_field`: it was not empty (key_batches.hpp), and is as it was.
    result<void> build(const hash_batches& hashes, unsigned threads = 0) {
        if (!ensure_memory()) return refusal();
        if (auto checked = check_empty(keys_, store_.payload()); !checked) return checked;
        if (!store_.insert_all(hashes, thread_count(threads))) {
            clear();
            return too_many(hashes.size());
        }
        add_keys(hashes.size());
        return {};
    }
    void clear() noexcept {
        if (has_memory()) store_.clear();
        keys_ = 0;
    }

    // Equal hash functions and parameters; filters that grow take filters of any size, and of universes that differ by a power of two.
    [[nodiscard]] result<void> try_merge(const typed_filter& other) requires can_merge {
        if (auto alike = check_same_hash(other); !alike) return alike;
        if (!ensure_memory()) return refusal();
        if (!other.has_memory() || this == &other) {
            // A copy of itself, because it would be read while it changes.
            const auto copy = other.try_copy();
            return copy ? try_merge(*copy) : copy.error();
        }
        auto done = store_.merge(other.store_);
        if (done) add_keys(other.keys_);
        return done;
    }

    // Of a mapped file of this kind, whose bytes are copied meanwhile.
    template <std::same_as<mapped_filter> Mapped>
    [[nodiscard]] result<void> try_merge(const Mapped& other) requires can_merge {
        const auto copy = of_mapped(other);
        return copy ? try_merge(*copy) : copy.error();
    }
    // Equal hash functions and parameters. Afterwards every key that was in both may be contained.
    [[nodiscard]] result<void> try_intersect(const typed_filter& other) requires can_intersect {
        if (auto alike = check_same_hash(other); !alike) return alike;
        if (auto alike = store_.check_alike(other.store_); !alike) return alike;
        if (!has_memory() || !other.has_memory()) {
            clear();
            return {};
        }
        store_.view().intersect(other.store_.view());
        keys_ = std::min(keys_, other.keys_);
        return {};
    }
    template <std::same_as<mapped_filter> Mapped>
    [[nodiscard]] result<void> try_intersect(const Mapped& other) requires can_intersect {
        const auto copy = of_mapped(other);
        return copy ? try_intersect(*copy) : copy.error();
    }

    // ---- filters that grow: other layouts, without the keys. On an error nothing has changed.

    const growth_policy& growth() const noexcept requires can_grow { return store_.policy(); }
    [[nodiscard]] result<void> set_growth(const growth_policy& policy) noexcept requires can_grow {
        if (auto checked = check_growth_policy(policy); !checked) return checked;
        store_.policy() = policy;
        return {};
    }
    // Room for so many keys in all without growth.
    [[nodiscard]] result<void> try_reserve(std::uint64_t keys) requires can_grow {
        if (!ensure_memory()) return refusal();
        return store_.reserve(keys);
    }
    // The layout for the keys that are there.
    [[nodiscard]] result<void> try_shrink_to_fit() requires can_grow {
        if (!has_memory()) return {};
        return store_.shrink_to_fit();
    }
    // Drops bits of all keys, as many as leave the rate of the present keys at or below `fpr`. Returns how many.
    [[nodiscard]] result<std::uint64_t> try_lower_rate(double fpr) requires can_grow {
        if (!ensure_memory()) return refusal();
        return store_.lower_rate(fpr);
    }
    // Step-by-step growth (growth_policy): whether one is under way, and its end. False if memory is refused.
    bool is_growing() const noexcept requires can_grow { return store_.is_growing(); }
    bool settle() noexcept requires can_grow { return !has_memory() || store_.settle(); }
    // visit(number, times) in ascending order.
    template <class Visit>
    void for_each_number(Visit&& visit) const requires can_grow {
        if (!has_memory()) return;
        typename store_type::cursor numbers(store_);
        while (const auto each = numbers.next()) visit(each->number, each->times);
    }

    // ---- compared, packed and as differences (runtime/number_files.hpp); programs that use them link the library

    result<comparison> try_compare(const typed_filter& other) const requires can_grow {
        if (auto alike = check_same_hash(other); !alike) return alike.error();
        return settled([&](const payload_file& a) {
            return other.settled([&](const payload_file& b) { return compare_payloads(a, b); });
        });
    }
    // With the patch that try_diff makes, older.try_patched() is this filter.
    result<std::vector<std::byte>> try_diff(const typed_filter& older) const requires can_grow {
        if (auto alike = check_same_hash(older); !alike) return alike.error();
        return settled([&](const payload_file& newer) {
            return older.settled([&](const payload_file& from) { return diff_payloads(from, newer); });
        });
    }
    result<typed_filter> try_patched(std::span<const std::byte> patch) const requires can_grow {
        return settled([&](const payload_file& older) -> result<typed_filter> {
            auto bytes = patched_bytes(older, patch);
            return bytes ? of_bytes(*bytes, hash_) : bytes.error();
        });
    }
    // A shorter form to send, of kinds that have one.
    result<std::vector<std::byte>> try_pack() const requires can_pack {
        return settled([](const payload_file& file) { return packed_payload(file); });
    }
    static result<typed_filter> try_unpack(std::span<const std::byte> packed) requires can_pack {
        auto bytes = unpacked_bytes(packed);
        return bytes ? try_from_bytes(*bytes) : bytes.error();
    }

    // ---- files and their bytes; programs that use them link the library

    result<std::vector<std::byte>> try_to_bytes() const {
        return settled([](const payload_file& file) { return file_bytes(file); });
    }
    // In one step: after a crash there is the old file or the new one.
    [[nodiscard]] result<void> try_save(const std::string& path, existing there = existing::replace) const {
        return settled([&](const payload_file& file) { return save_file(file, path, there); });
    }
    static result<typed_filter> try_from_bytes(std::span<const std::byte> bytes) {
        const auto file = open_file_bytes(bytes);
        if (!file) return file.error();
        return from_file(*file);
    }
    static result<typed_filter> try_load(const std::string& path) {
        const auto file = mapped_file::open(path);
        if (!file) return file.error();
        return try_from_bytes(file->bytes());
    }

    // ---- for the filters of many threads, which are made from the same specs and files (concurrent_filters.hpp)

    // Whether it is a spec of this kind of filter.
    static result<void> check(const filter_spec& spec) {
        using family = typename store_type::family;
        if (spec.kind != family::id)
            return make_error(errc::spec_mismatch, "kind id")
                .with_found(static_cast<std::uint64_t>(spec.kind))
                .with_expected(static_cast<std::uint64_t>(family::id))
                .with_note("a filter of another kind; membrane::filter takes any");
        if (auto checked = family::check_spec(spec); !checked) return checked;
        if (family::variant_of(spec) != store_type::variant)
            return make_error(errc::spec_mismatch, "variant of the kind")
                .with_found(family::variant_of(spec))
                .with_expected(store_type::variant)
                .with_note("another form of the kind; membrane::filter takes any");
        return {};
    }
    // The hash function that the file was written with.
    static result<Hash> hash_of_file(const payload_file& file) {
        if constexpr (std::same_as<Hash, hasher>) {
            return file.hash;
        } else {
            if (file.hash.id != hash_id::precomputed)
                return make_error(errc::spec_mismatch, "hash")
                    .with_found(static_cast<std::uint64_t>(file.hash.id))
                    .with_expected(static_cast<std::uint64_t>(hash_id::precomputed))
                    .with_note("the file was not written with a hash function of the program's own");
            return Hash{};
        }
    }
    // Of a spec and a payload that have been checked.
    static result<typed_filter> of_payload(const filter_spec& spec, const Hash& hash, std::uint64_t keys,
                                           std::span<const std::byte> payload) {
        auto store = store_type::copy_of(spec, payload);
        if (!store) return store.error();
        return typed_filter(hash, keys, std::move(*store));
    }

private:
    friend key_lookups<typed_filter>;
    friend calls;

    typed_filter(const Hash& hash, std::uint64_t keys, store_type store)
        : hash_(hash), keys_(keys), store_(std::move(store)) {}

    template <class Keys, class Size>
    static result<typed_filter> of_sizing(Keys keys, const Size& size, const std::optional<Hash>& hash) {
        if (keys < 0)
            return make_error(errc::bad_field, "keys").with_note("a number of keys is not negative");
        const result<filter_spec> spec = size(static_cast<std::uint64_t>(keys));
        if (!spec) return spec.error();
        return try_create(*spec, hash);
    }
    static result<typed_filter> from_file(const payload_file& file) {
        const auto hash = hash_of_file(file);
        if (!hash) return hash.error();
        return from_file(file, *hash);
    }
    static result<typed_filter> from_file(const payload_file& file, const Hash& hash) {
        if (auto checked = check(file.spec); !checked) return checked.error();
        return of_payload(file.spec, hash, file.keys, file.payload);
    }
    static result<typed_filter> of_bytes(std::span<const std::byte> bytes, const Hash& hash) {
        const auto file = open_file_bytes(bytes);
        return file ? from_file(*file, hash) : file.error();
    }
    // A hash function of the program's own may have a state, which no file tells: it is taken to be that of this filter.
    template <class Mapped>
    result<typed_filter> of_mapped(const Mapped& mapped) const {
        const auto& view = mapped.view();
        if (auto checked = view.check_payload(); !checked) return checked.error();
        const payload_file file{view.spec(), view.hash(), view.keys(), view.payload()};
        const auto of_file = hash_of_file(file);
        if (!of_file) return of_file.error();
        const Hash& hash = std::same_as<Hash, hasher> ? *of_file : hash_;
        return view.has_memory() ? from_file(file, hash) : try_create(file.spec, hash);
    }
    result<void> check_same_hash(const typed_filter& other) const {
        if constexpr (requires { hash_ == other.hash_; })
            if (!(hash_ == other.hash_))
                return make_error(errc::spec_mismatch, "hash key")
                    .with_note(
                        "create the second filter with the hash of the first: (keys, fpr, first.hash())");
        return {};
    }
    // use() of the filter as a file; while it grows, of a copy that does not.
    template <class Use>
    auto settled(const Use& use) const -> decltype(use(std::declval<const payload_file&>())) {
        if constexpr (can_grow) {
            if (has_memory() && store_.is_growing()) {
                auto copy = try_copy();
                if (!copy) return copy.error();
                return copy->settled(use);
            }
        }
        if (!has_memory()) {
            const auto copy = try_copy();
            if (!copy) return copy.error();
            return copy->settled(use);
        }
        hasher hash{hash_id::precomputed, {}};
        if constexpr (std::same_as<Hash, hasher>) hash = hash_;
        return use(payload_file{store_.spec(), hash, keys_, store_.payload()});
    }

    // False after a move.
    bool has_memory() const noexcept { return store_.payload().data() != nullptr; }
    bool ensure_memory() noexcept {
        if (has_memory()) return true;
        auto store = store_type::empty_like(store_);
        if (store) store_ = std::move(*store);
        return store.has_value();
    }
    bool is_blank() const noexcept { return !has_memory() || are_all_zero(store_.payload()); }

    // A total that can grow no further stays at its maximum: a wrapped one would claim an empty filter.
    void add_keys(std::uint64_t more) noexcept { keys_ += std::min(more, UINT64_MAX - keys_); }
    void take_keys(std::uint64_t fewer) noexcept { keys_ -= std::min(fewer, keys_); }

    template <class HashOfKey>
    bool contains_hash(HashOfKey&& hash) const noexcept {
        return has_memory() && store_.may_contain(std::forward<HashOfKey>(hash));
    }
    std::size_t contains_hashes(std::span<const key_hash> hashes,
                                std::span<std::uint64_t> answers) const noexcept {
        if (has_memory()) return store_.may_contain_many(hashes, answers);
        std::fill_n(answers.begin(), bitmap_words(hashes.size()), 0);
        return 0;
    }
    insertion insert_hash(const key_hash& hash) noexcept {
        if (!ensure_memory()) return insertion::refused;
        const insertion done = store_.insert(hash);
        add_keys(done == insertion::refused ? 0 : 1);
        return done;
    }
    insertion insert_hash_if_absent(const key_hash& hash) noexcept {
        if (!ensure_memory()) return insertion::refused;
        const insertion done = store_.insert_if_absent(hash);
        add_keys(done == insertion::inserted ? 1 : 0);
        return done;
    }
    std::size_t insert_hashes(std::span<const key_hash> hashes) noexcept {
        if (!ensure_memory()) return 0;
        const std::size_t stored = store_.insert_many(hashes);
        add_keys(stored);
        return stored;
    }
    error refusal() const noexcept {
        if (!has_memory()) return memory_to_grow_refused();
        if constexpr (can_grow)
            if (store_.policy().max_bytes != 0) return store_.refusal();
        return full_error(keys_, spec().planned_keys);
    }
    bool erase_hash(const key_hash& hash) noexcept {
        const bool erased = has_memory() && store_.erase(hash);
        take_keys(erased ? 1 : 0);
        return erased;
    }
    std::size_t erase_hashes(std::span<const key_hash> hashes) noexcept {
        const std::size_t erased = has_memory() ? store_.erase_many(hashes) : 0;
        take_keys(erased);
        return erased;
    }
    std::uint64_t count_hash(const key_hash& hash) const noexcept {
        return has_memory() ? store_.estimate(hash) : 0;
    }
    result<void> add_hash(const key_hash& hash, std::uint64_t weight) noexcept {
        if (!ensure_memory()) return refusal();
        if (keys_ > UINT64_MAX - weight || !store_.view().add(hash, weight))
            return make_error(errc::counter_overflow, "weight").with_found(weight);
        keys_ += weight;
        return {};
    }
    result<void> check_value(std::uint64_t value) const {
        const std::uint64_t most = view_type::largest_value(spec());
        if (value > most) return make_error(errc::bad_field, "value").with_found(value).with_range(0, most);
        return {};
    }
    result<void> insert_value_of_hash(const key_hash& hash, std::uint64_t value) noexcept {
        if (auto checked = check_value(value); !checked) return checked;
        if (!ensure_memory() || !store_.view().insert_value(hash, value)) return refusal();
        add_keys(1);
        return {};
    }
    result<bool> update_value_of_hash(const key_hash& hash, std::uint64_t from, std::uint64_t to) noexcept {
        if (auto checked = check_value(to); !checked) return checked.error();
        return has_memory() && store_.view().update_value(hash, from, to);
    }
    bool erase_value_of_hash(const key_hash& hash, std::uint64_t value) noexcept {
        const bool erased = has_memory() && store_.view().erase_value(hash, value);
        take_keys(erased ? 1 : 0);
        return erased;
    }
    std::vector<std::uint64_t> values_of_hash(const key_hash& hash) const {
        std::vector<std::uint64_t> found;
        if (has_memory())
            store_.view().visit_values(hash, [&](std::uint64_t value) {
                found.push_back(value);
                return true;
            });
        return found;
    }

    Hash hash_;
    std::uint64_t keys_ = 0;
    store_type store_;
};

MEMBRANE_TARGET_END
