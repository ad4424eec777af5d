#include <membrane/plan/ranking.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plan/score.hpp"
#include "plan/sizing.hpp"
#include "plan/words.hpp"

namespace membrane::plan {

namespace {

bool is_sized_by_rate(const requirement& wanted) {
    return wanted.fpr || (!wanted.bits_per_key && !wanted.max_bytes) ||
           (!wanted.bits_per_key && wanted.keys == 0);
}

double score_of(const sized_filter& made, const requirement& wanted) {
    const double asked = is_sized_by_rate(wanted) ? wanted.fpr.value_or(default_fpr) : 0;
    return weighed_bits(made.bits_per_key, std::max(made.fpr, asked),
                        made.has_reads ? made.reads : lookup_costs{});
}

candidate make_candidate(const kind_row& kind, const requirement& wanted, const given_fields& given) {
    candidate made;
    made.kind = kind.rules.name;
    auto sized = size_kind(kind, wanted, given);
    if (!sized) {
        const error& problem = sized.error();
        if (problem.code == errc::too_large && problem.found && problem.most) {
            made.least_bytes = problem.found;
            made.why = "excluded: takes " + bytes_words(*problem.found) + ", more than the " +
                       bytes_words(*problem.most) + " allowed";
        } else {
            made.why = "excluded: " + describe(problem);
        }
        return made;
    }
    made.filter = *sized;
    const std::string lacks = shortcoming(*sized, wanted);
    made.fits = lacks.empty();
    if (made.fits) made.score = score_of(*sized, wanted);
    else made.why = "excluded: " + lacks;
    return made;
}

bool meets_needs(const candidate& each, const requirement& wanted) {
    if (!each.filter) return false;
    requirement needs_alone{.keys = wanted.keys, .fpr = wanted.fpr};
    needs_alone.needs = wanted.needs;
    return shortcoming(*each.filter, needs_alone).empty();
}

// Why the only candidate that fits is the only one: `others` are the excluded ones.
std::string reason_of_only(std::span<const candidate> others, const requirement& wanted) {
    const std::string needs = needs_words(wanted.needs);
    const bool can_others = std::any_of(others.begin(), others.end(),
                                        [&](const candidate& each) { return meets_needs(each, wanted); });
    if (needs.empty()) return "the only kind that meets everything asked for";
    if (!can_others) return "the only kind that can " + needs;
    return "of the kinds that can " + needs + ", the only one within the bounds on " +
           (wanted.average_reads || wanted.worst_reads ? "reads" : "size");
}

std::string reason_of_first(std::span<const candidate> fitting, std::span<const candidate> others,
                            const requirement& wanted) {
    const bool by_rate = is_sized_by_rate(wanted);
    const sized_filter& first = *fitting[0].filter;
    const std::string needs = needs_words(wanted.needs);
    const std::string of_those = needs.empty() ? "" : " that can " + needs;
    if (fitting.size() == 1) return reason_of_only(others, wanted);
    const auto size = [&](const candidate& each) {
        return by_rate ? each.filter->bits_per_key : each.filter->fpr;
    };
    const auto lines = [](const candidate& each) { return each.filter->reads.negative.average; };
    const auto is_least = [&](const auto& value) {
        return std::all_of(fitting.begin(), fitting.end(),
                           [&](const candidate& each) { return value(fitting[0]) <= value(each) * 1.001; });
    };
    const auto by_size = std::min_element(fitting.begin() + 1, fitting.end(),
                                          [&](const auto& a, const auto& b) { return size(a) < size(b); });
    const std::string best = by_rate ? "smallest" : "lowest rate";
    if (!is_least(size)) return comparison(first, *by_size->filter, by_size->kind, by_rate);
    if (first.has_reads && is_least(lines)) return best + of_those + ", and none reads less";
    const auto by_lines = std::min_element(fitting.begin() + 1, fitting.end(),
                                           [&](const auto& a, const auto& b) { return lines(a) < lines(b); });
    return best + of_those + "; " + std::string(by_lines->kind) + " " +
           comparison(*by_lines->filter, first, {}, by_rate);
}

void explain(std::span<candidate> all, std::size_t fitting_count, const requirement& wanted) {
    if (fitting_count == 0) return;
    const std::span<candidate> fitting = all.first(fitting_count);
    for (candidate& each : fitting.subspan(1))
        each.why = comparison(*each.filter, *fitting[0].filter, fitting[0].kind, is_sized_by_rate(wanted));
    fitting[0].why = reason_of_first(fitting, all.subspan(fitting_count), wanted);
}

// Binary fuse filter (Graf and Lemire 2022), 3-wise: whole fingerprint bits, three lines, and a size that its construction
// needs to succeed.
outsider binary_fuse(double fpr, std::uint64_t keys) {
    const double fingerprint_bits = std::ceil(log2_of_inverse(fpr) - 1e-9);
    const double n = std::max(2.0, static_cast<double>(keys));
    const double slack = std::max(1.125, 0.875 + 0.25 * std::max(1.0, std::log(1e6) / std::log(n)));
    return {"binary fuse filter", std::exp2(-fingerprint_bits), slack * fingerprint_bits, 3, {}};
}

std::optional<outsider> smaller_outside(const ranking& best, const requirement& wanted) {
    if (!wanted.is_static || !needs_words(wanted.needs).empty()) return std::nullopt;
    const candidate* const ours = best.chosen();
    const double rate = wanted.fpr ? *wanted.fpr : ours != nullptr ? ours->filter->fpr : default_fpr;
    const std::uint64_t keys = ours != nullptr ? ours->filter->keys : wanted.keys;
    outsider other = binary_fuse(rate, keys);
    if (ours != nullptr && other.bits_per_key >= ours->filter->bits_per_key) return std::nullopt;
    if (wanted.average_reads && other.reads > *wanted.average_reads) return std::nullopt;
    other.why =
        "not ours: for a set that never changes it takes fewer bits; it reads 3 lines, is made from all keys "
        "at "
        "once and takes no other key later";
    return other;
}

bool is_better(const candidate& a, const candidate& b) {
    return a.fits != b.fits ? a.fits : a.fits && a.score < b.score;
}

ranking rank_checked(const requirement& wanted, std::span<const kind_row> kinds, const given_fields& given) {
    ranking made;
    // Insertion sort, equal ones in the order of the kinds: there are eight, and std::stable_sort of this struct takes 1 s to
    // compile.
    for (const kind_row& kind : kinds) {
        candidate next = make_candidate(kind, wanted, given);
        const auto at = std::upper_bound(made.candidates.begin(), made.candidates.end(), next, is_better);
        made.candidates.insert(at, std::move(next));
    }
    const auto fitting = std::count_if(made.candidates.begin(), made.candidates.end(),
                                       [](const candidate& each) { return each.fits; });
    explain(made.candidates, static_cast<std::size_t>(fitting), wanted);
    return made;
}

// The fitting candidate with the least of `value`; the chosen one if several have it.
template <class Value>
const candidate& least_by(const ranking& made, const Value& value) {
    const candidate* least = made.chosen();
    for (const candidate& each : made.candidates)
        if (each.fits && value(*each.filter) < value(*least->filter)) least = &each;
    return *least;
}

// Of the kinds that cannot be as small as asked, the one that would take least.
const candidate* least_of_too_large(const ranking& made) {
    const candidate* least = nullptr;
    for (const candidate& each : made.candidates)
        if (each.least_bytes && (least == nullptr || *each.least_bytes < *least->least_bytes)) least = &each;
    return least;
}

std::string with_kind(const std::string& what, const candidate& each) {
    return what + " (" + std::string(each.kind) + ")";
}

// The least that has to be given up, by asking again without the bounds.
std::string advice(const ranking& made, const requirement& wanted, std::span<const kind_row> kinds,
                   const given_fields& given) {
    requirement relaxed = wanted;
    relaxed.max_bytes.reset();
    relaxed.average_reads.reset();
    relaxed.worst_reads.reset();
    if (relaxed.keys == 0) return "allow more bytes, a higher rate or fewer abilities";
    if (const candidate* const least = least_of_too_large(made); least != nullptr && !wanted.fpr) {
        // Rounded up, so that it is enough.
        const double bits = 8 * static_cast<double>(*least->least_bytes) / static_cast<double>(wanted.keys);
        return wanted.bits_per_key
                   ? with_kind("give " + number_words(std::ceil(100 * bits) / 100) + " bits per key", *least)
                   : with_kind("allow " + std::to_string(*least->least_bytes) + " bytes", *least);
    }
    const ranking without_bounds = rank_checked(relaxed, kinds, given);
    if (without_bounds.chosen() == nullptr) {
        const std::string needs = needs_words(wanted.needs);
        return needs.empty() ? "ask for a higher rate or more bits per key"
                             : (kinds.size() == 1 ? "this kind cannot " : "none of our kinds can ") + needs;
    }
    std::string words;
    const auto add = [&](const std::string& more) {
        words.append(words.empty() ? "" : ", or ").append(more);
    };
    if (wanted.max_bytes) {
        const candidate& least =
            least_by(without_bounds, [](const sized_filter& each) { return each.file_bytes; });
        if (least.filter->file_bytes > *wanted.max_bytes)
            add(with_kind("allow " + std::to_string(least.filter->file_bytes) + " bytes", least));
        requirement by_bytes = wanted;
        by_bytes.fpr.reset();
        by_bytes.bits_per_key.reset();
        const ranking in_bytes = rank_checked(by_bytes, kinds, given);
        if (wanted.fpr && in_bytes.chosen() != nullptr)
            add("accept a rate of " + percent_words(in_bytes.chosen()->filter->fpr));
    }
    if (wanted.average_reads || wanted.worst_reads) {
        const candidate& least =
            least_by(without_bounds, [](const sized_filter& each) { return each.reads.negative.average; });
        add(with_kind("allow " + lines_words(least.filter->reads.negative.average) + " per lookup", least));
    }
    return words;
}

// If the bounds on reads cost several times the size: by how much, and what the smallest kind without them would read.
std::string price_of_bounds(const ranking& made, const requirement& wanted, std::span<const kind_row> kinds,
                            const given_fields& given) {
    constexpr double notable_times = 3;
    if (made.chosen() == nullptr || !is_sized_by_rate(wanted) ||
        (!wanted.average_reads && !wanted.worst_reads))
        return {};
    requirement relaxed = wanted;
    relaxed.average_reads.reset();
    relaxed.worst_reads.reset();
    const ranking without = rank_checked(relaxed, kinds, given);
    if (without.chosen() == nullptr) return {};
    const candidate& least = least_by(without, [](const sized_filter& each) { return each.bits_per_key; });
    const double times = made.chosen()->filter->bits_per_key / least.filter->bits_per_key;
    if (times < notable_times) return {};
    return "the bound on reads costs " + number_words(times) + " times the size: without it " +
           std::string(least.kind) + " takes " + number_words(least.filter->bits_per_key) +
           " bits per key and reads " + lines_words(least.filter->reads.negative.average) + " on average, " +
           number_words(least.filter->reads.negative.worst) + " at worst";
}

}  // namespace

result<ranking> rank(const requirement& asked, std::span<const kind_row> kinds, const given_fields& given) {
    if (auto checked = check_requirement(asked); !checked) return checked.error();
    requirement wanted = asked;
    wanted.needs.grow = asked.needs.grow || asked.grow_to != 0;
    if (wanted.keys == 0 && !wanted.max_bytes)
        return make_error(errc::bad_field, "keys")
            .with_note("say how many keys, or how many bytes they may take");
    ranking made = rank_checked(wanted, kinds, given);
    made.smaller_outside = smaller_outside(made, wanted);
    const bool has_choice = made.chosen() != nullptr;
    made.least_bits_per_key = log2_of_inverse(wanted.fpr   ? *wanted.fpr
                                              : has_choice ? made.chosen()->filter->fpr
                                                           : default_fpr);
    made.warning = price_of_bounds(made, wanted, kinds, given);
    if (!has_choice) made.advice = advice(made, wanted, kinds, given);
    return made;
}

}  // namespace membrane::plan
