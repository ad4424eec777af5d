// Translates the probe fields of a flat spec into the models' enumerations.
#pragma once

#include <membrane/model/less_hashing.hpp>
#include <membrane/part/flat_spec.hpp>

namespace membrane::plan {

inline model::growth_order growth_order_of(const filter_spec& spec) {
    if (spec[flat_field::probes] != probes::enhanced) return model::growth_order::none;
    switch (spec[flat_field::growth]) {
        case growth::square: return model::growth_order::quadratic;
        case growth::cube: return model::growth_order::cubic;
        default: return model::growth_order::tetrahedral;
    }
}

inline model::stride_rule stride_rule_of(const filter_spec& spec) {
    return spec[flat_field::strides] == strides::any ? model::stride_rule::any : model::stride_rule::coprime;
}

}  // namespace membrane::plan
