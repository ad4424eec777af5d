#include "inlined/rows.hpp"

#include <utility>

#include <membrane/filter/filters.hpp>

namespace bench {
namespace {

using namespace membrane::timing;

enum class asks : bool { hashes, texts };

template <class Filter, asks How>
class inlined_subject : public subject {
public:
    inlined_subject(const inlined_row& row, Filter filter) : row_(row), filter_(std::move(filter)) {}

    std::string name() const override { return row_.name; }
    double size_bytes() const override { return static_cast<double>(filter_.size_bytes()); }
    double predicted_fpr() const override { return row_.predicted_fpr; }
    double fpr_stddev_between() const override { return row_.fpr_stddev_between; }

    bool can(column which) const override {
        return which == insert_one || which == hit_one || which == miss_one ||
               (How == asks::hashes && (which == hit_batch || which == miss_batch));
    }
    void clear() override { filter_.clear(); }

    std::uint64_t perform(column which, const key_set& keys) override {
        if constexpr (How == asks::hashes)
            return perform_on(which, std::span<const membrane::key_hash>(keys.hashes()));
        else return perform_on(which, keys.texts());
    }

protected:
    membrane::hasher hash() const override { return row_.hash; }

private:
    template <class Keys>
    std::uint64_t perform_on(column which, const Keys& keys) {
        if (which == insert_one) return inserted(filter_, keys);
        if constexpr (How == asks::hashes)
            if (which == hit_batch || which == miss_batch) return present_in_batches(filter_, keys);
        return present(filter_, keys);
    }
    // Separate functions: in one function, the variables of both loops would not fit into registers.
    template <class Keys>
    [[gnu::noinline]] static std::uint64_t inserted(Filter& filter, const Keys& keys) {
        std::uint64_t done = 0;
        for (const auto& key : keys) {
            filter.insert(key);
            ++done;
        }
        return done;
    }
    template <class Keys>
    [[gnu::noinline]] static std::uint64_t present(const Filter& filter, const Keys& keys) {
        std::uint64_t done = 0;
        for (const auto& key : keys) done += filter.may_contain(key) ? 1 : 0;
        return done;
    }

    inlined_row row_;
    Filter filter_;
};

template <class Filter, asks How>
std::unique_ptr<subject> made(const inlined_row& row) {
    auto filter = Filter::try_create(row.spec, row.hash);
    if (!filter) return nullptr;
    return std::make_unique<inlined_subject<Filter, How>>(row, std::move(*filter));
}

}  // namespace

std::unique_ptr<subject> inlined_blocked_bloom(const inlined_row& row) {
    return made<membrane::blocked_bloom_filter, asks::hashes>(row);
}
std::unique_ptr<subject> inlined_balanced_rank(const inlined_row& row) {
    switch (row.spec[membrane::balanced_rank_field::form]) {
        case membrane::balanced_rank_form::fixed:
            return made<membrane::fixed_balanced_rank_filter, asks::hashes>(row);
        case membrane::balanced_rank_form::growable:
            return made<membrane::balanced_rank_filter, asks::hashes>(row);
        default: return made<membrane::erasable_balanced_rank_filter, asks::hashes>(row);
    }
}
std::unique_ptr<subject> inlined_bloom_of_keys(const inlined_row& row) {
    return made<membrane::double_hashed_bloom_filter, asks::texts>(row);
}

}  // namespace bench
