// Gauss-Legendre quadrature with seven points, exact for polynomials up to degree 13. The terms are added in the order in which
// Boost.Math adds them, so that both give the same double; Boost's header alone takes 3 s to compile.
#pragma once

namespace membrane::model {

// The integral of `function` from `low` to `high`, low <= high.
template <class Function>
double gauss_integral(double low, double high, const Function& function) {
    struct node {
        double at, weight;
    };
    constexpr double middle_weight = 4.17959183673469388e-01;
    constexpr node nodes[]{{4.05845151377397167e-01, 3.81830050505118945e-01},
                           {7.41531185599394440e-01, 2.79705391489276668e-01},
                           {9.49107912342758525e-01, 1.29484966168869693e-01}};
    const double middle = (low + high) * 0.5;
    const double half = (high - low) * 0.5;
    double sum = function(middle) * middle_weight;
    for (const node& each : nodes)
        sum += (function(middle + half * each.at) + function(middle - half * each.at)) * each.weight;
    return half * sum;
}

}  // namespace membrane::model
