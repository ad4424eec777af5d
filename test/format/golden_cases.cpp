#include "golden_cases.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <membrane/hash/integer_hash.hpp>
#include <membrane/kind/count_min/heavy_hitters.hpp>

#include "../../fuzz/spec_pool.hpp"

namespace membrane::golden {

namespace {

constexpr double planned_fpr = 0.02;
constexpr std::uint64_t max_payload_bytes = 4096 - 256;

std::string text_of(std::uint64_t i) { return std::string("key-").append(std::to_string(i)); }

// In the layout that it was made with: one that grew is planned for other keys.
bool has_room_for(any_filter& filter, std::uint64_t members) {
    const filter_spec spec = filter.spec();
    const bool counts = filter.largest_estimate() != 0;
    for (std::uint64_t i = 0; i < members; ++i)
        for (std::uint64_t times = counts ? times_of(i) : 1; times != 0; --times)
            if (!filter.insert(key_of(filter.hash(), i))) return false;
    return filter.spec() == spec;
}

any_filter made(const golden_case& wanted) {
    auto filter = any_filter::create(wanted.spec, {wanted.hash, fixed_key});
    if (!filter) throw std::runtime_error(describe(filter.error()));
    return std::move(*filter);
}

// Members come several times into a kind that counts: into one that can be full, as many as it takes.
golden_case with_room(golden_case wanted) {
    for (;; wanted.spec.planned_keys -= 1 + wanted.spec.planned_keys / 16)
        if (any_filter filter = made(wanted); has_room_for(filter, wanted.spec.planned_keys)) return wanted;
}

// The first enumerated field is always named, the others where they are not as usual.
std::string name_of(const kind_entry& kind, const filter_spec& spec) {
    std::string name(kind.rules.name);
    bool is_first = true;
    for (std::size_t field = 0; field < kind.rules.fields.size(); ++field) {
        const field_rule& rule = kind.rules.fields[field];
        if (enumerated_values(rule).empty() ||
            (!std::exchange(is_first, false) && spec[field] == rule.initial))
            continue;
        const bool is_yes = !rule.choices.empty() && rule.choices[0] == "no";
        name.append("-");
        if (is_yes) name.append(rule.name);
        else if (rule.choices.empty()) name.append(rule.name).append(std::to_string(spec[field]));
        else name.append(rule.choices[spec[field]]);
    }
    return name;
}

// Sized for as many keys as a small file holds. Sizes that a spec may choose freely get an odd number of words, the last
// one not full, so that a reader who rounds is found out. Empty if the values do not go together.
std::optional<filter_spec> small_spec(const kind_entry& kind, const plan::given_fields& given) {
    for (const std::uint64_t keys : {400, 48, 12}) {
        const auto spec = kind.plan.size({.keys = keys, .fpr = planned_fpr}, given);
        if (!spec || !fits(kind, *spec, max_payload_bytes)) continue;
        const std::string_view first_name = kind.rules.fields[0].name;
        if (first_name == "size_bits" || first_name == "counters") {
            for (const std::uint64_t less : {5, 0}) {
                filter_spec odd = *spec;
                odd[0] = ((odd[0] / 64 - 1) | 1) * 64 - less;
                if (fits(kind, odd, max_payload_bytes)) return odd;
            }
        }
        return *spec;
    }
    return std::nullopt;
}

// A spec for each variant, then one for each value that no variant brought with it.
std::vector<filter_spec> spec_cover(const kind_entry& kind) {
    std::vector<filter_spec> cover;
    std::set<std::size_t> variants;
    std::set<std::pair<std::size_t, std::uint64_t>> values;
    for (const bool for_variants : {true, false}) {
        for (const auto& given : combinations_of(kind)) {
            const auto small = small_spec(kind, given);
            if (!small) continue;
            const filter_spec& spec = *small;
            bool is_new = for_variants && variants.insert(kind.variant_of(spec)).second;
            for (std::size_t field = 0; field < kind.rules.fields.size() && (is_new || !for_variants);
                 ++field)
                if (!enumerated_values(kind.rules.fields[field]).empty())
                    is_new = values.insert({field, spec[field]}).second || is_new;
            if (is_new) cover.push_back(spec);
        }
    }
    return cover;
}

}  // namespace

std::vector<golden_case> cases_of(const kind_entry& kind) {
    const std::string kind_name(kind.rules.name);
    const bool can_fold = capabilities_of(kind).fold;
    std::vector<golden_case> cases;
    const std::vector<filter_spec> specs = spec_cover(kind);
    for (const filter_spec& spec : specs) {
        const std::string name = name_of(kind, spec);
        cases.push_back(with_room({name, spec, hash_id::siphash13, 0}));
        if (can_fold) cases.push_back({name + "-folded", spec, hash_id::siphash13, 1});
    }
    // Short and long fingerprints may be stored in different ways; full buckets may have others behind them.
    struct special {
        std::string_view name;
        std::uint64_t value;
    };
    for (const special each : {special{"fingerprint_bits", 11}, special{"buckets", 12}})
        for (std::size_t field = 0; field < kind.rules.fields.size(); ++field)
            if (kind.rules.fields[field].name == each.name)
                for (plan::given_fields given : combinations_of(kind)) {
                    given.spec[field] = each.value;
                    given.is_given.set(field);
                    if (const auto spec = small_spec(kind, given))
                        cases.push_back(with_room(
                            {name_of(kind, *spec) + "-" + std::string(each.name) + std::to_string(each.value),
                             *spec, hash_id::siphash13, 0}));
                }
    for (const hash_name& hash : hash_names)
        cases.push_back(
            with_room({kind_name + "-hash-" + std::string(hash.name), specs.front(), hash.id, 0}));
    cases.push_back(with_room({kind_name + "-labels", specs.front(), hash_id::siphash13, 0,
                               "name=golden\nsource=https://example.org/list?a=b\nname=gr\xc3\xbcn\n"}));
    return cases;
}

key_hash key_of(const hasher& hash, std::uint64_t i) {
    switch (i % 3) {
        case 0: return hash(text_of(i));
        case 1: return hash(i);
        default: return {finalise64(i), finalise64(~i)};
    }
}

any_filter fill(const golden_case& wanted) {
    any_filter filter = made(wanted);
    if (!has_room_for(filter, wanted.spec.planned_keys)) throw std::runtime_error("a golden filter is full");
    const bool counts = filter.largest_estimate() != 0;
    heavy_hitters tracker(5, 4);
    for (std::uint64_t i = 0; counts && i < wanted.spec.planned_keys; ++i) {
        const key_hash hash = key_of(filter.hash(), i);
        tracker.offer(hash, *filter.estimate(hash), i % 3 == 0 ? text_of(i) : "");
    }
    filter.set_top(tracker.sorted());
    if (wanted.folds != 0)
        if (const auto folded = filter.fold(wanted.folds); !folded)
            throw std::runtime_error(describe(folded.error()));
    if (!wanted.labels.empty()) filter.set_labels(file_labels::decode(wanted.labels).value());
    return filter;
}

std::string pinned_answers(const any_view& filter) {
    std::string text;
    const bool counts = filter.largest_estimate() != 0;
    if (counts) {
        text += "estimates of the members:";
        for (std::uint64_t i = 0; i < filter.spec().planned_keys; ++i)
            text.append(" ").append(std::to_string(*filter.estimate(key_of(filter.hash(), i))));
        text += "\n";
    }
    text += counts ? "false positives, each with its estimate:" : "false positives:";
    std::size_t found = 0;
    for (std::uint64_t i = 0; i < strangers_asked && found < false_positives_pinned; ++i) {
        const key_hash hash = stranger_of(filter.hash(), i);
        if (!filter.may_contain(hash)) continue;
        ++found;
        text.append(" ").append(std::to_string(i));
        if (counts) text.append("=").append(std::to_string(*filter.estimate(hash)));
    }
    return text + "\n";
}

}  // namespace membrane::golden
