#include "support/kind_specs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace membrane::test {

namespace {

// Small filters only: the contract does not depend on the size, and every test runs hundreds of specs.
constexpr std::uint64_t most_payload_bytes = 1 << 16;
// 32, 64, 128, 256 and 512 are widths that kinds support; the rest are border values and odd sizes.
constexpr std::array<std::uint64_t, 15> tried_numbers{0,  1,  2,   3,   5,   7,    16,  32,
                                                      61, 64, 128, 256, 512, 1000, 4096};

struct choice {
    std::string name;
    plan::given_fields given;
};

choice with(const choice& base, const field_rule& rule, std::size_t field, std::uint64_t value) {
    choice made = base;
    made.name += made.name.back() == ':' ? "" : ",";
    made.name += std::string(rule.name) + "=";
    made.name += value < rule.choices.size() ? std::string(rule.choices[value]) : std::to_string(value);
    made.given.spec[field] = value;
    made.given.is_given.set(field);
    return made;
}

std::vector<choice> enumerated_choices(const kind_entry& entry) {
    std::vector<choice> all(1);
    all[0].name = std::string(entry.rules.name) + ":";
    all[0].given.spec.kind = entry.rules.id;
    for (std::size_t field = 0; field < entry.rules.fields.size(); ++field) {
        const field_rule& rule = entry.rules.fields[field];
        if (rule.choices.empty()) continue;
        std::vector<choice> longer;
        for (const choice& base : all)
            for (std::uint64_t value = 0; value < rule.choices.size(); ++value)
                longer.push_back(with(base, rule, field, value));
        all = std::move(longer);
    }
    return all;
}

class collector {
public:
    collector(const kind_entry& entry, std::uint64_t most_bytes) : entry_(entry), most_bytes_(most_bytes) {}

    // The planned spec, or nullptr if the planner refuses the choice or the spec was already added.
    const filter_spec* add(const choice& made, const plan::requirement& wanted) {
        auto spec = entry_.plan.size(wanted, made.given);
        if (!spec && spec.error().code == errc::too_large) {  // the given field needs more memory
            plan::requirement larger = wanted;
            larger.bits_per_key = 4 * *wanted.bits_per_key;
            spec = entry_.plan.size(larger, made.given);
        }
        if (!spec || !entry_.rules.check_spec(*spec)) return nullptr;
        const auto size = entry_.rules.payload_bytes(*spec);
        if (!size || *size > most_bytes_) return nullptr;
        for (const named_spec& each : found_)
            if (each.spec.fields == spec->fields) return nullptr;
        found_.push_back({made.name, *spec, &entry_});
        return &found_.back().spec;
    }
    std::vector<named_spec> take() { return std::move(found_); }

private:
    const kind_entry& entry_;
    std::uint64_t most_bytes_;
    std::vector<named_spec> found_;
};

// Calls visit(choice) for each field that is not enumerated and each of the tried numbers.
template <class Visit>
void for_each_number(const kind_entry& entry, const choice& base, const Visit& visit) {
    for (std::size_t field = 0; field < entry.rules.fields.size(); ++field) {
        const field_rule& rule = entry.rules.fields[field];
        if (!rule.choices.empty()) continue;
        for (const std::uint64_t number : tried_numbers)
            if (number >= rule.least && number <= rule.most) visit(with(base, rule, field, number));
    }
}

}  // namespace

std::vector<named_spec> planned_specs(const kind_entry& entry, const plan::requirement& wanted) {
    collector found(entry, UINT64_MAX);
    std::set<std::size_t> met;
    for (const choice& made : enumerated_choices(entry))
        if (const filter_spec* const planned = found.add(made, wanted))
            met.insert(entry.variant_of(*planned));
    for (const choice& base : enumerated_choices(entry)) {
        if (met.size() == entry.variants.size()) break;
        for_each_number(entry, base, [&](const choice& made) {
            const auto spec = entry.plan.size(wanted, made.given);
            const bool is_too_small = spec && wanted.fpr && spec->planned_fpr > *wanted.fpr;
            if (spec && !is_too_small && entry.rules.check_spec(*spec) &&
                met.insert(entry.variant_of(*spec)).second)
                found.add(made, wanted);
        });
    }
    return found.take();
}

std::vector<named_spec> contract_specs(const kind_entry& entry, std::uint64_t keys) {
    collector found(entry, most_payload_bytes);
    std::map<std::size_t, int>
        varied;  // combinations per variant; those that differ only in unused fields are varied at most twice
    for (const choice& base : enumerated_choices(entry)) {
        const filter_spec* const planned = found.add(base, {.keys = keys, .fpr = 0.01, .bits_per_key = {}});
        if (planned == nullptr || ++varied[entry.variant_of(*planned)] > 2) continue;
        // The same memory as the planned spec: sizing for a rate for each number would take seconds.
        const double bits = 8 * static_cast<double>(*entry.rules.payload_bytes(*planned));
        const double bits_per_key = bits / std::max(1.0, static_cast<double>(keys));
        for_each_number(entry, base, [&](const choice& made) {
            found.add(made, {.keys = keys, .fpr = {}, .bits_per_key = bits_per_key});
        });
    }
    return found.take();
}

std::vector<named_spec> contract_specs(std::uint64_t keys) {
    std::vector<named_spec> all;
    for (const kind_entry& entry : registry()) {
        auto some = contract_specs(entry, keys);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace membrane::test
