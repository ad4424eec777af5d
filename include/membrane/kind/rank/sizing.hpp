// Sizing of rank in programs that do not link the planner: at most a tenth of a millisecond, no memory.
//
// The rate is n / (B L 2^R) for B buckets of L chains and R bits, so that the fewest chains for a number of buckets follow from the
// rate; the search is over R, B near the fewest, and the cells Z1, Z1 + Z2, Z1 + Z2 + Z3 behind which a bucket is extended, is extended
// again, and is full. With q(z) the chance of a Poisson load above z, the buckets that need more than z cells are bounded by a binomial
// law of B and q(z), and all may fail with a chance of 1e-10 (src/model/rank/rank_overflow.cpp has the proof and exact tails).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <membrane/kind/rank/spec.hpp>
#include <membrane/spec/check_wanted.hpp>

namespace membrane {

namespace rank_sizing {

inline constexpr double log_overflow = -23.02585092994046;  // of 1e-10, which is shared among three events
inline constexpr double log_of_extensions = -0.9, log_of_last = -1.2, log_of_bucket = -1.3;
inline constexpr std::uint64_t least_keys = 8;  // with fewer cells a single additional key would be refused
inline constexpr std::uint64_t usual_counter_bits = 2, usual_value_bits = 8;
inline constexpr double most_chains = 64, most_mean_load = 512;

// An upper bound of ln Pr[X > count] for a binomial X, to a few percent beyond the mean: the first term by Robbins' bounds of the
// factorials, the others as a geometric series.
inline double log_binomial_above(double trials, double chance, double count) {
    const double first = count + 1, rest = trials - first;
    if (rest < 0) return -HUGE_VAL;
    if (first <= trials * chance) return 0;
    if (rest == 0) return trials * std::log(chance);
    const double information =
        first * std::log(first / (trials * chance)) + rest * std::log(rest / (trials * (1 - chance)));
    const double ratio = rest * chance / ((first + 1) * (1 - chance));
    return -information + 0.5 * std::log(trials / (6.283185307179586 * first * rest)) + 1 / (12 * trials) -
           1 / (12 * first + 1) - 1 / (12 * rest + 1) - std::log1p(-ratio);
}

// A little more than the least count above which the bound is at most `limit`. Newton's steps begin at Bernstein's bound, which is
// beyond it; the logarithm of a tail is concave, so that they stay beyond.
inline double least_count(double trials, double chance, double limit) {
    const double mean = trials * chance, c = -limit;
    double count = mean + c / 3 + std::sqrt(c * c / 9 + 2 * c * mean * (1 - chance));
    if (count + 2 > trials) {
        double none = std::floor(mean) - 1, enough = trials;
        while (enough - none > 1) {
            const double middle = std::floor((none + enough) / 2);
            (log_binomial_above(trials, chance, middle) <= limit ? enough : none) = middle;
        }
        return enough;
    }
    // The fewer, the farther from that bound.
    for (int step = mean < 30 ? 0 : 2; step < 4; ++step) {
        const double slope = std::log((count + 1) * (1 - chance) / ((trials - count) * chance));
        count += std::min(0.0, (log_binomial_above(trials, chance, count) - limit) / slope);
    }
    return count;
}
// The least whole count, by a bracket around it.
inline double least_whole_count(double trials, double chance, double limit) {
    const auto is_enough = [&](double count) { return log_binomial_above(trials, chance, count) <= limit; };
    double enough = std::min(std::ceil(least_count(trials, chance, limit)), trials), step = 1;
    for (; enough < trials && !is_enough(enough); step *= 2) enough = std::min(trials, enough + step);
    double none = enough;
    for (step = 1; none >= 0 && is_enough(none); step *= 2) {
        enough = none;
        none -= step;
    }
    none = std::max(none, -1.0);
    while (enough - none > 1) {
        const double middle = std::floor((none + enough) / 2);
        (is_enough(middle) ? enough : none) = middle;
    }
    return enough;
}

struct shape {
    double buckets = 0, chains = 0, cells = 0, second = 0, last = 0;  // cells of each level
    double extensions = 0, last_extensions = 0;
    std::uint64_t bits = 0;
    double size = HUGE_VAL;
};

inline double pointer_size(double count) { return pointer_bits(static_cast<std::uint64_t>(count)); }

class search {
public:
    search(double keys, double fpr, std::uint64_t value_bits)
        : n_(keys), fpr_(fpr), value_bits_(value_bits) {}

    shape run() {
        // Keys for each chain from 0.55 to 16.
        const std::uint64_t most = std::min<std::uint64_t>(56, 64 - value_bits_);
        const auto least = static_cast<std::uint64_t>(
            std::clamp(std::ceil(std::log2(0.55 / fpr_)), 1.0, static_cast<double>(most)));
        std::array<candidate, 16> tried;  // 15, and one: g++ 12 warns of less in std::sort
        std::size_t count = 0;
        for (std::uint64_t bits = least; bits <= std::min(most, least + 4); ++bits) {
            const double places_of_a_chain = std::ldexp(1, static_cast<int>(bits));
            const double all = std::ceil(-n_ / (std::log1p(-fpr_) * places_of_a_chain) * (1 + 1e-12));
            const double fewest = std::max(std::ceil(all / most_chains), std::ceil(n_ / most_mean_load));
            // In a filter of a few buckets a further one may need fewer chains.
            for (double more = 0; more <= (fewest < 16 ? 2 : 0); ++more) {
                const double buckets = fewest + more, mean = n_ / buckets;
                const double chains = std::max(1.0, std::ceil(all / buckets));
                // With their shares of the extensions, buckets need at least so many deviations more cells than keys: 2.1 of two
                // buckets, 3.4 of ten, 1.1 of ten thousand.
                const double least_deviations =
                    buckets <= 2 ? 2.1 : std::min(3.1, 1 + 8.5 / std::sqrt(buckets));
                const double cells = buckets == 1 ? n_ : mean + least_deviations * std::sqrt(mean);
                tried[count++] = {
                    bits, buckets, chains,
                    buckets * (chains + 1 + cells * static_cast<double>(1 + bits + value_bits_))};
            }
        }
        // All of them, unused ones last: gcc 12 warns of a part.
        std::fill(tried.begin() + static_cast<std::ptrdiff_t>(count), tried.end(),
                  candidate{0, 0, 0, INFINITY});
        std::sort(tried.begin(), tried.end(),
                  [](const candidate& a, const candidate& b) { return a.least_size < b.least_size; });
        for (std::size_t i = 0; i < count && tried[i].least_size < best_.size; ++i)
            try_shape(tried[i].bits, tried[i].buckets, tried[i].chains);
        trim();
        return best_;
    }

private:
    struct candidate {
        std::uint64_t bits;
        double buckets, chains, least_size;
    };

    void try_shape(std::uint64_t bits, double buckets, double chains) {
        const double cell_bits = static_cast<double>(1 + bits + value_bits_);
        const double mean = n_ / buckets, deviation = std::sqrt(mean);
        shape made;
        made.bits = bits;
        made.buckets = buckets;
        made.chains = chains;
        const double most = std::min(
            n_, least_whole_count(n_, 1 / buckets, log_overflow + log_of_bucket - std::log(buckets)));
        const auto offer = [&](double cells, double extensions, double second, double last_extensions,
                               double last) {
            shape tried = made;
            tried.cells = cells;
            tried.extensions = extensions;
            tried.second = second;
            tried.last_extensions = last_extensions;
            tried.last = last;
            tried.size = buckets * (chains + cells * cell_bits + 1 + pointer_size(extensions)) +
                         extensions * (2 + second * cell_bits + pointer_size(last_extensions)) +
                         last_extensions * (1 + last * cell_bits);
            if (tried.size < best_.size) best_ = tried;
        };
        offer(most, 0, 0, 0, 0);
        if (buckets == 1) return;
        read_loads(mean);
        // Where the last level begins: coarse steps, then what is next to the best.
        const double step = std::max(1.0, std::floor(deviation / 4));
        const auto try_cells = [&](double cells) {
            if (cells < 1 || cells >= most) return;
            const double extensions = extensions_for(buckets, cells, log_of_extensions);
            offer(cells, extensions, most - cells, 0, 0);
            for (double second = std::max(cells + 1, std::floor(mean + 1.5 * deviation));
                 second < std::min(most, mean + 6 * deviation); second += step)
                offer(cells, extensions, second - cells, extensions_for(buckets, second, log_of_last),
                      most - second);
        };
        const double before = best_.size;
        for (double cells = std::floor(mean - deviation / 4); cells < mean + 2 * deviation + 4; cells += step)
            try_cells(cells);
        if (step == 1 || best_.size == before) return;
        const shape coarse = best_;
        for (double more = 1 - step; more < step; ++more) {
            const double second = coarse.cells + coarse.second + more;
            if (coarse.last_extensions == 0 || second >= most || second <= coarse.cells) continue;
            offer(coarse.cells, coarse.extensions, second - coarse.cells,
                  extensions_for(buckets, second, log_of_last), most - second);
        }
        const shape finer = best_;
        for (double more = 1 - step; more < step; ++more) {
            const double cells = finer.cells + more, end = finer.cells + finer.second;
            if (cells < 1 || cells >= end) continue;
            offer(cells, extensions_for(buckets, cells, log_of_extensions), end - cells,
                  finer.last_extensions, finer.last);
        }
    }

    // above_[i]: Pr[X > first_ + i] of a Poisson load X.
    void read_loads(double mean) {
        const double deviation = std::sqrt(mean);
        first_ = std::max(0.0, std::floor(mean - 0.5 * deviation - 2));
        // From far in the upper tail down to first_.
        const double end = first_ + static_cast<double>(above_.size());
        double weight = std::exp(end * std::log(mean / end) + end - mean) /
                        std::sqrt(6.283185307179586 * end) * std::exp(-1 / (12 * end));
        double sum = weight * end / (end - mean);
        for (std::size_t i = above_.size(); i-- > 0;) {
            above_[i] = sum;
            weight *= (first_ + static_cast<double>(i) + 1) / mean;
            sum += weight;
        }
        known_.fill(0);
    }
    // A fixed number of keys overflows at most twice as often as independent loads.
    static double limit_of(double log_share) { return log_overflow + log_share - 0.6931471805599453; }
    double extensions_for(double buckets, double cells, double log_share) {
        const auto at = static_cast<std::size_t>(cells - first_);
        const double most = std::min(buckets, std::floor(n_ / (cells + 1)));
        if (at >= above_.size()) return most;
        double& known = known_[at + (log_share == log_of_last ? known_.size() / 2 : 0)];
        if (known == 0)
            known = std::clamp(std::ceil(least_count(buckets, above_[at], limit_of(log_share))), 1.0,
                               std::max(1.0, most));
        return known;
    }
    // The fewest extensions that suffice.
    void trim() {
        if (best_.extensions == 0) return;
        read_loads(n_ / best_.buckets);
        const auto trimmed = [&](double extensions, double cells, double log_share) {
            const auto at = static_cast<std::size_t>(cells - first_);
            if (extensions <= 1 || at >= above_.size()) return extensions;
            return std::clamp(least_whole_count(best_.buckets, above_[at], limit_of(log_share)), 1.0,
                              extensions);
        };
        best_.extensions = trimmed(best_.extensions, best_.cells, log_of_extensions);
        if (best_.last_extensions != 0)
            best_.last_extensions = std::min(
                best_.extensions, trimmed(best_.last_extensions, best_.cells + best_.second, log_of_last));
    }

    double n_, fpr_;
    std::uint64_t value_bits_;
    double first_ = 0;
    std::array<double, 256> above_{};
    std::array<double, 512> known_{};
    shape best_;
};

}  // namespace rank_sizing

// value_bits of 0 stand for the usual ones: 2 bits of a counter, 8 of a value.
inline result<filter_spec> rank_spec_for(std::uint64_t keys, double fpr, std::uint64_t mode = rank_mode::set,
                                         std::uint64_t value_bits = 0) {
    namespace field = rank_field;
    using namespace rank_sizing;
    if (auto checked = check_wanted_fpr(fpr); !checked) return checked.error();
    if (mode >= rank_mode::count)
        return make_error(errc::bad_field, "mode").with_found(mode).with_range(0, rank_mode::count - 1);
    if (mode != rank_mode::set && value_bits == 0)
        value_bits = mode == rank_mode::map ? usual_value_bits : usual_counter_bits;
    if (value_bits > rank_fields[field::value_bits].most || (mode == rank_mode::set && value_bits != 0))
        return make_error(errc::bad_field, "value_bits")
            .with_found(value_bits)
            .with_range(0, mode == rank_mode::set ? 0 : rank_fields[field::value_bits].most);
    // Beyond, counts would not be exact; the number of buckets is checked below.
    if (keys > most_rank_buckets * 512)
        return make_error(errc::size_overflow, "buckets").with_note("ask for fewer keys or a larger rate");
    const shape best =
        search(static_cast<double>(std::max(keys, least_keys)), std::min(fpr, 0.5), value_bits).run();
    if (!(best.buckets <= static_cast<double>(most_rank_buckets)))
        return make_error(errc::size_overflow, "buckets").with_note("ask for fewer keys or a larger rate");
    const auto whole = [](double number) { return static_cast<std::uint64_t>(number); };
    filter_spec spec = initial_spec(kind_id::rank, rank_fields);
    spec.planned_keys = keys;
    spec.planned_fpr = fpr;
    spec[field::mode] = mode;
    spec[field::value_bits] = value_bits;
    spec[field::fingerprint_bits] = best.bits;
    spec[field::buckets] = whole(best.buckets);
    spec[field::chains] = whole(best.chains);
    spec[field::cells] = whole(best.cells);
    spec[field::extensions] = whole(best.extensions);
    spec[field::extension_cells] = whole(best.second);
    spec[field::last_extensions] = whole(best.last_extensions);
    spec[field::last_cells] = whole(best.last);
    if (auto checked = check_rank_spec(spec); !checked) return checked.error();
    return spec;
}

}  // namespace membrane
