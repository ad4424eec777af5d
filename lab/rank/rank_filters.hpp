// Filters of the kind rank for the lab: the paper's shapes as specs of ours, their packed size, and how many of their buckets are
// extended.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <membrane/model/interval.hpp>
#include <membrane/model/rank_storage.hpp>

#include <lab/experiment.hpp>
#include <lab/measure.hpp>

namespace membrane::lab {

std::string rank_filter_text(const model::rank_shape& shape, std::string_view mode = "set");

// Bits per key of packed filters, including the header.
std::optional<reading> measured_packed_bits_per_key(context& lab, const wanted_filter& wanted);

// The number of buckets with an extension, in each of the context's filters.
std::optional<model::running_summary> extended_buckets(context& lab, const wanted_filter& wanted);

}  // namespace membrane::lab
