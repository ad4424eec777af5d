// The ten probe schemes as types, and the choice of one by a spec's numbers. Shared by every flat kind.
#pragma once

#include <cstddef>
#include <tuple>

#include <membrane/base/target.hpp>
#include <membrane/part/flat_view.hpp>

MEMBRANE_TARGET_BEGIN

template <template <class Probe> class View>
struct flat_variants {
    using types = std::tuple<View<independent_probe>,                                 // 0
                             View<progression_probe<odd_ring, no_growth>>,            // 1
                             View<progression_probe<flat_ring, no_growth>>,           // 2
                             View<progression_probe<odd_ring, square_growth>>,        // 3 + 2 * growth
                             View<progression_probe<flat_ring, square_growth>>,       //   + strides
                             View<progression_probe<odd_ring, cube_growth>>,          //
                             View<progression_probe<flat_ring, cube_growth>>,         //
                             View<progression_probe<odd_ring, tetrahedral_growth>>,   //
                             View<progression_probe<flat_ring, tetrahedral_growth>>,  //
                             View<partitioned_probe>>;                                // 9

    static std::size_t variant_of(const filter_spec& spec) {
        switch (spec[flat_field::probes]) {
            case probes::independent: return 0;
            case probes::two_hash: return 1 + spec[flat_field::strides];
            case probes::enhanced: return 3 + 2 * spec[flat_field::growth] + spec[flat_field::strides];
            default: return 9;
        }
    }
};

MEMBRANE_TARGET_END
