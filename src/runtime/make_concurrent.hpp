// The engine of kinds that many threads can use at once, made from the kind's own class.
#pragma once

#include <memory>
#include <new>
#include <utility>

#include <membrane/runtime/concurrent_engine.hpp>
#include <membrane/runtime/kind_ops.hpp>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

template <class Filter>
class concurrent_engine_of final : public concurrent_engine {
public:
    explicit concurrent_engine_of(std::unique_ptr<Filter> filter) : filter_(std::move(filter)) {}

    bool may_contain(key_hash hash) const noexcept override { return filter_->may_contain(hash); }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept override {
        return filter_->may_contain_many(hashes, answers);
    }
    insertion insert(key_hash hash) noexcept override { return filter_->insert(hash); }
    insertion insert_if_absent(key_hash hash) noexcept override { return filter_->insert_if_absent(hash); }
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept override {
        return filter_->insert_many(hashes);
    }
    bool can_erase() const noexcept override { return Filter::can_erase; }
    bool erase([[maybe_unused]] key_hash hash) noexcept override {
        if constexpr (Filter::can_erase) return filter_->erase(hash);
        return false;
    }
    std::size_t erase_many([[maybe_unused]] std::span<const key_hash> hashes) noexcept override {
        if constexpr (Filter::can_erase) return filter_->erase_many(hashes);
        return 0;
    }
    std::uint64_t estimate([[maybe_unused]] key_hash hash) const noexcept override {
        if constexpr (Filter::can_count) return filter_->estimate(hash);
        return 0;
    }
    const filter_spec& spec() const noexcept override { return filter_->spec(); }
    std::uint64_t keys() const noexcept override { return filter_->keys(); }
    std::uint64_t held_bytes() const noexcept override { return filter_->held_bytes(); }
    result<filter_copy> copy() override { return filter_->copy(); }
    result<double> estimated_size() override { return filter_->estimated_size(); }
    result<double> estimated_fpr_now() override { return filter_->estimated_fpr_now(); }
    result<void> reserve([[maybe_unused]] std::uint64_t keys) override {
        if constexpr (requires { filter_->reserve(keys); }) return filter_->reserve(keys);
        else return make_error(errc::not_supported, "reserve");
    }

private:
    std::unique_ptr<Filter> filter_;
};

template <class Filter>
inline constexpr concurrent_ops concurrent_of{
    .make = [](const filter_spec& spec, aligned_buffer payload, const growth_policy& policy,
               std::uint64_t keys) -> result<std::unique_ptr<concurrent_engine>> {
        auto filter = Filter::of(spec, std::move(payload), policy, keys);
        if (!filter) return filter.error();
        std::unique_ptr<concurrent_engine> made(new (std::nothrow)
                                                    concurrent_engine_of<Filter>(std::move(*filter)));
        if (!made) return make_error(errc::out_of_memory, "filter");
        return made;
    },
};

MEMBRANE_TARGET_END
