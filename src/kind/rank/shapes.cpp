#include "kind/rank/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace membrane::plan {

namespace {

namespace field = rank_field;
using model::rank_shape;

constexpr double most_mean_load = 512;

double size_of(const rank_shape& shape) {
    const auto storage = model::rank_storage_of(shape);
    return storage ? static_cast<double>(storage->size_bits) : std::numeric_limits<double>::infinity();
}
double rate_of(const rank_shape& shape, std::uint64_t keys) {
    const auto rate = model::rank_fpr_exact(shape, keys);
    return rate ? *rate : 1;
}

rank_shape base_shape(std::uint64_t buckets, std::uint64_t chains, std::uint64_t bits,
                      const rank_wishes& wishes) {
    rank_shape shape;
    shape.buckets = buckets;
    shape.chains = chains;
    shape.fingerprint_bits = bits;
    shape.value_bits = wishes.value_bits;
    return shape;
}

std::uint64_t least_buckets(const rank_wishes& wishes) {
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(wishes.keys) / most_mean_load));
}

std::vector<std::uint64_t> chains_to_try(const rank_wishes& wishes) {
    if (wishes.gives(field::chains)) return {wishes.spec[field::chains]};
    if (wishes.keys > 1000) return {64};
    // With few keys, perhaps in a single bucket, the base bits are a large part of the size: try many numbers of chains.
    return {64, 56, 48, 40, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1};
}

std::vector<std::uint64_t> bits_to_try(double about, const rank_wishes& wishes) {
    if (wishes.gives(field::fingerprint_bits)) return {wishes.spec[field::fingerprint_bits]};
    const auto most = static_cast<double>(wishes.most_fingerprint_bits());
    const double first = std::clamp(std::floor(about), 1.0, most);
    std::vector<std::uint64_t> bits;
    for (double each = first; each < first + 5 && each <= most; ++each)
        bits.push_back(static_cast<std::uint64_t>(each));
    return bits;
}

// For many keys, R and L of the best shape hardly depend on their number: the full search (50 ms) runs for a few numbers of keys
// only and is cached.
std::optional<rank_shape> best_of_all(std::uint64_t keys, double fpr, std::uint64_t value_bits) {
    using key_of_search = std::tuple<std::uint64_t, double, std::uint64_t>;
    static std::mutex guard;
    static std::map<key_of_search, rank_shape> known;
    const std::uint64_t like = keys <= 4096      ? keys
                               : keys <= 30'000  ? 12'000
                               : keys <= 300'000 ? 100'000
                                                 : 1'000'000;
    const key_of_search key{like, fpr, value_bits};
    {
        const std::lock_guard<std::mutex> lock(guard);
        if (const auto found = known.find(key); found != known.end()) return found->second;
    }
    const auto best = model::best_rank_shape({.n = like,
                                              .fpr = fpr,
                                              .overflow = rank_overflow_chance,
                                              .value_bits = value_bits,
                                              .rule = model::overflow_rule::bound});
    if (!best) return std::nullopt;
    const std::lock_guard<std::mutex> lock(guard);
    if (known.size() > 1000) known.clear();
    known[key] = best->shape;
    return best->shape;
}

std::optional<rank_shape> shape_with_all_fields_free(double fpr, const rank_wishes& wishes) {
    const auto similar = best_of_all(wishes.keys, fpr, wishes.value_bits);
    if (!similar || wishes.keys <= 4096) return similar;
    const auto best = model::best_rank_shape({.n = wishes.keys,
                                              .fpr = fpr,
                                              .overflow = rank_overflow_chance,
                                              .value_bits = wishes.value_bits,
                                              .rule = model::overflow_rule::bound,
                                              .fingerprint_bits = similar->fingerprint_bits,
                                              .chains = similar->chains});
    if (!best) return std::nullopt;
    return best->shape;
}

// The most buckets whose shape fits into that many bits; empty if not even the fewest do.
std::optional<rank_shape> most_buckets_within(double size_bits, std::uint64_t chains, std::uint64_t bits,
                                              const rank_wishes& wishes) {
    const auto shape_with = [&](double buckets) {
        return with_cells(base_shape(static_cast<std::uint64_t>(buckets), chains, bits, wishes), wishes);
    };
    double low = static_cast<double>(least_buckets(wishes));
    std::optional<rank_shape> best = shape_with(low);
    if (!best || size_of(*best) > size_bits) return std::nullopt;
    double low_size = size_of(*best);
    // A bucket has at least its chain bits.
    double high = std::min(std::floor(size_bits / static_cast<double>(chains)) + 1,
                           static_cast<double>(most_rank_buckets));
    double high_size = 0;  // unknown
    for (int step = 0; step < 40 && high - low > std::max(1.0, low * 1e-5); ++step) {
        // Slightly to either side of where the line through the known sizes crosses the limit.
        const double slope = high_size > 0 ? (high_size - low_size) / (high - low)
                                           : static_cast<double>(chains) + static_cast<double>(bits);
        double guess = low + (size_bits - low_size) / slope;
        guess = step % 3 == 2 ? (low + high) / 2 : guess * (step % 2 == 0 ? 1 - 2e-5 : 1 + 2e-5);
        const double tried = std::floor(std::clamp(guess, low + 1, high - 1));
        const auto shape = shape_with(tried);
        const double size = shape ? size_of(*shape) : std::numeric_limits<double>::infinity();
        if (size <= size_bits) {
            low = tried;
            low_size = size;
            best = shape;
        } else {
            high = tried;
            high_size = std::isfinite(size) ? size : 0;
        }
    }
    return best;
}

// If the limit is too small for any shape: the smallest shape.
std::optional<rank_shape> least_rank_shape(const rank_wishes& wishes) {
    std::optional<rank_shape> least;
    const std::uint64_t buckets =
        wishes.gives(field::buckets) ? wishes.spec[field::buckets] : least_buckets(wishes);
    for (const std::uint64_t chains : chains_to_try(wishes)) {
        const std::uint64_t bits = bits_to_try(1, wishes).front();
        const auto shape = with_cells(base_shape(buckets, chains, bits, wishes), wishes);
        if (shape && (!least || size_of(*shape) < size_of(*least))) least = shape;
    }
    return least;
}

}  // namespace

std::optional<rank_shape> smallest_rank_shape(double fpr, const rank_wishes& wishes) {
    const bool is_free = !wishes.gives(field::buckets) && !wishes.gives(field::chains) &&
                         !wishes.gives(field::fingerprint_bits) && !wishes.gives_cells();
    if (is_free && fpr >= 1e-12 && wishes.most_fingerprint_bits() >= 44)
        return shape_with_all_fields_free(std::min(fpr, 0.5), wishes);
    const double keys = static_cast<double>(wishes.keys);
    std::optional<rank_shape> best;
    for (const std::uint64_t chains : chains_to_try(wishes)) {
        // Half a key per chain or more; with a given number of buckets, the bits that reach the rate.
        const double about = wishes.gives(field::buckets)
                                 ? std::ceil(std::log2(keys / fpr / static_cast<double>(chains) /
                                                       static_cast<double>(wishes.spec[field::buckets])))
                                 : std::ceil(std::log2(0.55 / fpr));
        for (const std::uint64_t bits : bits_to_try(about, wishes)) {
            const double places = std::ldexp(static_cast<double>(chains), static_cast<int>(bits));
            const double needed =
                std::max(std::ceil(keys / (fpr * places)), static_cast<double>(least_buckets(wishes)));
            if (needed > static_cast<double>(most_rank_buckets)) continue;
            const std::uint64_t buckets = wishes.gives(field::buckets) ? wishes.spec[field::buckets]
                                                                       : static_cast<std::uint64_t>(needed);
            const auto shape = with_cells(base_shape(buckets, chains, bits, wishes), wishes);
            if (shape && rate_of(*shape, wishes.keys) <= fpr && (!best || size_of(*shape) < size_of(*best)))
                best = shape;
        }
    }
    return best;
}

std::optional<rank_shape> best_rank_shape_within(double size_bits, const rank_wishes& wishes) {
    const double keys = static_cast<double>(wishes.keys);
    std::optional<rank_shape> best;
    double best_rate = 2;
    // Returns whether it is the best so far.
    const auto offer = [&](const std::optional<rank_shape>& shape) {
        if (!shape || size_of(*shape) > size_bits || rate_of(*shape, wishes.keys) >= best_rate) return false;
        best = shape;
        best_rate = rate_of(*shape, wishes.keys);
        return true;
    };
    const bool has_buckets = wishes.gives(field::buckets);
    for (const std::uint64_t chains : chains_to_try(wishes)) {
        // A single bucket with a cell for every key.
        if (!has_buckets && wishes.keys <= 1000) {
            const double room = (size_bits - static_cast<double>(chains + 1)) / keys - 1;
            for (const std::uint64_t bits :
                 bits_to_try(room - static_cast<double>(wishes.value_bits), wishes))
                offer(with_cells(base_shape(1, chains, bits, wishes), wishes));
        }
        if (chains != 64 && !wishes.gives(field::chains) && !has_buckets) continue;
        if (!has_buckets && wishes.keys <= 100 && size_bits / keys < 50) continue;
        const auto try_bits = [&](std::uint64_t bits) {
            return offer(
                has_buckets
                    ? with_cells(base_shape(wishes.spec[field::buckets], chains, bits, wishes), wishes)
                    : most_buckets_within(size_bits, chains, bits, wishes));
        };
        // The rate has one minimum over the fingerprint bits: search in both directions from a guess.
        const double about = size_bits / keys / 1.08 - static_cast<double>(wishes.value_bits) - 4;
        const std::uint64_t start = bits_to_try(about, wishes).front();
        try_bits(start);
        if (wishes.gives(field::fingerprint_bits)) continue;
        for (std::uint64_t bits = start + 1; bits <= wishes.most_fingerprint_bits() && try_bits(bits);
             ++bits) {
        }
        for (std::uint64_t bits = start; --bits != 0 && (try_bits(bits) || !best);) {
        }
    }
    return best ? best : least_rank_shape(wishes);
}

}  // namespace membrane::plan
