#include "filter_info.hpp"

#include "spec_json.hpp"

namespace membrane::report {

std::optional<plan::lookup_costs> reads_of(const any_view& filter) {
    const auto predict = filter.kind().plan.predicted_costs;
    if (predict == nullptr) return std::nullopt;
    return predict(filter.spec(), filter.keys());
}

double bits_per_key(const any_view& filter) {
    return 8 * static_cast<double>(filter.size_bytes()) / static_cast<double>(filter.keys());
}

json info_json(const json& file, const any_view& filter, bool shows_key) {
    const filter_spec& spec = filter.spec();
    const bool is_count_file = spec.kind == kind_id::count_min;
    const auto reads = reads_of(filter);
    json labels = json::array();
    for (const label& each : filter.labels().all())
        labels.push_back(json{{"name", each.name}, {"value", each.value}});
    json info{{"file", file}, {"kind", filter.kind().rules.name}};
    // What is counted is not held: there are no bits per key, and no number of keys is planned.
    info[is_count_file ? "occurrences" : "keys"] = filter.keys();
    info["size_bytes"] = filter.size_bytes();
    info["file_bytes"] = filter.file_bytes();
    if (!is_count_file) {
        const std::uint64_t planned = spec.planned_keys, promised = filter.promised_keys();
        info["bits_per_key"] = number_or_null(bits_per_key(filter));
        info["planned_keys"] = planned == 0 ? json(nullptr) : json(planned);
        info["grows"] = filter.universe() != 0;
        info["promised_keys"] = promised == 0 ? json(nullptr) : json(promised);
        info["planned_fpr"] = spec.planned_fpr == 0 ? json(nullptr) : json(spec.planned_fpr);
    }
    info["estimated_fpr_now"] = number_or_null(filter.estimated_fpr_now());
    info["estimated_keys"] = number_or_null(filter.estimated_size());
    info["fill"] = filter.fill();
    if (!is_count_file) info["is_over_capacity"] = filter.is_over_capacity();
    info["hash"] = name_of(filter.hash().id);
    info["format_version"] = filter.as_file().format_version;
    info["negative_reads"] = reads ? json(reads->negative.average) : json(nullptr);
    info["positive_reads"] = reads ? json(reads->positive.average) : json(nullptr);
    info["labels"] = labels;
    info["parameters"] = parameters_json(spec);
    if (shows_key) info["hash_key"] = to_hex(filter.hash().key);
    return info;
}

}  // namespace membrane::report
