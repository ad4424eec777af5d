// The picture of a plan: what every kind makes of more bits, with the choice marked.
#pragma once

#include <string>

#include <membrane/plan/ranking.hpp>

namespace membrane::cli {

// The text of an SVG file.
std::string plan_picture(const plan::requirement& wanted, const plan::ranking& ranked);

}  // namespace membrane::cli
