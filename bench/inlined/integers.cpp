#include "inlined/integers.hpp"

#include <algorithm>
#include <ctime>
#include <span>
#include <utility>

#include <membrane/filter/filters.hpp>

#include "timing/stopwatch.hpp"

namespace bench {
namespace {

using namespace membrane;

// Processor time, in which other programs of the machine do not count.
template <class Work>
double ns_per(std::size_t operations, const Work& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) * (1e9 / CLOCKS_PER_SEC) /
           static_cast<double>(operations);
}

// Integers without a pattern, so that a hash gains nothing from one.
std::uint64_t key_number(std::uint64_t i) { return finalise64(i * 0x9e3779b97f4a7c15 + 1); }

struct asked_integers {
    std::vector<std::uint64_t> strangers, keys;

    asked_integers(std::uint64_t stored, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            strangers.push_back(key_number(stored + i));
            keys.push_back(key_number(finalise64(i) % stored));
        }
    }
};

constexpr hash_key fixed_key{0x243f6a8885a308d3, 0x13198a2e03707344};

// The hash of older files as it was when programs used it: inlined.
struct inlined_mix {
    key_hash operator()(std::uint64_t number) const noexcept { return integer_mix(fixed_key, number); }
};

std::vector<key_hash> hashes_of(const hasher& hash, std::span<const std::uint64_t> numbers) {
    std::vector<key_hash> hashes(numbers.size());
    hash.hash_all(numbers, hashes.data());
    return hashes;
}

template <class Filter>
class measured_filter {
public:
    measured_filter(Filter filter, std::uint64_t keys) : filter_(std::move(filter)) {
        std::vector<std::uint64_t> piece;
        for (std::uint64_t done = 0; done < keys; done += piece.size()) {
            piece.clear();
            for (std::uint64_t i = done; i < std::min(keys, done + 100'000); ++i)
                piece.push_back(key_number(i));
            is_whole_ = filter_.try_insert_many(piece).has_value() && is_whole_;
        }
    }
    bool is_whole() const { return is_whole_; }
    const auto& hash() const { return filter_.hash(); }

    template <class Key>
    void measure(std::span<const Key> strangers, std::span<const Key> keys, integer_way& way) {
        const auto one = [&](std::span<const Key> all) { return one_by_one(all); };
        const auto batch = [&](std::span<const Key> all) { return in_batches(all); };
        measure_column(strangers, one, way.ns[stranger_one]);
        check(measure_column(keys, one, way.ns[key_one]), keys.size());
        measure_column(strangers, batch, way.ns[stranger_batch]);
        check(measure_column(keys, batch, way.ns[key_batch]), keys.size());
    }

private:
    // A small filter takes up to 50 ms until it has replaced the one measured before in the caches; a large one does not stay in them.
    template <class Key, class Ask>
    std::size_t measure_column(std::span<const Key> keys, const Ask& ask, std::vector<double>& ns) const {
        std::size_t found = 0;
        for (int pass = 0; pass < (filter_.keys() > 10'000'000 ? 1 : 32); ++pass) {
            found = ask(keys);
            timing::keep(found);  // else one pass would do for all
        }
        ns.push_back(ns_per(keys.size(), [&] { found = ask(keys); }));
        timing::keep(found);
        return found;
    }
    void check(std::size_t found, std::size_t wanted) { is_whole_ = is_whole_ && found == wanted; }

    // Separate functions: in one, the variables of both loops would not fit into registers.
    template <class Key>
    [[gnu::noinline]] std::size_t one_by_one(std::span<const Key> keys) const {
        std::size_t found = 0;
        for (const Key& key : keys) found += filter_.may_contain(key) ? 1 : 0;
        return found;
    }
    template <class Key>
    [[gnu::noinline]] std::size_t in_batches(std::span<const Key> keys) const {
        constexpr std::size_t batch = 4096;
        std::uint64_t answers[batch / 64];
        std::size_t found = 0;
        for (; !keys.empty(); keys = keys.subspan(std::min(batch, keys.size())))
            found += filter_.may_contain_many(keys.first(std::min(batch, keys.size())), answers);
        return found;
    }

    Filter filter_;
    bool is_whole_ = true;
};

// A filter whose lookups know nothing of its layout before they run.
class any_layout_filter {
public:
    explicit any_layout_filter(balanced_rank_filter filter)
        : filter_(std::move(filter)), view_(filter_.view()) {}

    auto try_insert_many(std::span<const std::uint64_t> keys) { return filter_.try_insert_many(keys); }
    std::uint64_t keys() const { return filter_.keys(); }
    const auto& hash() const { return filter_.hash(); }
    bool may_contain(const key_hash& hash) const noexcept { return view_.may_contain(hash); }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        return view_.may_contain_many(hashes, answers);
    }

private:
    class view : public growable_rank_view {
    public:
        explicit view(const growable_rank_view& other) : growable_rank_view(other) {}
        using walk = walk_of<layout_class::any, false>;
        bool may_contain(const key_hash& hash) const noexcept { return walk(*this).may_contain<true>(hash); }
        std::size_t may_contain_many(std::span<const key_hash> hashes,
                                     std::span<std::uint64_t> answers) const noexcept {
            return look_up_many(walk(*this), hashes, answers);
        }
    };

    balanced_rank_filter filter_;
    view view_;  // of the filter's bytes: it has room for all keys and does not grow
};

template <class Shape>
integer_ways measure_ways(std::uint64_t keys, double fpr, int rounds) {
    const asked_integers asked(keys, keys > 10'000'000 ? 4'000'000 : 1'000'000);
    const auto spec = Shape::spec_for(keys, fpr);
    if (!spec) return {};
    auto folding = typed_filter<Shape>::try_create(*spec, hasher{hash_id::fold, fixed_key});
    auto mixing = typed_filter<Shape, inlined_mix>::try_create(*spec);
    if (!folding || !mixing) return {};
    measured_filter fold(std::move(*folding), keys);
    measured_filter mix(std::move(*mixing), keys);
    const auto strangers = hashes_of(fold.hash(), asked.strangers);
    const auto present = hashes_of(fold.hash(), asked.keys);
    integer_ways ways{{"precomputed", {}}, {name_of(hash_id::fold), {}}, {name_of(hash_id::mix), {}}};
    for (int round = 0; round < rounds; ++round) {
        fold.template measure<key_hash>(strangers, present, ways[0]);
        fold.template measure<std::uint64_t>(asked.strangers, asked.keys, ways[1]);
        mix.template measure<std::uint64_t>(asked.strangers, asked.keys, ways[2]);
    }
    if (!fold.is_whole() || !mix.is_whole()) return {};
    return ways;
}

}  // namespace

integer_ways integers_in_blocked_bloom(std::uint64_t keys, double fpr, int rounds) {
    return measure_ways<shape::blocked_bloom>(keys, fpr, rounds);
}
integer_ways integers_in_balanced_rank(std::uint64_t keys, double fpr, int rounds) {
    return measure_ways<shape::growing_rank<balanced_rank_form::growable>>(keys, fpr, rounds);
}

integer_ways layouts_in_balanced_rank(std::uint64_t keys, double fpr, int rounds) {
    const asked_integers asked(keys, keys > 10'000'000 ? 4'000'000 : 1'000'000);
    const hasher hash{hash_id::fold, fixed_key};
    const auto filter = [&] { return balanced_rank_filter::try_create(keys, fpr, hash); };
    auto first = filter(), second = filter();
    if (!first || !second) return {};
    measured_filter known(std::move(*first), keys);
    measured_filter any(any_layout_filter(std::move(*second)), keys);
    const auto strangers = hashes_of(hash, asked.strangers), present = hashes_of(hash, asked.keys);
    integer_ways ways{{"its class", {}}, {"any layout", {}}};
    for (int round = 0; round < rounds; ++round) {
        known.measure<key_hash>(strangers, present, ways[0]);
        any.measure<key_hash>(strangers, present, ways[1]);
    }
    if (!known.is_whole() || !any.is_whole()) return {};
    return ways;
}

}  // namespace bench
