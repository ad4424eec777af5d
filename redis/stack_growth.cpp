#include "stack_growth.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <membrane/base/checked_math.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>
#include <membrane/kind/blocked_bloom/sizing.hpp>
#include <membrane/kind/bloom/spec.hpp>
#include <membrane/kind/counting_bloom/spec.hpp>
#include <membrane/kind/rank/sizing.hpp>
#include <membrane/runtime/planner.hpp>

#include "memory.hpp"

namespace membrane::redis {

namespace {

struct sizing_request {
    const kind_entry* kind = nullptr;
    plan::given_fields given{};
    std::uint64_t keys = 0;
    double fpr = 0;

    bool is_given_alone(std::size_t field) const {
        return given.is_given.count() == 1 && given.is_given[field];
    }
};

// Without the planner.
std::optional<result<filter_spec>> size_without_planner(const sizing_request& request) {
    const kind_id kind = request.kind->rules.id;
    if (kind == kind_id::balanced_rank && request.is_given_alone(balanced_rank_field::form) &&
        request.given.spec[balanced_rank_field::form] == balanced_rank_form::fixed)
        return balanced_rank_fixed_spec_for(request.keys, request.fpr);
    if (request.given.is_given.any()) return std::nullopt;
    switch (kind) {
        case kind_id::bloom: return bloom_spec_for(request.keys, request.fpr);
        case kind_id::counting_bloom: return counting_bloom_spec_for(request.keys, request.fpr);
        case kind_id::blocked_bloom: return blocked_bloom_spec_for(request.keys, request.fpr);
        case kind_id::rank: return rank_spec_for(request.keys, request.fpr);
        case kind_id::balanced_rank: return balanced_rank_growable_spec_for(request.keys, request.fpr);
        default: return std::nullopt;
    }
}

// The planner takes at most six tenths of a millisecond for these, up to forty milliseconds for others.
bool is_planned_quickly(const sizing_request& request) {
    constexpr double most_probes = 16;
    const kind_id kind = request.kind->rules.id;
    if (kind != kind_id::bloom && kind != kind_id::counting_bloom) return false;
    const double probes = request.given.is_given[flat_field::k]
                              ? static_cast<double>(request.given.spec[flat_field::k])
                              : -std::log2(request.fpr);
    return probes <= most_probes;
}

result<filter_spec> size_given_kind(const sizing_request& request) {
    auto made = size_without_planner(request);
    if (!made && !is_planned_quickly(request))
        return make_error(errc::not_supported, "kind")
            .with_note(
                "planning it would keep all clients waiting; `membrane build` does it, and "
                "`membrane push` loads the filter");
    if (!made) {
        plan::requirement wanted;
        wanted.keys = request.keys;
        wanted.fpr = request.fpr;
        const auto decided = choose(request.kind, request.given, wanted);
        made = decided ? result<filter_spec>(decided->spec) : result<filter_spec>(decided.error());
    }
    if (*made) (**made).planned_keys = request.keys;
    return *made;
}

double rate_of_given_kind(const stack_options& options, std::size_t index) {
    if (options.expansion == 0) return options.error_rate;
    const auto i = static_cast<double>(index);
    return options.error_rate / ((i + 1) * (i + 2));
}

// first_keys * expansion ^ index
std::optional<std::uint64_t> keys_of_given_kind(const stack_options& options, std::size_t index) {
    std::optional<std::uint64_t> keys = options.first_keys;
    for (std::size_t i = 0; i < index && keys; ++i) keys = checked_multiply(*keys, options.expansion);
    return keys;
}

// A filter that may grow does so up to this many keys at least.
constexpr std::uint64_t least_promise = 1000;

error too_many_numbers(stack_role role) {
    return make_error(errc::bad_field, "fpr")
        .with_note(role == stack_role::membership
                       ? "keys / rate are more than the 2^54 numbers that a filter tells apart; KIND bloom "
                         "has no such limit"
                       : "keys / rate are more than the 2^54 numbers that a filter tells apart");
}

// `keys` at first, and a promise of as much of grow_to as can be.
result<filter_spec> size_numbers(stack_role role, std::uint64_t keys, double fpr, std::uint64_t grow_to) {
    const auto least = static_cast<double>(grow_to > keys ? std::max(keys, least_promise) : keys);
    const auto most = static_cast<double>(most_universe);
    if (least / fpr > most * (1 + 1e-12)) return too_many_numbers(role);
    const double numbers = std::min(static_cast<double>(grow_to) / fpr, most);
    const std::uint64_t universe =
        std::max(universe_of_at_least(numbers), std::uint64_t{1} << least_universe_halvings);
    const bool is_multiset = role == stack_role::erasable;
    // Capacities are often more than the keys that come: a filter that may have the size of some pages begins as a list.
    constexpr std::uint64_t most_list_sizes = 16;
    if (keys <= most_list_sizes * few_numbers::most_keys(universe))
        return few_numbers::spec_of_few(is_multiset, universe, fpr);
    // A growth would begin a little before a layout for exactly these keys has them all.
    const std::uint64_t room = grow_to > keys ? keys + keys / 16 : keys;
    filter_spec spec =
        number_layout_in_block(is_multiset ? balanced_rank_form::erasable : balanced_rank_form::growable,
                               universe, room, &block_bytes);
    if (spec[balanced_rank_field::lines] == 0)
        return make_error(errc::size_overflow, "lines").with_note("ask for fewer keys");
    spec.planned_fpr = fpr;
    return spec;
}

// The next link of a filter that grew beyond its promise.
result<filter_spec> next_numbers(const filter_stack& stack) {
    constexpr std::uint64_t later_growth = 16, share_at_first = 64;
    const double left = stack.options().error_rate - stack.promised_fpr();
    const auto links = static_cast<double>(stack.filters());
    // A stack may have been loaded whose links were planned for no rate, or for more than the whole.
    const double fpr = left > 0 ? left / 2 : stack.options().error_rate / ((links + 1) * (links + 2));
    const std::uint64_t promised = stack.promised_keys();
    const std::uint64_t grow_to =
        std::max(least_promise, checked_multiply(promised, later_growth).value_or(UINT64_MAX));
    std::uint64_t universe = universe_of_at_least(
        std::min(static_cast<double>(grow_to) / fpr, static_cast<double>(most_universe)));
    const bool is_multiset = stack.options().role == stack_role::erasable;
    if (is_multiset) {
        // The older link's universe times a power of two, which erasing in a stack needs (filter_stack.hpp).
        const std::uint64_t older =
            stack.few() != nullptr ? stack.few()->universe() : stack.links().back().filter.universe();
        if (older == 0) return make_error(errc::full, "stack").with_note("its newest link does not grow");
        std::uint64_t multiple = older;
        while (multiple < universe && multiple <= most_universe / 2) multiple *= 2;
        universe = multiple;
    }
    const auto keys = std::clamp(promised / share_at_first, least_promise, std::uint64_t{1'000'000});
    if (static_cast<double>(universe) * fpr < static_cast<double>(least_promise))
        return too_many_numbers(stack.options().role);
    filter_spec spec =
        number_layout_in_block(is_multiset ? balanced_rank_form::erasable : balanced_rank_form::growable,
                               universe, keys, &block_bytes);
    if (spec[balanced_rank_field::lines] == 0) return make_error(errc::size_overflow, "lines");
    spec.planned_fpr = fpr;
    return spec;
}

// promised_growth times `keys`, or half of it, a quarter and so on, as long as that is more than can come into max_bytes. A power of two,
// so that filters of equal capacity can be merged, whatever the limits of their servers.
std::uint64_t usual_promise(std::uint64_t keys, double fpr, std::uint64_t max_bytes) {
    constexpr double least_overhead = 3;  // bits for each key above log2(1 / fpr)
    const double most_keys = 8 * static_cast<double>(max_bytes) / (least_overhead - std::log2(fpr));
    std::uint64_t growth = promised_growth;
    while (growth > 1 && static_cast<double>(keys) * static_cast<double>(growth / 2) >= most_keys)
        growth /= 2;
    return checked_multiply(keys, growth).value_or(UINT64_MAX);
}

}  // namespace

result<filter_spec> first_link_spec(const stack_options& options, const link_request& wanted,
                                    std::uint64_t max_bytes) {
    if (wanted.kind != nullptr && options.role == stack_role::membership)
        return size_given_kind(
            {wanted.kind, wanted.given, options.first_keys, rate_of_given_kind(options, 0)});
    const bool is_scaling = options.expansion != 0;
    const double fpr = is_scaling ? options.error_rate * 3 / 4 : options.error_rate;
    const std::uint64_t grow_to = !is_scaling           ? options.first_keys
                                  : wanted.grow_to != 0 ? wanted.grow_to
                                                        : usual_promise(options.first_keys, fpr, max_bytes);
    return size_numbers(options.role, options.first_keys, fpr, std::max(grow_to, options.first_keys));
}

result<filter_spec> next_link_spec(const filter_stack& stack) {
    const stack_options& options = stack.options();
    if (options.expansion == 0 || stack.filters() == max_links)
        return make_error(errc::full, "stack").with_found(stack.filters());
    const bool has_given_kind =
        options.has_given_kind && options.role == stack_role::membership && stack.few() == nullptr;
    if (!has_given_kind) return next_numbers(stack);
    const auto keys = keys_of_given_kind(options, stack.filters());
    if (!keys) return make_error(errc::size_overflow, "keys of the next link");
    return size_given_kind(
        {&stack.links().back().filter.kind(), {}, *keys, rate_of_given_kind(options, stack.filters())});
}

}  // namespace membrane::redis
