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
    const auto reads = reads_of(filter);
    json labels = json::array();
    for (const label& each : filter.labels().all())
        labels.push_back(json{{"name", each.name}, {"value", each.value}});
    json info{
        {"file", file},
        {"kind", filter.kind().rules.name},
        {"keys", filter.keys()},
        {"size_bytes", filter.size_bytes()},
        {"file_bytes", filter.file_bytes()},
        {"bits_per_key", number_or_null(bits_per_key(filter))},
        {"planned_keys", spec.planned_keys == 0 ? json(nullptr) : json(spec.planned_keys)},
        {"grows", filter.universe() != 0},
        {"promised_keys", filter.promised_keys() == 0 ? json(nullptr) : json(filter.promised_keys())},
        {"planned_fpr", spec.planned_fpr == 0 ? json(nullptr) : json(spec.planned_fpr)},
        {"estimated_fpr_now", number_or_null(filter.estimated_fpr_now())},
        {"estimated_keys", number_or_null(filter.estimated_size())},
        {"fill", filter.fill()},
        {"is_over_capacity", filter.is_over_capacity()},
        {"hash", name_of(filter.hash().id)},
        {"format_version", filter.as_file().format_version},
        {"negative_reads", reads ? json(reads->negative.average) : json(nullptr)},
        {"positive_reads", reads ? json(reads->positive.average) : json(nullptr)},
        {"labels", labels},
        {"parameters", parameters_json(spec)},
    };
    if (shows_key) info["hash_key"] = to_hex(filter.hash().key);
    return info;
}

}  // namespace membrane::report
