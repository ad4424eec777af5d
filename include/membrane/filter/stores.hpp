// The memory of a header-only filter, and its operations over hashes. view_store: one view over one buffer. growing_store: numbers that
// are laid out anew when there is no more room. typed.hpp adds the hash function, the count of keys and the calls over keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/insertion.hpp>
#include <membrane/base/target.hpp>
#include <membrane/base/threads.hpp>
#include <membrane/kind/balanced_rank/growth.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/part/key_batches.hpp>

MEMBRANE_TARGET_BEGIN

// Family: a kind's view.hpp. Variant: the index of the view type in its `types`.
template <class Family, std::size_t Variant>
class view_store {
public:
    using family = Family;
    using view_type = std::tuple_element_t<Variant, typename Family::types>;
    static constexpr std::size_t variant = Variant;

    static result<view_store> create(const filter_spec& spec) {
        const auto size = view_type::payload_bytes(spec);
        if (!size) return make_error(errc::size_overflow, "payload of this spec");
        return of_buffer(spec, aligned_buffer::zeroed(*size));
    }
    static result<view_store> copy_of(const filter_spec& spec, std::span<const std::byte> payload) {
        return of_buffer(spec, aligned_buffer::copy_of(payload));
    }
    result<view_store> copy() const { return copy_of(spec_, buffer_.bytes()); }
    // Without keys: for a filter that was moved from.
    static result<view_store> empty_like(const view_store& other) { return create(other.spec_); }

    const filter_spec& spec() const noexcept { return spec_; }
    const view_type& view() const noexcept { return view_; }
    view_type& view() noexcept { return view_; }
    std::span<const std::byte> payload() const noexcept { return buffer_.bytes(); }
    std::uint64_t held_bytes() const noexcept { return buffer_.size_bytes(); }

    insertion insert(const key_hash& hash) noexcept {
        return view_.insert(hash) ? insertion::inserted : insertion::refused;
    }
    insertion insert_if_absent(const key_hash& hash) noexcept {
        return view_.may_contain(hash) ? insertion::present : insert(hash);
    }
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        return membrane::insert_many(view_, hashes);
    }
    bool insert_all(const hash_batches& hashes, unsigned threads) noexcept {
        return membrane::insert_all(view_, hashes, threads);
    }
    template <class Hash = key_hash>
    bool may_contain(Hash&& hash) const noexcept {
        return view_.may_contain(std::forward<Hash>(hash));
    }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        return membrane::may_contain_many(view_, hashes, answers);
    }
    bool erase(const key_hash& hash) noexcept { return view_.erase(hash); }
    std::size_t erase_many(std::span<const key_hash> hashes) noexcept {
        return membrane::erase_many(view_, hashes);
    }
    std::uint64_t estimate(const key_hash& hash) const noexcept { return view_.estimate(hash); }

    result<void> check_alike(const view_store& other) const {
        if (is_comparable(other)) return {};
        return make_error(errc::spec_mismatch, "parameters")
            .with_note("create both filters for the same number of keys and rate");
    }
    result<void> merge(const view_store& other) {
        if (auto alike = check_alike(other); !alike) return alike;
        if constexpr (std::is_void_v<decltype(view_.merge(other.view_))>) {
            view_.merge(other.view_);
            return {};
        } else {
            return view_.merge(other.view_);
        }
    }
    void clear() noexcept { std::memset(buffer_.data(), 0, buffer_.size_bytes()); }
    double estimated_size() const { return view_.estimated_size(); }
    double estimated_fpr_now() const { return view_.estimated_fpr_now(); }

    // Whether equal keys make them equal.
    bool is_comparable(const view_store& other) const noexcept { return spec_.fields == other.spec_.fields; }
    friend bool operator==(const view_store& a, const view_store& b) noexcept {
        return a.is_comparable(b) && a.buffer_.size_bytes() == b.buffer_.size_bytes() &&
               std::memcmp(a.buffer_.data(), b.buffer_.data(), a.buffer_.size_bytes()) == 0;
    }

private:
    view_store(const filter_spec& spec, aligned_buffer buffer)
        : spec_(spec), buffer_(std::move(buffer)), view_(spec_, buffer_.data()) {}
    static result<view_store> of_buffer(const filter_spec& spec, result<aligned_buffer>&& buffer) {
        if (!buffer) return buffer.error();
        return view_store(spec, std::move(*buffer));
    }

    filter_spec spec_;
    aligned_buffer buffer_;
    view_type view_;
};

// A set of numbers (growable) or a multiset (erasable).
template <std::uint64_t Form>
class growing_store : public rank_growth<number_rank_view<Form == balanced_rank_form::erasable>> {
    static_assert(has_universe(Form));
    using base = rank_growth<number_rank_view<Form == balanced_rank_form::erasable>>;

public:
    using family = balanced_rank_family;
    using view_type = number_rank_view<Form == balanced_rank_form::erasable>;
    static constexpr std::size_t variant = Form;

    static result<growing_store> create(const filter_spec& spec) { return of_numbers(base::create(spec)); }
    static result<growing_store> copy_of(const filter_spec& spec, std::span<const std::byte> payload) {
        auto buffer = aligned_buffer::copy_of(payload);
        if (!buffer) return buffer.error();
        return growing_store(base(spec, std::move(*buffer)));
    }
    result<growing_store> copy() const {
        if (!this->is_growing()) {
            auto made = copy_of(this->spec(), this->buffer().bytes());
            if (made) made->policy() = this->policy();
            return made;
        }
        MEMBRANE_TRY {
            return of_numbers(base::from_numbers(this->spec(), this->policy(), [&] {
                return [numbers = typename base::cursor(*this)]() mutable { return numbers.next(); };
            }));
        }
        MEMBRANE_CATCH(const std::bad_alloc&) { return make_error(errc::out_of_memory, "copy of a filter"); }
    }
    static result<growing_store> empty_like(const growing_store& other) {
        auto made = create(other.layout_of(0));
        if (made) made->policy() = other.policy();
        return made;
    }

    std::span<const std::byte> payload() const noexcept { return this->buffer().bytes(); }
    insertion insert_if_absent(const key_hash& hash) noexcept {
        // A set: inserting a number that is present changes nothing and returns `present`.
        if constexpr (Form == balanced_rank_form::erasable)
            if (this->may_contain(hash)) return insertion::present;
        return this->insert(hash);
    }
    bool insert_all(const hash_batches& hashes, unsigned threads) noexcept {
        return this->build(hashes, threads);
    }
    double estimated_size() const {
        return this->is_growing() ? static_cast<double>(this->count_numbers().distinct)
                                  : this->view().estimated_size();
    }
    double estimated_fpr_now() const {
        return static_cast<double>(this->is_growing() ? this->count_numbers().distinct
                                                      : this->view().distinct_entries()) /
               static_cast<double>(this->universe());
    }

    bool is_comparable(const growing_store& other) const noexcept {
        return this->universe() == other.universe();
    }
    // The same numbers of the same universe, whatever the layouts.
    friend bool operator==(const growing_store& a, const growing_store& b) {
        if (!a.is_comparable(b)) return false;
        typename base::cursor left(a), right(b);
        for (;;) {
            const auto x = left.next(), y = right.next();
            if (!x || !y) return !x && !y;
            if (x->number != y->number || x->times != y->times) return false;
        }
    }

private:
    explicit growing_store(base&& numbers) : base(std::move(numbers)) {}
    static result<growing_store> of_numbers(result<base>&& numbers) {
        if (!numbers) return numbers.error();
        return growing_store(std::move(*numbers));
    }
};

MEMBRANE_TARGET_END
