// Filters of the kind rank for the lab: the paper's shapes as filters of ours, what they send, and which buckets of theirs are
// extended.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <membrane/model/interval.hpp>
#include <membrane/model/rank_storage.hpp>

#include "experiment.hpp"
#include "measure.hpp"

namespace membrane::lab {

std::string rank_filter_text(const model::rank_shape& shape, std::string_view mode = "set");

// Bits per key of packed filters, header and all.
std::optional<reading> measured_packed_bits_per_key(context& lab, const wanted_filter& wanted);

// Buckets that have taken an extension, in each of the context's number of filters.
std::optional<model::running_summary> extended_buckets(context& lab, const wanted_filter& wanted);

}  // namespace membrane::lab
