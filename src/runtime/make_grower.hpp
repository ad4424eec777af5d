// The group of operations of kinds that grow, made from the kind's own class (kind/balanced_rank/growth.hpp).
#pragma once

#include <memory>
#include <utility>

#include <membrane/kind/balanced_rank/growth.hpp>
#include <membrane/runtime/grower.hpp>
#include <membrane/runtime/kind_ops.hpp>

#include "runtime/make_ops.hpp"

MEMBRANE_TARGET_BEGIN

template <class Cursor>
class cursor_source final : public number_source {
public:
    explicit cursor_source(Cursor cursor) : cursor_(std::move(cursor)) {}
    std::optional<counted_number> next() override { return cursor_.next(); }

private:
    Cursor cursor_;
};

template <class View>
class rank_grower final : public grower {
    using cursor = typename rank_growth<View>::cursor;

public:
    rank_grower(const filter_spec& spec, aligned_buffer payload) : filter_(spec, std::move(payload)) {}

    insertion insert(key_hash hash) noexcept override { return filter_.insert(hash); }
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept override {
        return filter_.insert_many(hashes);
    }
    bool erase([[maybe_unused]] key_hash hash) noexcept override {
        if constexpr (View::keeps_equal) return filter_.erase(hash);
        return false;
    }
    std::size_t erase_many([[maybe_unused]] std::span<const key_hash> hashes) noexcept override {
        if constexpr (View::keeps_equal) return filter_.erase_many(hashes);
        return 0;
    }
    bool may_contain(key_hash hash) const noexcept override { return filter_.may_contain(hash); }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept override {
        return filter_.may_contain_many(hashes, answers);
    }
    std::uint64_t estimate([[maybe_unused]] key_hash hash) const noexcept override {
        if constexpr (View::keeps_equal) return filter_.estimate(hash);
        return 0;
    }
    std::unique_ptr<number_source> numbers() const override {
        return std::make_unique<cursor_source<cursor>>(cursor(filter_));
    }
    result<void> reserve(std::uint64_t keys) override { return filter_.reserve(keys); }
    result<void> shrink_to_fit() override { return filter_.shrink_to_fit(); }
    result<std::uint64_t> lower_rate(double fpr) override { return filter_.lower_rate(fpr); }
    result<void> replace(const filter_spec& layout, number_source_maker numbers) override {
        return filter_.replace(layout, [&] { return [source = numbers()] { return source->next(); }; });
    }
    bool advance(std::uint64_t lines) noexcept override { return filter_.advance(lines); }
    bool settle() noexcept override { return filter_.settle(); }
    void clear() noexcept override { filter_.clear(); }
    error refusal() const noexcept override { return filter_.refusal(); }
    std::uint64_t lines_moved() const noexcept override { return filter_.lines_moved(); }
    growth_policy& policy() noexcept override { return filter_.policy(); }
    const filter_spec& spec() const noexcept override { return filter_.spec(); }
    bool is_growing() const noexcept override { return filter_.is_growing(); }
    std::span<std::byte> payload() noexcept override { return filter_.buffer().bytes(); }
    std::uint64_t layouts() const noexcept override { return filter_.layouts(); }

private:
    rank_growth<View> filter_;
};

// The operations of a form that grows.
template <class View>
kind_ops make_growing_ops();

template <class View>
inline constexpr grow_ops grows_of{
    .make = [](const filter_spec& spec, aligned_buffer payload) -> std::unique_ptr<grower> {
        return std::make_unique<rank_grower<View>>(spec, std::move(payload));
    },
    .numbers = [](const void* view) -> std::unique_ptr<number_source> {
        return std::make_unique<cursor_source<number_cursor<View>>>(
            number_cursor<View>(*static_cast<const View*>(view)));
    },
    .layout_for =
        [](const filter_spec& like, std::uint64_t universe, std::uint64_t keys) {
            filter_spec layout = number_layout(like[balanced_rank_field::form], universe, keys);
            layout.planned_fpr = like.planned_fpr;
            return layout;
        },
    .universe = [](const filter_spec& spec) { return spec[balanced_rank_field::universe]; },
    .is_multiset = View::keeps_equal,
    .field = balanced_rank_field::form,
    .while_growing = []() -> const kind_ops& {
        static const kind_ops ops = operations_while_growing(make_growing_ops<View>());
        return ops;
    },
};

template <class View>
kind_ops make_growing_ops() {
    kind_ops ops = make_ops<View>();
    ops.grows = &grows_of<View>;
    return ops;
}

MEMBRANE_TARGET_END
