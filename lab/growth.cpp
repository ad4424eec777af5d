// More keys than today's, in three ways: one growable filter with a universe for the most keys that may come, a stack of filters as
// servers keep them, and a filter of fixed size that takes them all. Bits, rate and lines while the keys become ten thousand times as
// many.
//
// The stack begins with a filter for the first keys; each further one has room for twice the keys of the one before at half its rate,
// so that all together keep the wanted rate. Its links are fixed balanced_rank filters, the smallest that we have. A lookup of a
// stranger asks all of them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/model/balanced_rank_optimum.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/runtime/registry.hpp>

#include "catalog.hpp"
#include "dice.hpp"
#include "measure.hpp"
#include "picture.hpp"
#include "sample.hpp"

namespace membrane::lab {

namespace {

constexpr std::uint64_t first_keys = 1000;
constexpr double rate = 0.004;
constexpr std::uint64_t grow_to = 100'000'000;
constexpr double stack_growth = 2, stack_tightening = 0.5;
constexpr std::uint64_t rate_strangers = 500'000;
constexpr std::uint64_t traced_strangers = 20'000;
constexpr double least_hits = 25;  // of all trials: fewer say nothing about a rate
constexpr std::uint64_t trials_of_a_quick_run = 10;
constexpr std::uint64_t first_stranger = std::uint64_t{1} << 40;
constexpr std::size_t batch_keys = 4096;

// A layout that was just made has room for this many times the keys; on average a filter is in the middle.
constexpr double growth_factor = growth_policy{}.factor;
constexpr double mean_room = (1 + growth_factor) / 2;
// Few keys in a large universe: the model's optimum has other lines than the quick choice, and half a line more or less counts.
constexpr double rounding_of_layouts = 0.04;
// Of loads of few lines: the model is that of a Poisson law.
constexpr double model_of_reads = 0.02;

enum panel : std::size_t { bits_panel, rate_panel, lines_panel };
const char* const panel_names[]{"bits per key", "rate", "lines"};
const char* const growable_name = "growable";
const char* const stack_name = "stack of filters";
const char* const blocked_name = "blocked Bloom";

std::vector<std::uint64_t> numbers_of_keys(bool is_quick) {
    std::vector<std::uint64_t> counts;
    for (double keys = first_keys; keys < (is_quick ? 1.1e6 : 1.1e7); keys *= std::sqrt(10.0))
        counts.push_back(static_cast<std::uint64_t>(std::llround(keys)));
    return counts;
}

row row_at(std::uint64_t keys, const char* curve, panel where, double model) {
    row made{fmt::format("{} keys, {}: {}", keys, curve, panel_names[where]), curve,
             static_cast<double>(keys), where};
    made.model = model;
    return made;
}

hasher drawn_hasher(std::uint64_t seed) {
    dice random{seed};
    const std::uint64_t low = random.next();
    return {hash_id::fold, {low, random.next()}};
}

void insert_range(any_filter& filter, const hasher& hash, std::uint64_t from, std::uint64_t to) {
    std::vector<key_hash> batch;
    for (; from < to; from += batch.size()) {
        batch.resize(std::min<std::uint64_t>(batch_keys, to - from));
        for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = hash(from + i);
        if (filter.insert_many(batch) != batch.size())
            throw std::logic_error("lab: a filter refused a key that it was sized for");
    }
}

double bits_of(const any_filter& filter) { return 8 * static_cast<double>(filter.size_bytes()); }

const plan::kind_plan& plan_of(const filter_spec& spec) { return find_entry(spec.kind)->plan; }

// What the trials saw at one number of keys, and what was predicted for their layouts.
struct readings {
    model::running_summary bits, fitted_bits, rate, lines, predicted_rate, predicted_lines;
};

// ---- one growable filter

filter_spec growable_spec() {
    return number_layout(balanced_rank_form::growable,
                         universe_of_at_least(static_cast<double>(grow_to) / rate), first_keys);
}

// Of `keys` keys in the model's best shape with room for `room`. A list that is full makes it grow, so that there need not be room for
// every chance.
double growable_bits(std::uint64_t keys, double room) {
    constexpr double refusal_chance = 0.01;
    const auto universe = static_cast<double>(growable_spec()[balanced_rank_field::universe]);
    const auto best = must(model::best_balanced_rank_for_fpr(
        room / universe,
        {.form = model::rank_model_form::erasable, .negative_reads = 1.15, .second_line_bits = 4}));
    const auto filter =
        must(model::balanced_rank_for(best.shape, static_cast<std::uint64_t>(room), refusal_chance));
    return static_cast<double>(filter.size_bits) / static_cast<double>(keys);
}

class growable_trial {
public:
    explicit growable_trial(std::uint64_t seed)
        : hash_(drawn_hasher(seed)), filter_(must(any_filter::create(growable_spec(), hash_))) {}

    void look(std::uint64_t keys, readings& seen) {
        insert_range(filter_, hash_, keys_, keys);
        keys_ = keys;
        const filled_filter filled{filter_, hash_};
        seen.bits.add(bits_of(filter_) / static_cast<double>(keys));
        any_filter fitted = must(any_filter::copy_of(filter_));
        if (const auto done = fitted.shrink_to_fit(); !done)
            throw std::logic_error("lab: " + describe(done.error()));
        seen.fitted_bits.add(bits_of(fitted) / static_cast<double>(keys));
        seen.rate.add(filled.strangers_taken(rate_strangers));
        seen.predicted_rate.add(plan_of(filter_.spec()).predicted_fpr(filter_.spec(), keys));
        seen.lines.add(filled.mean_stranger_lines(traced_strangers));
        seen.predicted_lines.add(
            plan_of(filter_.spec()).predicted_costs(filter_.spec(), keys).negative.average);
    }

private:
    hasher hash_;
    any_filter filter_;
    std::uint64_t keys_ = 0;
};

// ---- a stack

struct stack_link {
    std::uint64_t keys;
    double rate;
    filter_spec spec;
};

std::vector<stack_link> stack_for(std::uint64_t keys) {
    std::vector<stack_link> links;
    double room = first_keys, share = rate * (1 - stack_tightening), all = 0;
    for (; all < static_cast<double>(keys); room *= stack_growth, share *= stack_tightening) {
        const auto of_link = static_cast<std::uint64_t>(room);
        links.push_back({of_link, share, spec_of({"balanced_rank:form=fixed", of_link, {}, share}).value()});
        all += room;
    }
    return links;
}
// How many keys link number `i` holds.
std::uint64_t keys_in(const std::vector<stack_link>& links, std::size_t i, std::uint64_t keys) {
    for (std::size_t before = 0; before < i; ++before) keys -= std::min(keys, links[before].keys);
    return std::min(keys, links[i].keys);
}

struct stack_numbers {
    double bits = 0, rate = 0, lines = 0;
    double rounding = 0;  // bits
};
stack_numbers stack_model(std::uint64_t keys) {
    constexpr double lines_of_rounding = 3;
    const auto links = stack_for(keys);
    stack_numbers all;
    double pass = 1;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const stack_link& link = links[i];
        const auto best = must(model::best_balanced_rank_for_fpr(link.rate));
        all.bits += static_cast<double>(must(model::balanced_rank_for(best.shape, link.keys)).size_bits);
        all.rounding += lines_of_rounding * rank_line_bits;
        const std::uint64_t in_link = keys_in(links, i, keys);
        const plan::kind_plan& plan = plan_of(link.spec);
        // A lookup goes on while it has not found the key.
        all.lines += pass * plan.predicted_costs(link.spec, in_link).negative.average;
        pass *= 1 - plan.predicted_fpr(link.spec, in_link);
    }
    all.rate = 1 - pass;
    all.bits /= static_cast<double>(keys);
    all.rounding /= static_cast<double>(keys);
    return all;
}

class stack_trial {
public:
    stack_trial(std::uint64_t seed, std::uint64_t most_keys)
        : hash_(drawn_hasher(seed)), links_(stack_for(most_keys)) {}

    void look(std::uint64_t keys, readings& seen) {
        double bits = 0;
        for (std::size_t i = 0; i < links_.size() && keys_in(links_, i, keys) != 0; ++i) {
            if (i == filters_.size()) {
                filters_.push_back(must(any_filter::create(links_[i].spec, hash_)));
                first_.push_back(i == 0 ? 0 : first_[i - 1] + links_[i - 1].keys);
            }
            insert_range(filters_[i], hash_, first_[i] + keys_in(links_, i, keys_),
                         first_[i] + keys_in(links_, i, keys));
            bits += bits_of(filters_[i]);
        }
        keys_ = keys;
        seen.bits.add(bits / static_cast<double>(keys));
        seen.rate.add(strangers_taken());
        seen.lines.add(stranger_lines());
    }

private:
    double strangers_taken() const {
        std::vector<key_hash> batch(batch_keys);
        std::vector<std::uint64_t> answers(bitmap_words(batch_keys)), any(answers.size());
        std::uint64_t taken = 0, asked = 0;
        for (; asked < rate_strangers; asked += batch.size()) {
            for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = hash_(first_stranger + asked + i);
            std::fill(any.begin(), any.end(), 0);
            for (const any_filter& filter : filters_) {
                filter.may_contain_many(batch, answers);
                for (std::size_t i = 0; i < any.size(); ++i) any[i] |= answers[i];
            }
            for (const std::uint64_t word : any) taken += static_cast<std::uint64_t>(std::popcount(word));
        }
        return static_cast<double>(taken) / static_cast<double>(asked);
    }
    double stranger_lines() const {
        std::uint64_t lines = 0;
        for (std::uint64_t i = 0; i < traced_strangers; ++i)
            for (const any_filter& filter : filters_) {
                lines += must(filter.lookup_lines(first_stranger + i));
                if (filter.may_contain(first_stranger + i)) break;
            }
        return static_cast<double>(lines) / static_cast<double>(traced_strangers);
    }

    hasher hash_;
    std::vector<stack_link> links_;
    std::vector<any_filter> filters_;
    std::vector<std::uint64_t> first_;
    std::uint64_t keys_ = 0;
};

// ---- a filter of fixed size

filter_spec blocked_spec() { return spec_of({"blocked_bloom:lanes=none", first_keys, {}, rate}).value(); }

class blocked_trial {
public:
    explicit blocked_trial(std::uint64_t seed)
        : hash_(drawn_hasher(seed)), filter_(must(any_filter::create(blocked_spec(), hash_))) {}

    void look(std::uint64_t keys, readings& seen) {
        insert_range(filter_, hash_, keys_, keys);
        keys_ = keys;
        const filled_filter filled{filter_, hash_};
        seen.bits.add(bits_of(filter_) / static_cast<double>(keys));
        seen.rate.add(filled.strangers_taken(rate_strangers));
        seen.lines.add(filled.mean_stranger_lines(traced_strangers));
    }

private:
    hasher hash_;
    any_filter filter_;
    std::uint64_t keys_ = 0;
};

// ---- rows

// Empty if so few strangers are taken that nothing can be said.
std::optional<reading> rate_reading(const context& lab, const readings& seen, double expected,
                                    double between) {
    const double probes = static_cast<double>(lab.trials() * rate_strangers);
    if (expected * probes < least_hits) return std::nullopt;
    const double sigma =
        std::sqrt(between * between / static_cast<double>(lab.trials()) + expected * (1 - expected) / probes);
    return reading{seen.rate.mean(), sigma};
}

void add_growable(const context& lab, report& made, std::uint64_t keys, const readings& seen) {
    const auto present = static_cast<double>(keys);
    row fitted{fmt::format("{} keys, growable: bits per key, shrunk to fit", keys)};
    fitted.model = growable_bits(keys, present);
    fitted.margin = rounding_of_layouts * *fitted.model;
    fitted.measured = reading{seen.fitted_bits.mean(), 0};
    row bits = row_at(keys, growable_name, bits_panel, growable_bits(keys, mean_room * present));
    bits.margin = (growth_factor / mean_room - 1 + rounding_of_layouts) * *bits.model;
    bits.measured = reading{seen.bits.mean(), 0};
    row rate_row = row_at(keys, growable_name, rate_panel, seen.predicted_rate.mean());
    const filter_spec spec = growable_spec();
    rate_row.measured =
        rate_reading(lab, seen, *rate_row.model, plan_of(spec).fpr_stddev_between(spec, keys));
    row lines = row_at(keys, growable_name, lines_panel, seen.predicted_lines.mean());
    lines.margin = model_of_reads;
    lines.measured = mean_of(seen.lines);
    for (row* each : {&bits, &fitted, &rate_row, &lines}) made.rows.push_back(std::move(*each));
}

void add_stack(const context& lab, report& made, std::uint64_t keys, const readings& seen) {
    const stack_numbers expected = stack_model(keys);
    row bits = row_at(keys, stack_name, bits_panel, expected.bits);
    bits.margin = expected.rounding + 0.01 * expected.bits;
    bits.measured = reading{seen.bits.mean(), 0};
    row rate_row = row_at(keys, stack_name, rate_panel, expected.rate);
    double variance = 0;
    const auto links = stack_for(keys);
    for (std::size_t i = 0; i < links.size(); ++i) {
        const double between =
            plan_of(links[i].spec).fpr_stddev_between(links[i].spec, keys_in(links, i, keys));
        variance += between * between;
    }
    rate_row.measured = rate_reading(lab, seen, expected.rate, std::sqrt(variance));
    row lines = row_at(keys, stack_name, lines_panel, expected.lines);
    lines.margin = model_of_reads * static_cast<double>(links.size());
    lines.measured = mean_of(seen.lines);
    for (row* each : {&bits, &rate_row, &lines}) made.rows.push_back(std::move(*each));
}

void add_blocked(const context& lab, report& made, std::uint64_t keys, const readings& seen) {
    const filter_spec spec = blocked_spec();
    row bits = row_at(keys, blocked_name, bits_panel,
                      static_cast<double>(spec[blocked_field::blocks] * spec[blocked_field::block_bits]) /
                          static_cast<double>(keys));
    bits.measured = reading{seen.bits.mean(), 0};
    row rate_row = row_at(keys, blocked_name, rate_panel,
                          model::blocked_bloom_fpr(keys, spec[blocked_field::blocks],
                                                   spec[blocked_field::block_bits], spec[blocked_field::k]));
    rate_row.measured =
        rate_reading(lab, seen, *rate_row.model, plan_of(spec).fpr_stddev_between(spec, keys));
    row lines = row_at(keys, blocked_name, lines_panel, 1);
    lines.measured = reading{seen.lines.mean(), 0};
    for (row* each : {&bits, &rate_row, &lines}) made.rows.push_back(std::move(*each));
}

}  // namespace

report run_growth(context& lab) {
    report made;
    made.quantity = "bits per key; false positive rate; lines per negative lookup";
    const plot::axis x{"keys", plot::scale::log10, {}};
    made.picture = {
        "Filters with more and more keys",
        "begun with 1,000 keys at 0.4 %; growable: U for 100 million; stack: each filter twice as large at "
        "half the rate",
        {axes("size", x, {"bits per key", plot::scale::linear, plot::range{0, 45}}),
         axes("rate", x, {"false positive rate", plot::scale::log10, plot::range{1e-8, 1}}),
         axes("reads", x, {"lines per negative lookup", plot::scale::linear, plot::range{0, 16}})}};
    const auto counts = numbers_of_keys(lab.trials() <= trials_of_a_quick_run);
    std::vector<readings> growable(counts.size()), stack(counts.size()), blocked(counts.size());
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        const std::uint64_t seed = lab.next_filter_seed();
        growable_trial one(seed);
        stack_trial links(seed, counts.back());
        blocked_trial overfilled(seed);
        for (std::size_t i = 0; i < counts.size(); ++i) {
            one.look(counts[i], growable[i]);
            links.look(counts[i], stack[i]);
            overfilled.look(counts[i], blocked[i]);
        }
        lab.advance(trial + 1, lab.trials());
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        add_growable(lab, made, counts[i], growable[i]);
        add_stack(lab, made, counts[i], stack[i]);
        add_blocked(lab, made, counts[i], blocked[i]);
    }
    made.notes = {
        "growable: one filter that keeps 0.4 % up to 100 million keys and grows by a half when it is "
        "full; "
        "the model of its bits is the best shape with 1.125 times the keys, a filter in the middle of a "
        "growth "
        "step",
        "stack: fixed balanced_rank filters for 1,000, 2,000, 4,000, ... keys at 0.2 %, 0.1 %, 0.05 %, ...; "
        "a "
        "stranger's lookup asks all of them",
        "blocked Bloom: planned for the first 1,000 keys and never larger",
        "rates with fewer than 25 expected false positives are not measured; more than 10 trials: up to 10 "
        "million keys instead of 1 million"};
    return made;
}

}  // namespace membrane::lab
