#include <membrane/model/rank_optimum.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "model/rank/rank_tails.hpp"
#include "model/tail_sums.hpp"

namespace membrane::model {

namespace {

// Mean loads beyond this are not searched: they occur only for few keys with a large rate.
constexpr double most_mean_load = 1024;

struct candidate {
    rank_shape shape;
    std::uint64_t size_bits = UINT64_MAX;
};

bool smaller(const candidate& a, const candidate& b) { return a.size_bits < b.size_bits; }

// Division of the overflow probability among its three terms.
struct shares {
    double extensions, last_extensions, bucket;
};

// The least integer in [0, most] at which the decreasing function `value` is at most `limit`; value(most) must be. Secant steps in
// a bracket around `guess`: the logarithm of a tail is close to a parabola, so a few evaluations suffice.
template <class Value>
double least_where(double limit, double guess, double step, double most, Value value) {
    double low = -1;
    double low_value = 1;
    double high = std::clamp(std::ceil(guess), 0.0, most);
    double high_value = value(high);
    for (; high_value > limit && high < most; step *= 2) {
        low = high;
        low_value = high_value;
        high = std::min(most, high + std::ceil(step));
        high_value = value(high);
    }
    for (; low < 0 && high > 0; step *= 2) {
        const double tried = std::max(0.0, high - std::ceil(step));
        const double tried_value = value(tried);
        if (tried_value > limit) {
            low = tried;
            low_value = tried_value;
        } else {
            high = tried;
            high_value = tried_value;
        }
    }
    for (bool halve = false; high > 0 && high - low > 1;) {
        const double width = high - low;
        double middle = std::floor((low + high) / 2);
        if (!halve && std::isfinite(high_value)) {
            const double share = (low_value - limit) / (low_value - high_value);
            middle = std::clamp(std::ceil(low + share * width), low + 1, high - 1);
        }
        const double middle_value = value(middle);
        (middle_value > limit ? low : high) = middle;
        (middle_value > limit ? low_value : high_value) = middle_value;
        halve = high - low > width / 2;
    }
    return high;
}

class search {
public:
    search(const rank_requirement& wanted, log_tail_function tail)
        : wanted_(wanted), tail_(tail), n_(static_cast<double>(wanted.n)) {}

    std::optional<rank_shape> base(std::uint64_t fingerprint_bits, std::uint64_t chains) const {
        const double keys_per_chain = wanted_.fpr * std::exp2(static_cast<double>(fingerprint_bits));
        const double buckets = std::max(1.0, std::ceil(n_ / (keys_per_chain * static_cast<double>(chains))));
        if (n_ / buckets > most_mean_load || buckets > static_cast<double>(max_rank_keys))
            return std::nullopt;
        rank_shape shape;
        shape.buckets = static_cast<std::uint64_t>(buckets);
        shape.chains = chains;
        shape.fingerprint_bits = fingerprint_bits;
        shape.value_bits = wanted_.value_bits;
        return shape;
    }

    void consider(const rank_shape& base, const shares& part, candidate& best) const {
        const auto buckets = static_cast<double>(base.buckets);
        const double mean = n_ / buckets;
        const double deviation = std::sqrt(mean);
        const double log_all = std::log(wanted_.overflow);
        const double most = least_where(log_all + std::log(part.bucket), mean + 6 * deviation, 1 + deviation,
                                        std::max(n_, 1.0),
                                        [&](double cells) { return log_bucket_bound(n_, buckets, cells); });
        if (most > static_cast<double>(max_rank_cells)) return;
        offer(base, std::max(1.0, most), 0, 0, 0, 0, best);
        // With fewer cells half of the buckets would be extended; with more, extensions would be useless.
        const double least = std::max(1.0, std::floor(mean - 2 - deviation / 4));
        const double least_second = std::max(least + 1, std::floor(mean + deviation / 2));
        std::vector<double> last_extensions;  // indexed by Z1 + Z2 - least_second
        for (double second = least_second; second < most; ++second)
            last_extensions.push_back(
                least_extensions(buckets, second, log_all + std::log(part.last_extensions)));
        for (double cells = least; cells < most && cells < mean + 2 * deviation + 4; ++cells) {
            const double extensions = least_extensions(buckets, cells, log_all + std::log(part.extensions));
            if (extensions < 1) break;
            offer(base, cells, extensions, most - cells, 0, 0, best);
            for (double second = std::max(cells + 1, least_second); second < most; ++second) {
                const double last = last_extensions[static_cast<std::size_t>(second - least_second)];
                if (last < 1) break;
                offer(base, cells, extensions, second - cells, last, most - second, best);
            }
        }
    }

    // Spends the unused part of the overflow probability: removes extensions as long as the total probability allows it.
    void trim(candidate& best) const {
        for (std::uint64_t rank_shape::*count : {&rank_shape::extensions, &rank_shape::last_extensions}) {
            const auto most = static_cast<double>(best.shape.*count);
            if (most == 0) continue;
            rank_shape tried = best.shape;
            const double least =
                least_where(std::log(wanted_.overflow), most, 1, most, [&](double extensions) {
                    tried.*count = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(extensions));
                    return overflow_terms(tried, n_, tail_).log_any;
                });
            best.shape.*count = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(least));
        }
        best.size_bits = rank_storage_of(best.shape)->size_bits;
    }

private:
    double least_extensions(double buckets, double cells, double log_limit) const {
        const double chance = poisson_above(n_ / buckets, cells);
        const double mean = buckets * chance;
        const double deviation = std::sqrt(mean * (1 - chance));
        const double most = std::min(buckets, std::floor(n_ / (cells + 1)));
        return least_where(log_limit, mean + 0.97 * std::sqrt(-2 * log_limit) * deviation, 1 + deviation / 8,
                           most, [&](double count) { return tail_(n_, buckets, cells, count); });
    }

    void offer(const rank_shape& base, double cells, double extensions, double extension_cells,
               double last_extensions, double last_cells, candidate& best) const {
        rank_shape shape = base;
        shape.cells = static_cast<std::uint64_t>(cells);
        shape.extensions = static_cast<std::uint64_t>(extensions);
        shape.extension_cells = static_cast<std::uint64_t>(extension_cells);
        shape.last_extensions = static_cast<std::uint64_t>(last_extensions);
        shape.last_cells = static_cast<std::uint64_t>(last_cells);
        const auto storage = rank_storage_of(shape);
        if (storage && storage->size_bits < best.size_bits) best = {shape, storage->size_bits};
    }

    rank_requirement wanted_;
    log_tail_function tail_;
    double n_;
};

constexpr shares even_shares{0.45, 0.45, 0.1};
constexpr shares bucket_shares{0.4, 0.2, 0.4};

candidate best_for(const search& searched, std::uint64_t fingerprint_bits, std::uint64_t chains) {
    candidate best;
    if (const auto base = searched.base(fingerprint_bits, chains))
        searched.consider(*base, even_shares, best);
    return best;
}

// The best number of chains for R: coarse steps, then single ones, because the size is smooth in it except for rounding.
std::vector<candidate> by_chains(const search& searched, std::uint64_t n, std::uint64_t fingerprint_bits) {
    const std::uint64_t coarse = n <= 200 ? 1 : n <= 10000 ? 4 : 8;
    std::vector<candidate> found;
    for (std::uint64_t chains = max_rank_chains; chains >= coarse; chains -= coarse)
        found.push_back(best_for(searched, fingerprint_bits, chains));
    if (coarse == 1) return found;
    const std::uint64_t around = std::min_element(found.begin(), found.end(), smaller)->shape.chains;
    const std::uint64_t most = std::min(max_rank_chains, around + coarse - 1);
    for (std::uint64_t chains = around - coarse + 1; chains <= most; ++chains)
        if (chains != around) found.push_back(best_for(searched, fingerprint_bits, chains));
    return found;
}

// Tries other shares, and a few more buckets than the rate needs: 0.3 % more buckets save a pointer bit in each if they bring the
// extensions below a power of two (1530 buckets, 512 extensions instead of 1526 and 521 at 0.1 %).
void refine(const search& searched, const rank_shape& start, candidate& best) {
    const auto try_with = [&](const rank_shape& base, const shares& part) {
        candidate tried;
        searched.consider(base, part, tried);
        if (tried.size_bits == UINT64_MAX) return;
        searched.trim(tried);
        if (smaller(tried, best)) best = tried;
    };
    rank_shape wider = start;
    for (int tries = 0; tries <= 6; ++tries) {
        for (const shares& part : {even_shares, bucket_shares}) try_with(wider, part);
        wider.buckets += std::max<std::uint64_t>(1, start.buckets / 1200);
    }
}

result<void> check(const rank_requirement& wanted) {
    if (wanted.n < 1 || wanted.n > max_rank_keys)
        return make_error(errc::bad_field, "n").with_found(wanted.n).with_range(1, max_rank_keys);
    if (!(wanted.fpr >= 1e-15 && wanted.fpr <= 0.5))
        return make_error(errc::bad_field, "fpr").with_note("a rate for fingerprints is 1e-15 to 0.5");
    if (!(wanted.overflow >= 1e-300 && wanted.overflow < 1))
        return make_error(errc::bad_field, "overflow").with_note("a chance of overflow is 1e-300 to below 1");
    if (wanted.value_bits > max_rank_value_bits)
        return make_error(errc::bad_field, "value_bits")
            .with_found(wanted.value_bits)
            .with_range(0, max_rank_value_bits);
    if (wanted.fingerprint_bits > max_rank_fingerprint_bits)
        return make_error(errc::bad_field, "fingerprint_bits")
            .with_found(wanted.fingerprint_bits)
            .with_range(0, max_rank_fingerprint_bits);
    if (wanted.chains > max_rank_chains)
        return make_error(errc::bad_field, "chains").with_found(wanted.chains).with_range(0, max_rank_chains);
    if (wanted.rule == overflow_rule::estimate && wanted.n > 1000000)
        return make_error(errc::bad_field, "n").with_found(wanted.n).with_range(1, 1000000);
    return {};
}

rank_optimum described(const rank_shape& shape, std::uint64_t n, log_tail_function tail) {
    rank_optimum optimum;
    optimum.shape = shape;
    optimum.bits_per_key = *rank_bits_per_key(shape, n);
    optimum.fpr = *rank_fpr_exact(shape, n);
    optimum.log_overflow = overflow_terms(shape, static_cast<double>(n), tail).log_any;
    return optimum;
}

}  // namespace

result<rank_optimum> best_rank_cells(const rank_shape& base, std::uint64_t n, double overflow) {
    rank_requirement wanted;
    wanted.n = n;
    wanted.overflow = overflow;
    wanted.value_bits = base.value_bits;
    if (const auto checked = check(wanted); !checked) return checked.error();
    if (const auto checked = rank_bits_per_key(base, n); !checked) return checked.error();
    const search searched(wanted, log_overflow_bound);
    candidate best;
    for (const shares& part : {even_shares, bucket_shares}) {
        candidate tried;
        searched.consider(base, part, tried);
        if (tried.size_bits == UINT64_MAX) continue;
        searched.trim(tried);
        if (smaller(tried, best)) best = tried;
    }
    if (best.size_bits == UINT64_MAX)
        return make_error(errc::bad_field, "buckets")
            .with_found(base.buckets)
            .with_note("too few buckets for so many keys");
    return described(best.shape, n, log_overflow_bound);
}

result<rank_optimum> best_rank_shape(const rank_requirement& wanted) {
    if (const auto checked = check(wanted); !checked) return checked.error();
    const search proven(wanted, log_overflow_bound);
    std::vector<candidate> found;
    // Keys per chain from 0.55 to 8.8: fewer waste chain bits, more waste fingerprint bits.
    const auto least_bits =
        static_cast<std::uint64_t>(std::max(1.0, std::ceil(std::log2(0.55 / wanted.fpr))));
    const std::uint64_t first = wanted.fingerprint_bits != 0 ? wanted.fingerprint_bits : least_bits;
    const std::uint64_t last = wanted.fingerprint_bits != 0
                                   ? wanted.fingerprint_bits
                                   : std::min(least_bits + 3, max_rank_fingerprint_bits);
    for (std::uint64_t bits = first; bits <= last; ++bits) {
        const auto more = wanted.chains != 0 ? std::vector<candidate>{best_for(proven, bits, wanted.chains)}
                                             : by_chains(proven, wanted.n, bits);
        found.insert(found.end(), more.begin(), more.end());
    }
    std::sort(found.begin(), found.end(), smaller);
    found.resize(std::min<std::size_t>(found.size(), 3));
    const auto tail = wanted.rule == overflow_rule::bound ? log_overflow_bound : log_overflow_estimate;
    candidate best;
    for (const candidate& each : found) {
        if (each.size_bits != UINT64_MAX) refine(search(wanted, tail), each.shape, best);
    }
    if (best.size_bits == UINT64_MAX)
        return make_error(errc::bad_field, "fpr").with_note("no bucket of a sensible size has this rate");
    return described(best.shape, wanted.n, tail);
}

}  // namespace membrane::model
