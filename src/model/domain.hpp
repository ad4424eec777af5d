// Errors for arguments outside a formula's domain.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include <membrane/base/error.hpp>

namespace membrane::model {

constexpr error outside_domain(std::string_view what, std::string_view note) {
    return make_error(errc::bad_field, what).with_note(note);
}

// A number in [low, high]; false for NaN.
inline bool within(double value, double low, double high) { return value >= low && value <= high; }

}  // namespace membrane::model
