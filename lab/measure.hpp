// Measurements of our own filters. A filter is described by its kind as on the command line, "bloom:probes=independent,k=6", and
// the number of keys. A kind that is not registered gives no measurement.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <membrane/model/interval.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "experiment.hpp"

namespace membrane::lab {

struct wanted_filter {
    std::string kind;  // K or K:name=value,...
    std::uint64_t keys = 0;
    std::optional<double> bits_per_key{};
    std::optional<double> fpr{};
};

// Empty if the kind is not registered. Throws if it is registered but the text is invalid or the filter cannot be sized.
std::optional<filter_spec> spec_of(const wanted_filter& wanted);

// One filter with `keys` integer keys, and its behaviour for other integers.
class filled_filter {
public:
    filled_filter(const any_filter& filter, const hasher& hash) : filter_(filter), hash_(hash) {}

    const any_filter& filter() const { return filter_; }
    double strangers_taken(std::uint64_t count) const;  // share of `count` strangers that are false positives
    // Element i: the share of the first `count` strangers, or members, whose lookup reads i lines.
    std::vector<double> stranger_lines(std::uint64_t count) const;
    double mean_stranger_lines(std::uint64_t count) const;
    std::vector<double> member_lines(std::uint64_t count) const;

private:
    std::vector<double> lines_of_lookups(std::uint64_t first, std::uint64_t count) const;

    const any_filter& filter_;
    const hasher& hash_;
};

// Calls `look` for `trials` filters with different hash keys. A filter with rounds is built offline.
void for_each_filter(context& lab, const filter_spec& spec, std::uint64_t keys,
                     const std::function<void(const filled_filter&)>& look);

// The mean rate over the context's number of filters with `probes` strangers each; its sigma includes the variation between
// filters. Empty if the kind is not registered, or if too few false positives are expected for an interval of five sigma.
std::optional<reading> measured_rate(context& lab, const wanted_filter& wanted, std::uint64_t probes);

// The same from rates that were already measured, one per filter.
reading rate_of(const filter_spec& spec, std::uint64_t keys, const model::running_summary& rates,
                std::uint64_t probes);

// The rate that the planner predicts for that filter.
std::optional<double> predicted_rate(const wanted_filter& wanted);

// Bits per key of the whole filter, as the planner sizes it.
std::optional<reading> measured_bits_per_key(const wanted_filter& wanted);

}  // namespace membrane::lab
