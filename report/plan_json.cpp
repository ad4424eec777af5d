#include "plan_json.hpp"

#include <cstdio>

#include "spec_json.hpp"

namespace membrane::report {

namespace {

// As printf's %.Ng.
std::string number_text(double value, int digits) {
    char text[40];
    const int length = std::snprintf(text, sizeof text, "%.*g", digits, value);
    return std::string(text, static_cast<std::size_t>(length));
}

json value_or_null(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

json candidate_json(const plan::candidate& each) {
    json made{{"kind", each.kind}, {"fits", each.fits}, {"why", each.why}, {"filter", nullptr}};
    if (!each.filter) return made;
    const plan::sized_filter& filter = *each.filter;
    json can = json::object();
    for (const ability& one : abilities) can[std::string(one.name)] = filter.can.*one.can;
    json reads = nullptr;
    if (filter.has_reads)
        reads = json{
            {"negative", filter.reads.negative.average},   {"negative_worst", filter.reads.negative.worst},
            {"positive", filter.reads.positive.average},   {"positive_worst", filter.reads.positive.worst},
            {"insertion", filter.reads.insertion.average}, {"insertion_worst", filter.reads.insertion.worst}};
    json grown = nullptr;
    if (filter.grown)
        grown = json{{"keys", filter.grown->keys},
                     {"fpr", filter.grown->fpr},
                     {"bits_per_key", filter.grown->bits_per_key},
                     {"file_bytes", filter.grown->file_bytes}};
    made["filter"] = json{{"keys", filter.keys},
                          {"fpr", filter.fpr},
                          {"bits_per_key", filter.bits_per_key},
                          {"size_bytes", filter.size_bytes},
                          {"file_bytes", filter.file_bytes},
                          {"reads", reads},
                          {"can", can},
                          {"beyond_plan", beyond_plan(filter.can)},
                          {"grown", grown},
                          {"parameters", parameters_json(filter.spec)}};
    return made;
}

}  // namespace

std::string_view beyond_plan(const capabilities& can) {
    return can.grow ? "grows" : can.can_be_full ? "full" : "rate rises";
}

std::string kind_text(std::string named, const plan::given_fields& given, const filter_spec& planned,
                      const plan::requirement& wanted) {
    const kind_entry& kind = *find_entry(planned.kind);
    plan::requirement plain{
        .keys = planned.planned_keys, .fpr = wanted.fpr, .bits_per_key = wanted.bits_per_key};
    const auto unasked = kind.plan.size(plain, given);
    const bool has_bounded_reads = wanted.average_reads || wanted.worst_reads;
    const auto rules = kind.rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const bool is_another_form = !rules[i].choices.empty() && unasked && (*unasked)[i] != planned[i];
        if (!given.is_given[i] && (is_another_form || (has_bounded_reads && rules[i].name == "k") ||
                                   (wanted.is_static && rules[i].name == "rounds")))
            named.append(named.find(':') == std::string::npos ? ":" : ",")
                .append(rules[i].name)
                .append("=")
                .append(field_text(rules[i], planned[i]));
    }
    return named;
}

std::string build_command(const std::string& kind_argument, const plan::given_fields& given,
                          const plan::requirement& wanted, const plan::ranking& ranked) {
    const plan::candidate* const chosen = ranked.chosen();
    if (chosen == nullptr) return {};
    const plan::sized_filter& filter = *chosen->filter;
    const std::string kind = kind_text(kind_argument == "auto" ? std::string(chosen->kind) : kind_argument,
                                       given, filter.spec, wanted);
    const bool is_by_size = wanted.bits_per_key || (wanted.max_bytes && !wanted.fpr && wanted.keys != 0);
    const double bits = 8 * static_cast<double>(filter.size_bytes) / static_cast<double>(filter.keys);
    std::string command = "membrane build KEYS.txt -o F.mbr --kind " + kind;
    command += " --keys " + std::to_string(filter.keys);
    command += is_by_size ? " --bits-per-key " + number_text(bits, 9)
                          : " --fpr " + number_text(wanted.fpr.value_or(plan::default_fpr), 6);
    if (wanted.grow_to != 0) command += " --grow-to " + std::to_string(wanted.grow_to);
    return command;
}

const plan::candidate* without_kind(const plan::requirement& wanted, const plan::ranking& ranked) {
    const kind_entry* const kind = kind_if_none_named(wanted);
    if (kind == nullptr || ranked.candidates.size() == 1) return nullptr;
    for (const plan::candidate& each : ranked.candidates)
        if (each.kind == kind->rules.name && each.filter && &each != ranked.chosen()) return &each;
    return nullptr;
}

json plan_json(const plan::requirement& wanted, const plan::ranking& ranked, const std::string& build) {
    json needs = json::object();
    for (const ability& each : abilities) needs[std::string(each.name)] = wanted.needs.*each.can;
    json candidates = json::array();
    for (const plan::candidate& each : ranked.candidates) candidates.push_back(candidate_json(each));
    json outside = nullptr;
    if (ranked.smaller_outside)
        outside = json{{"name", ranked.smaller_outside->name},
                       {"fpr", ranked.smaller_outside->fpr},
                       {"bits_per_key", ranked.smaller_outside->bits_per_key},
                       {"reads", ranked.smaller_outside->reads},
                       {"why", ranked.smaller_outside->why}};
    const plan::candidate* const chosen = ranked.chosen();
    const plan::candidate* const unnamed = without_kind(wanted, ranked);
    return json{
        {"wanted", json{{"keys", wanted.keys == 0 ? json(nullptr) : json(wanted.keys)},
                        {"grow_to", wanted.grow_to == 0 ? json(nullptr) : json(wanted.grow_to)},
                        {"fpr", value_or_null(wanted.fpr)},
                        {"bits_per_key", value_or_null(wanted.bits_per_key)},
                        {"max_bytes", wanted.max_bytes ? json(*wanted.max_bytes) : json(nullptr)},
                        {"reads", value_or_null(wanted.average_reads)},
                        {"worst_reads", value_or_null(wanted.worst_reads)},
                        {"needs", needs},
                        {"is_static", wanted.is_static},
                        {"is_fixed", wanted.is_fixed}}},
        {"chosen", chosen == nullptr ? json(nullptr) : json(chosen->kind)},
        {"build", build.empty() ? json(nullptr) : json(build)},
        {"without_kind", unnamed == nullptr ? json(nullptr) : json(unnamed->kind)},
        {"advice", chosen != nullptr ? json(nullptr) : json(ranked.advice)},
        {"least_bits_per_key", ranked.least_bits_per_key},
        {"candidates", candidates},
        {"outside", outside},
    };
}

}  // namespace membrane::report
