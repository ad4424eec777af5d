// How far the numbers of a row are apart, and whether that exceeds chance and rounding.
#pragma once

#include <optional>

#include "experiment.hpp"

namespace membrane::lab {

inline constexpr double sigmas = 5;

// The reference for simulation and measurement: the model, or the published number if no model is known.
std::optional<double> reference_of(const row& each);

struct deviation {
    double part = 0;      // value / reference - 1
    double interval = 0;  // 5 sigma and the margin, as a part of the reference
    bool is_inside = true;
};

std::optional<deviation> deviation_of(const row& each, const std::optional<reading>& value);

// The model against the published number, which may be a misprint.
enum class agreement { unknown, agrees, misprint, differs };
agreement published_agreement(const row& each);

bool is_ok(const row& each);
bool is_ok(const report& made);

}  // namespace membrane::lab
