// Section 9 of the less-hashing paper: a count-min sketch whose rows use two hashes, compared with one hash per row.
//
// 100,000 items with Zipf(1.1) frequencies, a million counts. A failure is an estimate that exceeds the true count by more than
// eps times all counts; the bounds limit how often that happens.
#include <cmath>

#include <fmt/format.h>

#include <membrane/model/count_min.hpp>

#include <lab/catalog.hpp>
#include <lab/dice.hpp>
#include <lab/measure.hpp>
#include <lab/picture.hpp>
#include <lab/sample.hpp>

namespace membrane::lab {

namespace {

constexpr std::size_t items = 100'000;
constexpr double all_counts = 1e6;

std::vector<std::uint64_t> zipf_counts() {
    std::vector<double> weights(items);
    double sum = 0;
    for (std::size_t i = 0; i < items; ++i) sum += weights[i] = std::pow(static_cast<double>(i + 1), -1.1);
    std::vector<std::uint64_t> counts(items);
    for (std::size_t i = 0; i < items; ++i)
        counts[i] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(all_counts * weights[i] / sum));
    return counts;
}

double total(const std::vector<std::uint64_t>& counts) {
    double sum = 0;
    for (const std::uint64_t each : counts) sum += static_cast<double>(each);
    return sum;
}

struct sketch_setting {
    double eps;
    bool is_two_hash;
    model::count_min_size size;
};

// The share of items whose estimate fails in one sketch.
double simulate(const sketch_setting& at, const std::vector<std::uint64_t>& counts, dice& random) {
    const std::uint64_t width = at.size.width;
    std::vector<std::uint64_t> cells(width * at.size.depth);
    std::vector<std::uint32_t> places(items * at.size.depth);
    for (std::size_t i = 0; i < items; ++i) {
        const std::uint64_t first = random.below(width);
        const std::uint64_t second = random.below(width);
        for (std::uint64_t j = 0; j < at.size.depth; ++j) {
            const std::uint64_t column = at.is_two_hash ? (first + j * second) % width : random.below(width);
            places[i * at.size.depth + j] = static_cast<std::uint32_t>(j * width + column);
            cells[j * width + column] += counts[i];
        }
    }
    const double room = at.eps * total(counts);
    std::uint64_t failures = 0;
    for (std::size_t i = 0; i < items; ++i) {
        std::uint64_t least = UINT64_MAX;
        for (std::uint64_t j = 0; j < at.size.depth; ++j)
            least = std::min(least, cells[places[i * at.size.depth + j]]);
        failures += static_cast<double>(least - counts[i]) > room ? 1 : 0;
    }
    return static_cast<double>(failures) / items;
}

// The registry's sketch with the same counts; the items are integers.
std::optional<reading> measured(context& lab, const sketch_setting& at,
                                const std::vector<std::uint64_t>& counts) {
    const std::string text =
        fmt::format("count_min:rows={},width={},depth={}", at.is_two_hash ? "two_hash" : "classic",
                    at.size.width, at.size.depth);
    const auto spec = spec_of({text, items, {}, {}});
    if (!spec) return std::nullopt;
    const double room = at.eps * total(counts);
    model::running_summary shares;
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        dice random{lab.next_filter_seed()};
        const std::uint64_t low = random.next();
        any_filter sketch = must(any_filter::create(*spec, hasher{hash_id::fold, {low, random.next()}}));
        for (std::size_t i = 0; i < items; ++i)
            if (const auto added = sketch.add(i, counts[i]); !added)
                throw std::logic_error(describe(added.error()));
        std::uint64_t failures = 0;
        for (std::size_t i = 0; i < items; ++i)
            failures += static_cast<double>(must(sketch.estimate(i)) - counts[i]) > room ? 1 : 0;
        shares.add(static_cast<double>(failures) / items);
    }
    return mean_of(shares);
}

}  // namespace

report run_less_hashing_count_min(context& lab) {
    report made;
    made.quantity = "share of the estimates that are off by more than eps x all counts";
    made.picture = {
        "Count-min with two hashes fails no more often than its bound",
        "100,000 items, Zipf(1.1), a million counts; model: the upper bound",
        {axes("", {"eps", plot::scale::log10, {}}, {"share of failing estimates", plot::scale::log10, {}})}};
    const std::vector<std::uint64_t> counts = zipf_counts();
    for (const double eps : {0.1, 0.05, 0.01})
        for (const bool is_two_hash : {true, false}) {
            const auto size = must(is_two_hash ? model::count_min_two_hash_size(eps, eps)
                                               : model::count_min_classic_size(eps, eps));
            const sketch_setting at{eps, is_two_hash, size};
            row each{fmt::format("eps = {}, {}, w = {}, d = {}", eps, is_two_hash ? "two hashes" : "classic",
                                 size.width, size.depth)};
            each.curve = is_two_hash ? "two hashes" : "one hash per row";
            each.x = eps;
            each.is_bound = true;
            each.model = is_two_hash ? model::count_min_two_hash_failure_bound(eps, size)
                                     : model::count_min_classic_failure_bound(eps, size);
            model::running_summary shares;
            for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
                dice random{lab.next_seed()};
                shares.add(simulate(at, counts, random));
            }
            each.simulated = mean_of(shares);
            each.measured = measured(lab, at, counts);
            made.rows.push_back(std::move(each));
            lab.advance(made.rows.size(), 6);
        }
    made.notes = {
        "the model is an upper bound for any stream; a Zipf stream stays far below it. Two-hash failures are "
        "keys that agree with a heavy one in both hashes, about (heavy items) / w^2",
        "theorem 9.1 prints delta >= ln 1/eps(1 - 1/2e^2); right is depth >= ln(1 / (eps (1 - 1/(2e^2)))) = "
        "ln(1/eps) + 0.0701, with w prime and at least 2e/eps",
        "section 9.2 prints 2 ceil(..) copies; right is ceil(ln(1/delta) / ln(1/eps)) copies, twice as many "
        "hashes"};
    return made;
}

}  // namespace membrane::lab
