// Gauss-Hermite quadrature with five points for the normal distribution, exact for polynomials up to degree nine. For means over
// quantities that are nearly normal.
#pragma once

#include <array>

namespace membrane::model {

struct normal_node {
    double sigmas, weight;
};
inline constexpr std::array<normal_node, 5> normal_nodes{{{0, 8.0 / 15},
                                                          {1.3556261799742657, 0.22207592200561263},
                                                          {-1.3556261799742657, 0.22207592200561263},
                                                          {2.8569700138728056, 0.011257411327720691},
                                                          {-2.8569700138728056, 0.011257411327720691}}};

}  // namespace membrane::model
