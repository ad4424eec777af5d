// A filter whose kind is known at compile time, with its memory: header-only, nothing to link, every call inlined. Blocks in lanes
// and rank-indexed lines are compiled for AVX2 where the program is: all its units should then be.
// The logic is the view's; this adds the buffer, the hash and the count. For files, or a kind chosen at run time, see
// runtime/any_filter.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/threads.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/kind/balanced_bloom/view.hpp>
#include <membrane/kind/balanced_rank/filter.hpp>
#include <membrane/kind/balanced_rank/view.hpp>
#include <membrane/kind/blocked_bloom/view.hpp>
#include <membrane/kind/bloom/view.hpp>
#include <membrane/kind/count_min/view.hpp>
#include <membrane/kind/counting_bloom/view.hpp>
#include <membrane/kind/rank/view.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/part/key_batches.hpp>

MEMBRANE_TARGET_BEGIN

template <class Family, std::size_t Variant>
class owning {
public:
    using view_type = std::tuple_element_t<Variant, typename Family::types>;

    // A random hash key from the operating system unless a hasher is given.
    static result<owning> create(const filter_spec& spec) {
        const auto key = random_hash_key();
        if (!key) return key.error();
        return create(spec, hasher{hash_id::siphash13, *key});
    }
    static result<owning> create(const filter_spec& spec, const hasher& hash) {
        if (spec.kind != Family::id) return make_error(errc::spec_mismatch, "kind");
        if (auto checked = Family::check_spec(spec); !checked) return checked.error();
        if (Family::variant_of(spec) != Variant)
            return make_error(errc::spec_mismatch, "variant")
                .with_found(Family::variant_of(spec))
                .with_expected(Variant);
        const auto size = view_type::payload_bytes(spec);
        if (!size) return make_error(errc::size_overflow, "payload of this spec");
        auto buffer = aligned_buffer::zeroed(*size);
        if (!buffer) return buffer.error();
        return owning(spec, hash, std::move(*buffer));
    }

    const filter_spec& spec() const noexcept { return spec_; }
    const hasher& hash() const noexcept { return hash_; }
    std::uint64_t keys() const noexcept { return keys_; }
    std::uint64_t size_bytes() const noexcept { return buffer_.size_bytes(); }
    const view_type& view() const noexcept { return view_; }

    // Keys are text, bytes, integers or key_hash values. True unless the kind has no room: then nothing changed.
    template <class Key>
    bool insert(const Key& key) noexcept {
        const bool stored = view_.insert(hash_(key));
        count(stored ? 1 : 0);
        return stored;
    }
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        const std::size_t stored = membrane::insert_many(view_, hashes);
        count(stored);
        return stored;
    }
    std::size_t insert_many(std::span<const std::string_view> keys) noexcept {
        return insert_keys(*this, keys);
    }
    std::size_t insert_many(std::span<const std::uint64_t> keys) noexcept { return insert_keys(*this, keys); }
    // All keys at once into an empty filter, by so many threads (0: as many as the machine has). `full`: they do not fit, and
    // the filter is empty. `bad_field`: it was not empty (part/batch.hpp), and is as it was.
    result<void> build(const hash_batches& hashes, unsigned threads = 0) {
        if (auto checked = check_empty(keys_, buffer_.bytes()); !checked) return checked;
        if (!insert_all(view_, hashes, thread_count(threads))) {
            clear();
            return too_many(hashes.size());
        }
        count(hashes.size());
        return {};
    }
    // True if the key was new and is stored now.
    template <class Key>
    bool insert_if_absent(const Key& key) noexcept {
        const key_hash hash = hash_(key);
        return !view_.may_contain(hash) && insert(hash);
    }

    // False: the key was never inserted. True: it was, or this is one of the planned false positives.
    template <class Key>
    bool may_contain(const Key& key) const noexcept {
        return view_.may_contain(hash_(key));
    }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        return membrane::may_contain_many(view_, hashes, answers);
    }
    std::size_t may_contain_many(std::span<const std::string_view> keys,
                                 std::span<std::uint64_t> answers) const noexcept {
        return may_contain_keys(*this, keys, answers);
    }
    std::size_t may_contain_many(std::span<const std::uint64_t> keys,
                                 std::span<std::uint64_t> answers) const noexcept {
        return may_contain_keys(*this, keys, answers);
    }

    // Only keys that were inserted. False, and nothing changed, if the key is certainly absent.
    template <class Key>
    bool erase(const Key& key) noexcept requires requires(view_type& view, key_hash hash) {
        view.erase(hash);
    }
    {
        const bool erased = view_.erase(hash_(key));
        keys_ -= erased && keys_ != 0 ? 1 : 0;
        return erased;
    }

    // How many of them were there; each is erased once.
    std::size_t erase_many(std::span<const key_hash> hashes) noexcept requires
        requires(view_type& view, key_hash hash) {
        view.erase(hash);
    }
    {
        const std::size_t erased = membrane::erase_many(view_, hashes);
        keys_ -= std::min<std::uint64_t>(erased, keys_);
        return erased;
    }
    // Of text or integers.
    template <class Key>
    std::size_t erase_many(std::span<const Key> keys) noexcept requires
        requires(view_type& view, key_hash hash) {
        view.erase(hash);
    }
    {
        return erase_keys(hash_, keys,
                          [&](std::span<const key_hash> hashes) { return this->erase_many(hashes); });
    }

    // At least the number of times the key was inserted.
    template <class Key>
    std::uint64_t estimate(const Key& key) const noexcept requires
        requires(const view_type& view, key_hash hash) {
        view.estimate(hash);
    }
    { return view_.estimate(hash_(key)); }
    // Counts a key `weight` times. False, and nothing changed, if a counter cannot hold it.
    template <class Key>
    bool add(const Key& key, std::uint64_t weight) noexcept requires
        requires(view_type& view, key_hash hash) {
        view.add(hash, weight);
    }
    {
        if (keys_ > UINT64_MAX - weight || !view_.add(hash_(key), weight)) return false;
        keys_ += weight;
        return true;
    }

    // Maps: another entry of the key, one entry that has the value `from`, every value that the key may have.
    template <class Key>
    bool insert_value(const Key& key, std::uint64_t value) noexcept requires
        requires(view_type& view, key_hash hash) {
        view.insert_value(hash, value);
    }
    {
        const bool stored = view_.insert_value(hash_(key), value);
        count(stored ? 1 : 0);
        return stored;
    }
    template <class Key>
    bool update_value(const Key& key, std::uint64_t from, std::uint64_t to) noexcept requires
        requires(view_type& view, key_hash hash) {
        view.update_value(hash, from, to);
    }
    { return view_.update_value(hash_(key), from, to); }
    template <class Key>
    bool erase_value(const Key& key, std::uint64_t value) noexcept requires
        requires(view_type& view, key_hash hash) {
        view.erase_value(hash, value);
    }
    {
        const bool erased = view_.erase_value(hash_(key), value);
        keys_ -= erased && keys_ != 0 ? 1 : 0;
        return erased;
    }
    template <class Key, class Visit>
    void visit_values(const Key& key, Visit&& visit) const {
        view_.visit_values(hash_(key), std::forward<Visit>(visit));
    }

    void clear() noexcept {
        if (buffer_.size_bytes() != 0) std::memset(buffer_.data(), 0, buffer_.size_bytes());
        keys_ = 0;
    }

    double fill() const noexcept { return view_.fill(); }
    double estimated_size() const { return view_.estimated_size(); }
    double estimated_fpr_now() const { return view_.estimated_fpr_now(); }

private:
    // A total that can grow no further stays at its maximum: a wrapped one would claim an empty filter.
    void count(std::uint64_t more) noexcept { keys_ += std::min(more, UINT64_MAX - keys_); }
    owning(const filter_spec& spec, const hasher& hash, aligned_buffer buffer)
        : spec_(spec), hash_(hash), buffer_(std::move(buffer)), view_(spec_, buffer_.data()) {}

    filter_spec spec_;
    hasher hash_;
    std::uint64_t keys_ = 0;
    aligned_buffer buffer_;
    view_type view_;
};

// The variants that most programs want. bloom_filter has independent probes, which keep their promise at every size
// and rate; double_hashed_bloom_filter saves multiplications (kind/bloom/spec.hpp says when it is as good).
using bloom_filter = owning<bloom_family, 0>;
using double_hashed_bloom_filter = owning<bloom_family, 1>;
using counting_bloom_filter = owning<counting_bloom_family, 0>;
using blocked_bloom_filter =
    owning<blocked_bloom_family, 5>;  // lines of 512 bits in lanes of 64: 8.5 to 22 bits per key
using blocked_bloom_anywhere_filter =
    owning<blocked_bloom_family, 1>;  // lines of 512 bits: any number of bits per key
using count_min_sketch = owning<count_min_family, 3>;
using balanced_bloom_filter = owning<balanced_bloom_family, 8>;  // lines of 512 bits, multi_level

// One line a lookup and the fewest bits; a spec comes from the planner, or by hand. The forms that grow: kind/balanced_rank/filter.hpp.
using balanced_rank_filter = owning<balanced_rank_family, rank_form::fixed>;

// Fingerprints that can be erased, counted, or carry a value; a spec comes from the planner, or by hand.
using rank_filter = owning<rank_family, rank_mode::set>;
using rank_counting_filter = owning<rank_family, rank_mode::counting>;
using rank_map = owning<rank_family, rank_mode::map>;

// Sized for `keys` keys at a false positive rate of `fpr`.
inline result<bloom_filter> make_bloom_filter(std::uint64_t keys, double fpr) {
    auto spec = bloom_spec_for(keys, fpr);
    if (!spec) return spec.error();
    (*spec)[flat_field::probes] = probes::independent;
    return bloom_filter::create(*spec);
}

inline result<counting_bloom_filter> make_counting_bloom_filter(std::uint64_t keys, double fpr) {
    auto spec = counting_bloom_spec_for(keys, fpr);
    if (!spec) return spec.error();
    (*spec)[flat_field::probes] = probes::independent;
    return counting_bloom_filter::create(*spec);
}

// Blocks of one cache line; by bits per key, since its rate has no closed formula (the planner inverts the exact one).
inline result<blocked_bloom_filter> make_blocked_bloom_filter(std::uint64_t keys, double bits_per_key) {
    const auto spec = blocked_bloom_spec_for_bits(keys, bits_per_key);
    if (!spec) return spec.error();
    return blocked_bloom_filter::create(*spec);
}
inline result<blocked_bloom_anywhere_filter> make_blocked_bloom_anywhere_filter(std::uint64_t keys,
                                                                                double bits_per_key) {
    const auto spec = blocked_bloom_anywhere_spec_for_bits(keys, bits_per_key);
    if (!spec) return spec.error();
    return blocked_bloom_anywhere_filter::create(*spec);
}

MEMBRANE_TARGET_END
