// any_filter of kinds that grow, by their grower, and filters as multisets of numbers.
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <membrane/part/number_streams.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/registry.hpp>

#include "runtime/number_streams.hpp"

namespace membrane {

// ---- kinds that grow

namespace {

const grower& grower_of(const void* view) noexcept { return **static_cast<const grower* const*>(view); }

// While a filter grows, its view is a pointer to its grower. Estimates read all numbers.
double numbers_while_growing(const void* view) {
    std::uint64_t distinct = 0;
    const auto numbers = grower_of(view).numbers();
    while (numbers->next()) ++distinct;
    return static_cast<double>(distinct);
}

}  // namespace

kind_ops operations_while_growing(const kind_ops& settled) {
    kind_ops ops = settled;
    ops.check_payload = [](const void*) -> result<void> { return {}; };
    ops.may_contain = [](const void* view, key_hash hash) { return grower_of(view).may_contain(hash); };
    ops.may_contain_many = [](const void* view, std::span<const key_hash> hashes,
                              std::span<std::uint64_t> answers) {
        return grower_of(view).may_contain_many(hashes, answers);
    };
    ops.fill = [](const void* view) {
        const filter_spec& spec = grower_of(view).spec();
        return numbers_while_growing(view) /
               static_cast<double>(std::max<std::uint64_t>(1, spec.planned_keys));
    };
    ops.estimated_size = [](const void* view) { return numbers_while_growing(view); };
    ops.estimated_fpr_now = [](const void* view) {
        const filter_spec& spec = grower_of(view).spec();
        const grow_ops& grows = *find_entry(spec.kind)->ops_for(spec).grows;
        return numbers_while_growing(view) / static_cast<double>(grows.universe(spec));
    };
    ops.lookup_lines = nullptr;
    if (settled.counts != nullptr) {
        static constexpr count_ops counts{
            .estimate = [](const void* view, key_hash hash) { return grower_of(view).estimate(hash); },
            .largest_estimate = UINT64_MAX};
        ops.counts = &counts;
    }
    return ops;
}

void any_filter::bind_grower() noexcept {
    layouts_seen_ = grower_->layouts();
    if (!grower_->is_growing()) {
        const auto bytes = grower_->payload();
        growing_ = nullptr;
        bind(*kind_, grower_->spec(), hash_, keys_, bytes.data(), bytes.size());
        return;
    }
    spec_ = grower_->spec();
    ops_ = &kind_->ops_for(spec_).grows->while_growing();
    payload_ = nullptr;
    payload_bytes_ = 0;
    growing_ = grower_.get();
    const grower* const here = growing_;
    std::memcpy(view_, &here, sizeof here);
}

insertion any_filter::insert_growing(const key_hash& hash) noexcept {
    const insertion done = grower_->insert(hash);
    count(done == insertion::refused ? 0 : 1);
    follow_grower();
    return done;
}

std::size_t any_filter::insert_many_growing(std::span<const key_hash> hashes) noexcept {
    const std::size_t stored = grower_->insert_many(hashes);
    count(stored);
    follow_grower();
    return stored;
}

bool any_filter::erase_growing(const key_hash& hash) noexcept {
    const bool erased = grower_->erase(hash);
    follow_grower();
    return erased;
}

std::size_t any_filter::erase_many_growing(std::span<const key_hash> hashes) noexcept {
    const std::size_t erased = grower_->erase_many(hashes);
    uncount(erased);
    follow_grower();
    return erased;
}

result<void> any_filter::set_growth(const growth_policy& policy) noexcept {
    revive();
    if (!grower_) return unsupported("growth");
    if (auto checked = check_growth_policy(policy); !checked) return checked;
    grower_->policy() = policy;
    return {};
}

result<void> any_filter::reserve(std::uint64_t keys) {
    revive();
    if (!grower_) return unsupported("reserve");
    auto done = grower_->reserve(keys);
    follow_grower();
    return done;
}

result<void> any_filter::shrink_to_fit() {
    revive();
    if (!grower_) return unsupported("shrink_to_fit");
    auto done = grower_->shrink_to_fit();
    follow_grower();
    return done;
}

bool any_filter::advance_growth(std::uint64_t lines) noexcept {
    if (!grower_) return true;
    const bool is_done = grower_->advance(lines);
    follow_grower();
    return is_done;
}

result<void> any_filter::settle() {
    if (!grower_) return {};
    const bool is_done = grower_->settle();
    follow_grower();
    if (!is_done) return make_error(errc::out_of_memory, "filter bytes");
    return {};
}

result<any_filter> filter_of_numbers(const any_view& like, const filter_spec& layout, std::uint64_t keys,
                                     number_source_maker numbers, std::uint64_t max_bytes) {
    const grow_ops& grows = *like.kind().ops_for(layout).grows;
    auto made = any_filter::create(grows.layout_for(layout, grows.universe(layout), 1), like.hash());
    if (!made) return made;
    made->grower_->policy().max_bytes = max_bytes;
    if (auto filled = made->grower_->replace(layout, numbers); !filled) return filled.error();
    made->grower_->policy().max_bytes = UINT64_MAX;
    made->keys_ = keys;
    made->labels_ = like.labels();
    made->zero_keys_mean_zero_bytes_ = false;
    made->bind_grower();
    return made;
}

result<void> check_same_numbers(const any_view& a, const any_view& b) {
    if (a.spec().kind != b.spec().kind)
        return make_error(errc::spec_mismatch, "kind").with_note("only filters of one kind can be joined");
    for (const any_view* each : {&a, &b})
        if (each->universe() == 0)
            return make_error(errc::not_supported, "numbers")
                .with_note("only growable and erasable filters have them");
    if (auto alike = check_same_hash(a, b); !alike) return alike;
    if (!are_joinable_universes(a.universe(), b.universe()))
        return make_error(errc::spec_mismatch, "universe")
            .with_found(b.universe())
            .with_expected(a.universe())
            .with_note(
                "build both filters with the same rate, for the same most keys (tool: --fpr and --grow-to)");
    return {};
}

result<void> check_mergeable_numbers(const any_view& a, const any_view& b) {
    if (auto alike = check_same_numbers(a, b); !alike) return alike;
    const auto growth_of = [](const any_view& each) -> const grow_ops& {
        return *each.kind().ops_for(each.spec()).grows;
    };
    if (growth_of(a).is_multiset && !growth_of(b).is_multiset)
        return make_error(errc::spec_mismatch, "form")
            .with_found(b.spec()[growth_of(b).field])
            .with_expected(a.spec()[growth_of(a).field])
            .with_note("merge the erasable one into the growable one; keys cannot be erased from the result");
    return {};
}

result<void> any_filter::merge_numbers(std::span<const any_view* const> others) {
    std::uint64_t universe = this->universe();
    double planned_fpr = spec_.planned_fpr;
    for (const any_view* const other : others) {
        if (auto alike = check_mergeable_numbers(*this, *other); !alike) return alike;
        if (other->universe() >= universe) continue;
        // The rate belongs to the universe.
        universe = other->universe();
        planned_fpr = other->spec().planned_fpr;
    }
    try {
        if (const auto own = numbers(); !own) return own.error();
        for (const any_view* const other : others)
            if (const auto theirs = other->numbers(); !theirs) return theirs.error();
        const grow_ops& grows = *kind_->ops_for(spec_).grows;
        // A tree of sums: each number passes as many of them as the logarithm of the number of filters.
        const auto all = [&] {
            std::vector<stream> streams;
            streams.push_back(stream(*this).coarser(universe));
            for (const any_view* const other : others) streams.push_back(stream(*other).coarser(universe));
            while (streams.size() > 1) {
                std::vector<stream> sums;
                for (std::size_t i = 0; i + 1 < streams.size(); i += 2)
                    sums.push_back(
                        stream::sum(std::move(streams[i]), std::move(streams[i + 1]), grows.is_multiset));
                if (streams.size() % 2 != 0) sums.push_back(std::move(streams.back()));
                streams = std::move(sums);
            }
            return std::move(streams.front());
        };
        const number_count count = counted(all());
        const std::uint64_t needed = std::max<std::uint64_t>(1, count.cells);
        filter_spec layout = universe == this->universe() && needed <= spec_.planned_keys
                                 ? spec_
                                 : grows.layout_for(spec_, universe, needed);
        layout.planned_fpr = planned_fpr;
        if (auto done = grower_->replace(layout, [&] { return all().source(); }); !done) return done;
        for (const any_view* const other : others) {
            this->count(other->keys());
            labels_.merge(other->labels());
        }
        zero_keys_mean_zero_bytes_ = false;
        follow_grower();
        return {};
    } catch (const std::bad_alloc&) {
        return make_error(errc::out_of_memory, "numbers of the filters");
    }
}

}  // namespace membrane
