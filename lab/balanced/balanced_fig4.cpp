// Fig. 4 of the balanced report: false positive rate over bits per key for blocks of 256 bits, k = bits per key x ln 2.
//
// The simulation fills real blocks with bits and then sums each block's exact hit probability, (ones / bits)^k, along a lookup.
// The only noise is the variation between filters, so rates of 1e-6 need no billion lookups.
#include <array>
#include <bitset>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/less_hashing.hpp>

#include <lab/catalog.hpp>
#include <lab/measure.hpp>
#include <lab/picture.hpp>
#include <lab/sample.hpp>

#include "placement.hpp"

namespace membrane::lab {

namespace {

constexpr std::uint64_t block_bits = 256;
constexpr std::uint64_t simulated_keys = 100'000;
constexpr std::uint64_t measured_keys = 100'000;
constexpr std::uint64_t probes = 500'000;
constexpr double accesses = 1.2;

using block = std::bitset<block_bits>;

struct point_of_figure {
    std::uint64_t bits_per_key = 0;
    std::uint64_t k = 0;
    double keys_per_block() const {
        return static_cast<double>(block_bits) / static_cast<double>(bits_per_key);
    }
};

double chance_of(const block& bits, std::uint64_t usable, std::uint64_t k) {
    return std::pow(static_cast<double>(bits.count()) / static_cast<double>(usable), static_cast<double>(k));
}

// The rate of one filter: a stranger's lookup continues while the load of a block is at least h (the paper's rule).
double simulate_walk(const std::vector<model::sub_table>& design, std::uint64_t usable, std::uint64_t k,
                     double keys_per_block, dice& random) {
    const auto blocks = static_cast<std::uint64_t>(static_cast<double>(simulated_keys) / keys_per_block);
    std::vector<load_table> tables = load_tables(design, blocks);
    std::vector<std::vector<block>> bits;
    bits.reserve(tables.size());
    for (const load_table& table : tables) bits.emplace_back(table.size());
    simulate_multi_level(tables, simulated_keys, random, [&](std::size_t table, std::uint64_t where) {
        for (std::uint64_t i = 0; i < k; ++i) bits[table][where].set(random.below(usable));
    });
    double rate = 0;
    double reached = 1;
    for (std::size_t j = 0; j < tables.size(); ++j) {
        double hit = 0;
        double goes_on = 0;
        for (std::uint64_t i = 0; i < tables[j].size(); ++i) {
            const double chance = chance_of(bits[j][i], usable, k);
            hit += chance;
            goes_on += tables[j].load(i) >= tables[j].h() ? 1 - chance : 0;
        }
        const auto size = static_cast<double>(tables[j].size());
        rate += reached * hit / size;
        reached *= goes_on / size;
    }
    return rate;
}

double simulate_standard(const point_of_figure& at, dice& random) {
    const std::uint64_t size = simulated_keys * at.bits_per_key;
    std::vector<bool> bits(size);
    std::uint64_t ones = 0;
    for (std::uint64_t i = 0; i < simulated_keys * at.k; ++i) {
        const std::uint64_t place = random.below(size);
        ones += bits[place] ? 0 : 1;
        bits[place] = true;
    }
    return std::pow(static_cast<double>(ones) / static_cast<double>(size), static_cast<double>(at.k));
}

template <class Simulation>
reading repeated(context& lab, Simulation simulation) {
    model::running_summary rates;
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        dice random{lab.next_seed()};
        rates.add(simulation(random));
    }
    return mean_of(rates);
}

row standard_row(context& lab, const point_of_figure& at) {
    row made;
    made.curve = "standard";
    made.model = model::bloom_fpr_exact(simulated_keys, simulated_keys * at.bits_per_key, at.k);
    made.margin = 2e-3 * *made.model;
    made.simulated = repeated(lab, [&](dice& random) { return simulate_standard(at, random); });
    made.measured = measured_rate(
        lab, {fmt::format("bloom:probes=independent,k={}", at.k), measured_keys, at.bits_per_key, {}},
        probes);
    return made;
}

row blocked_row(context& lab, const point_of_figure& at) {
    row made;
    made.curve = "blocked";
    const auto blocks = static_cast<std::uint64_t>(static_cast<double>(measured_keys) / at.keys_per_block());
    made.model = model::blocked_bloom_fpr(measured_keys, blocks, block_bits, at.k);
    // One table with a threshold that no block reaches, so no key is refused.
    const std::vector<model::sub_table> design{{1, 254, 1}};
    made.margin = 2e-3 * *made.model;
    made.simulated = repeated(lab, [&](dice& random) {
        return simulate_walk(design, block_bits, at.k, at.keys_per_block(), random);
    });
    made.measured = measured_rate(
        lab,
        {fmt::format("blocked_bloom:blocks={},block_bits={},k={},lanes=none", blocks, block_bits, at.k),
         measured_keys,
         {},
         {}},
        probes);
    return made;
}

// The registry's filter with the tables of the design.
std::string balanced_text(const std::vector<model::sub_table>& design, const point_of_figure& at) {
    const bool is_single = design.size() == 1;
    std::string text = fmt::format("balanced_bloom:scheme={},rule=load,block_bits={},k={},d={},list_slots={}",
                                   is_single ? "single" : "multi_level", block_bits, at.k, design.size(),
                                   measured_keys / 50);
    const double blocks = static_cast<double>(measured_keys) / at.keys_per_block();
    for (std::size_t j = 0; j < design.size(); ++j)
        text += fmt::format(",blocks{0}={1},h{0}={2},p{0}={3}", j + 1, std::llround(design[j].share * blocks),
                            design[j].h, static_cast<std::uint64_t>(design[j].p * 0x1p32));
    return text;
}

row balanced_row(context& lab, const point_of_figure& at, std::string name,
                 const model::multi_level_design& design) {
    const std::vector<model::sub_table> tables = tables_of(design);
    const double r = at.keys_per_block();
    const std::uint64_t usable = block_bits - model::state_bits(model::query_rule::load, design.h);
    row made;
    made.curve = std::move(name);
    made.model = must(model::balanced_bloom(
                          r, 1, tables, {block_bits, at.k, model::query_rule::load, model::block_law::exact}))
                     .fpr;
    made.margin = 5e-3 * *made.model;  // whole blocks in small tables
    made.simulated =
        repeated(lab, [&](dice& random) { return simulate_walk(tables, usable, at.k, r, random); });
    const wanted_filter ours{balanced_text(tables, at), measured_keys, {}, {}};
    made.measured = measured_rate(lab, ours, probes);
    if (made.measured) made.measured->expected = predicted_rate(ours);
    return made;
}

// The paper's own curve, with its approximate block rate.
plot::series paper_curve(const std::vector<point_of_figure>& points) {
    plot::series made{"multi-level", {}, plot::look::dashed, "the paper's formula"};
    for (const point_of_figure& at : points)
        made.points.push_back(
            {static_cast<double>(at.bits_per_key),
             must(model::balanced_bloom_design(
                      static_cast<double>(at.bits_per_key), accesses, 3,
                      {block_bits, at.k, model::query_rule::load, model::block_law::approximate}))
                 .fpr,
             {}});
    return made;
}

double model_of(const std::vector<row>& rows, const std::string& curve, double x) {
    for (const row& each : rows)
        if (each.curve == curve && each.x == x) return *each.model;
    throw std::logic_error("lab: no such point");
}

}  // namespace

report run_balanced_fig4(context& lab) {
    report made;
    made.quantity = "false positive rate";
    made.picture = {"False positive rate at equal size",
                    "blocks of 256 bits, k = bits per key x ln 2; multi-level with 3 tables and 1.2 accesses "
                    "per insertion",
                    {axes("", {"bits per key", {}, {}}, {"false positive rate", plot::scale::log10, {}})}};
    std::vector<point_of_figure> points;
    for (std::uint64_t bits_per_key = 8; bits_per_key <= 32; bits_per_key += 4)
        points.push_back({bits_per_key, static_cast<std::uint64_t>(
                                            std::lround(static_cast<double>(bits_per_key) * std::log(2.0)))});
    for (std::size_t i = 0; i < points.size(); ++i) {
        const point_of_figure& at = points[i];
        const auto design = must(model::multi_level(accesses, 3, at.keys_per_block()));
        const auto alone = must(model::multi_level_for_overflow(design.gamma0, 1, at.keys_per_block()));
        for (row each : {standard_row(lab, at), blocked_row(lab, at), balanced_row(lab, at, "SINGLE", alone),
                         balanced_row(lab, at, "multi-level", design)}) {
            each.x = static_cast<double>(at.bits_per_key);
            each.label = fmt::format("{} bits per key, k = {}, {}", at.bits_per_key, at.k, each.curve);
            made.rows.push_back(std::move(each));
        }
        lab.advance(i + 1, points.size());
    }
    row against_blocked{"at 32 bits per key: blocked / multi-level"};
    against_blocked.published = printed{100, 0, true};
    against_blocked.model = model_of(made.rows, "blocked", 32) / model_of(made.rows, "multi-level", 32);
    row against_standard{"at 32 bits per key: multi-level / standard"};
    against_standard.published = printed{10, 5, false};
    against_standard.model = model_of(made.rows, "multi-level", 32) / model_of(made.rows, "standard", 32);
    made.rows.push_back(against_blocked);
    made.rows.push_back(against_standard);
    made.picture.panels[0].curves.push_back(paper_curve(points));
    made.notes = {
        // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one note of several literals
        "model: the exact law of the bits in a block; the paper's (1 - e^(-ki/B))^k is 2.5 % to 33 % too low "
        "for a real "
        "block of 256 bits",
        "\"two orders of magnitude\" better than blocked is not reached up to 32 bits per key under any "
        "reading: "
        "a factor of 23 to 26 there, and 10 if the blocked filter gets its own best k (13, not 22)",
        "\"k = r ln 2\" in the text means k = (bits per key) ln 2; a stranger's query reads 2.2 to 2.6 "
        "blocks, the 1.2 are "
        "insertions",
        "measured: balanced_bloom does not store a key that its own query already finds, so it holds fewer "
        "keys and its rate "
        "is below the model's where that is large (8 bits per key); it is held against the planner's "
        "prediction, "
        "which counts that in",
        "measured: left out where fewer than 25 false positives would be seen"};
    return made;
}

}  // namespace membrane::lab
