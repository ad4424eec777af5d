#include "growth.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "timing/stopwatch.hpp"

namespace bench {
namespace {

using namespace membrane;

constexpr std::uint64_t first_keys = 1000;

struct way {
    const char* name;
    double factor;  // 0: planned for all keys, so that nothing grows
};
constexpr way ways[] = {{"planned", 0}, {"factor 1.25", 1.25}, {"factor 1.5", 1.5}, {"factor 2", 2}};

struct costs {
    double one = 1e300, batch = 1e300, relayout = 1e300, bits = 0, fitted_bits = 0, lines_moved = 0;
};

result<any_filter> filter_for(const way& how, std::uint64_t form, std::uint64_t keys, double fpr,
                              const hasher& hash) {
    const std::uint64_t universe = universe_of_at_least(static_cast<double>(keys) / fpr);
    filter_spec spec = number_layout(form, universe, how.factor == 0 ? keys : first_keys);
    spec.planned_fpr = fpr;
    auto made = any_filter::create(spec, hash);
    if (made && how.factor != 0)
        if (auto set = made->set_growth({.factor = how.factor}); !set) return set.error();
    return made;
}

double bits_per_key(const any_filter& filter) {
    return 8 * static_cast<double>(filter.size_bytes()) / static_cast<double>(filter.keys());
}

// False if a key was refused.
result<bool> measure(const way& how, std::uint64_t form, std::span<const key_hash> hashes, double fpr,
                     const hasher& hash, costs& least) {
    const double keys = static_cast<double>(hashes.size());
    auto one = filter_for(how, form, hashes.size(), fpr, hash);
    if (!one) return one.error();
    bool stored = true;
    const double by_one = timing::processor_ns_per(hashes.size(), [&] {
        for (const key_hash& each : hashes) stored = one->insert(each) && stored;
    });
    least.one = std::min(least.one, by_one);

    auto batch = filter_for(how, form, hashes.size(), fpr, hash);
    if (!batch) return batch.error();
    const double by_batch = timing::processor_ns_per(hashes.size(), [&] {
        for (std::size_t at = 0; at < hashes.size(); at += 1024) {
            const auto piece = hashes.subspan(at, std::min<std::size_t>(1024, hashes.size() - at));
            stored = batch->insert_many(piece) == piece.size() && stored;
        }
    });
    least.batch = std::min(least.batch, by_batch);
    least.lines_moved = static_cast<double>(batch->lines_moved());
    least.bits = bits_per_key(*batch);

    result<void> grown;
    const double by_relayout = timing::processor_ns_per(
        hashes.size(), [&] { grown = batch->reserve(static_cast<std::uint64_t>(keys * 1.25)); });
    if (!grown) return grown.error();
    if (how.factor == 0) least.relayout = std::min(least.relayout, by_relayout);
    if (auto fitted = batch->shrink_to_fit(); !fitted) return fitted.error();
    least.fitted_bits = bits_per_key(*batch);
    return stored;
}

}  // namespace

int measure_growth(const options& chosen, const hasher& hash) {
    for (const std::uint64_t keys : chosen.sizes)
        for (const double fpr : chosen.rates)
            for (const std::uint64_t form : {balanced_rank_form::growable, balanced_rank_form::erasable}) {
                std::vector<key_hash> hashes(keys);
                for (std::uint64_t i = 0; i < keys; ++i) hashes[i] = hash(i);
                costs least[std::size(ways)];
                for (int round = 0; round < chosen.rounds; ++round)
                    for (std::size_t i = 0; i < std::size(ways); ++i) {
                        const auto done = measure(ways[i], form, hashes, fpr, hash, least[i]);
                        if (!done || !*done) {
                            std::fprintf(stderr, "bench: %s\n",
                                         done ? "a key was refused" : describe(done.error()).c_str());
                            return 4;
                        }
                    }
                std::printf(
                    "\n%s, %llu keys one after the other from a filter for %llu, %g %%; ns of processor time "
                    "per key\n",
                    form == balanced_rank_form::growable ? "growable" : "erasable",
                    static_cast<unsigned long long>(keys), static_cast<unsigned long long>(first_keys),
                    100 * fpr);
                std::printf("%-12s %10s %8s %10s %8s %12s %12s %12s\n", "", "insert", "ratio", "ins.batch",
                            "ratio", "bits now", "bits fitted", "lines moved");
                for (std::size_t i = 0; i < std::size(ways); ++i)
                    std::printf("%-12s %10.1f %8.2f %10.1f %8.2f %12.2f %12.2f %12.0f\n", ways[i].name,
                                least[i].one, least[i].one / least[0].one, least[i].batch,
                                least[i].batch / least[0].batch, least[i].bits, least[i].fitted_bits,
                                least[i].lines_moved);
                std::printf("one growth of all keys to 1.25 times the room: %.1f ns per key\n",
                            least[0].relayout);
                std::fflush(stdout);
            }
    return 0;
}

}  // namespace bench
