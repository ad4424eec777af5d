// Measurements of our own filters, of any kind that the registry has, asked for as one writes them on the command line:
// "bloom:probes=independent,k=6" and the number of keys. A kind that is not registered measures nothing.
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

// Nothing if the kind is not registered. Throws if it is but the text is not understood or cannot be sized.
std::optional<filter_spec> spec_of(const wanted_filter& wanted);

// A reading of one filter, filled with `keys` integers; `strangers` answers how many of a number of other integers it takes
// for members.
class filled_filter {
public:
    filled_filter(const any_filter& filter, const hasher& hash) : filter_(filter), hash_(hash) {}

    const any_filter& filter() const { return filter_; }
    double strangers_taken(std::uint64_t count) const;  // as a part of the count
    // Element i: the part of so many strangers, or of the first so many keys, whose lookup reads i lines.
    std::vector<double> stranger_lines(std::uint64_t count) const;
    std::vector<double> member_lines(std::uint64_t count) const;

private:
    std::vector<double> lines_of_lookups(std::uint64_t first, std::uint64_t count) const;

    const any_filter& filter_;
    const hasher& hash_;
};

// One value per filter, over `trials` filters with hash keys of their own; keys of a filter with rounds choose together.
void for_each_filter(context& lab, const filter_spec& spec, std::uint64_t keys,
                     const std::function<void(const filled_filter&)>& look);

// The mean rate over the context's number of filters with `probes` strangers each; its sigma counts the scatter between
// filters as well. Nothing if the kind is not there, or if so few strangers would be taken that five sigma say nothing.
std::optional<reading> measured_rate(context& lab, const wanted_filter& wanted, std::uint64_t probes);

// The same from rates that were seen already, one of each filter.
reading rate_of(const filter_spec& spec, std::uint64_t keys, const model::running_summary& rates,
                std::uint64_t probes);

// What the planner expects of that filter.
std::optional<double> predicted_rate(const wanted_filter& wanted);

// Bits per key of the whole filter, as the planner sizes it.
std::optional<reading> measured_bits_per_key(const wanted_filter& wanted);

}  // namespace membrane::lab
