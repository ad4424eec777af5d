#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/runtime/build.hpp>
#include <membrane/runtime/kind_text.hpp>

#include "dice.hpp"

namespace membrane::lab {

namespace {

constexpr std::uint64_t first_stranger = std::uint64_t{1} << 40;
constexpr std::size_t batch_keys = 4096;
constexpr double least_hits =
    25;  // with fewer hits their distribution is too far from normal for an interval in sigmas

hasher drawn_hasher(std::uint64_t seed) {
    dice random{seed};
    const std::uint64_t low = random.next();
    return {hash_id::fold, {low, random.next()}};
}

void hash_range(const hasher& hash, std::uint64_t first, std::uint64_t count, std::vector<key_hash>& batch) {
    batch.resize(std::min<std::uint64_t>(batch_keys, count));
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = hash(first + i);
}

}  // namespace

std::optional<filter_spec> spec_of(const wanted_filter& wanted) {
    const kind_reading read = read_kind_text(wanted.kind, read_plain_number);
    if (read.fault == kind_text_fault::unknown_kind) return std::nullopt;
    if (read.fault != kind_text_fault::none)
        throw std::logic_error("lab: asks for a filter that its kind does not know: " + wanted.kind);
    plan::requirement asked;
    asked.keys = wanted.keys;
    asked.fpr = wanted.fpr;
    asked.bits_per_key = wanted.bits_per_key;
    return must(read.kind->plan.size(asked, read.given));
}

double filled_filter::strangers_taken(std::uint64_t count) const {
    std::vector<key_hash> batch;
    std::vector<std::uint64_t> answers(bitmap_words(batch_keys));
    std::uint64_t found = 0;
    for (std::uint64_t done = 0; done < count; done += batch.size()) {
        hash_range(hash_, first_stranger + done, count - done, batch);
        found += filter_.may_contain_many(batch, answers);
    }
    return static_cast<double>(found) / static_cast<double>(count);
}

std::vector<double> filled_filter::lines_of_lookups(std::uint64_t first, std::uint64_t count) const {
    std::vector<double> parts;
    for (std::uint64_t key = first; key < first + count; ++key) {
        const auto lines = static_cast<std::size_t>(must(filter_.lookup_lines(key)));
        if (lines >= parts.size()) parts.resize(lines + 1);
        ++parts[lines];
    }
    for (double& each : parts) each /= static_cast<double>(count);
    return parts;
}

std::vector<double> filled_filter::stranger_lines(std::uint64_t count) const {
    return lines_of_lookups(first_stranger, count);
}

double filled_filter::mean_stranger_lines(std::uint64_t count) const {
    const auto parts = stranger_lines(count);
    double sum = 0;
    for (std::size_t lines = 1; lines < parts.size(); ++lines)
        sum += static_cast<double>(lines) * parts[lines];
    return sum;
}

std::vector<double> filled_filter::member_lines(std::uint64_t count) const {
    return lines_of_lookups(0, count);
}

void for_each_filter(context& lab, const filter_spec& spec, std::uint64_t keys,
                     const std::function<void(const filled_filter&)>& look) {
    std::vector<key_hash> batch;
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        const hasher hash = drawn_hasher(lab.next_filter_seed());
        any_filter filter = must(any_filter::create(spec, hash));
        if (is_built_offline(spec)) {
            batch.resize(keys);
            for (std::size_t i = 0; i < keys; ++i) batch[i] = hash(i);
            must(filter.choose_together(batch, {.seed = trial + 1}));
        } else {
            for (std::uint64_t done = 0; done < keys; done += batch.size()) {
                hash_range(hash, done, keys - done, batch);
                if (filter.insert_many(batch) != batch.size())
                    throw std::logic_error("lab: a filter refused a key that it was sized for");
            }
        }
        look(filled_filter{filter, hash});
    }
}

reading rate_of(const filter_spec& spec, std::uint64_t keys, const model::running_summary& rates,
                std::uint64_t probes) {
    const plan::kind_plan& plan = find_entry(spec.kind)->plan;
    const double expected = plan.predicted_fpr(spec, keys);
    const double between = plan.fpr_stddev_between(spec, keys);
    const auto filters = static_cast<double>(rates.count());
    return {
        rates.mean(),
        std::sqrt((between * between + expected * (1 - expected) / static_cast<double>(probes)) / filters)};
}

std::optional<reading> measured_rate(context& lab, const wanted_filter& wanted, std::uint64_t probes) {
    const auto spec = spec_of(wanted);
    if (!spec) return std::nullopt;
    const double expected = find_entry(spec->kind)->plan.predicted_fpr(*spec, wanted.keys);
    if (expected * static_cast<double>(lab.trials() * probes) < least_hits) return std::nullopt;
    model::running_summary rates;
    for_each_filter(lab, *spec, wanted.keys,
                    [&](const filled_filter& each) { rates.add(each.strangers_taken(probes)); });
    return rate_of(*spec, wanted.keys, rates, probes);
}

std::optional<double> predicted_rate(const wanted_filter& wanted) {
    const auto spec = spec_of(wanted);
    if (!spec) return std::nullopt;
    return find_entry(spec->kind)->plan.predicted_fpr(*spec, wanted.keys);
}

std::optional<reading> measured_bits_per_key(const wanted_filter& wanted) {
    const auto spec = spec_of(wanted);
    if (!spec) return std::nullopt;
    const any_filter filter = must(any_filter::create(*spec, drawn_hasher(1)));
    return reading{8 * static_cast<double>(filter.size_bytes()) / static_cast<double>(wanted.keys), 0};
}

}  // namespace membrane::lab
