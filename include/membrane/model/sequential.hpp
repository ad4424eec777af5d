// The SEQUENTIAL scheme: d candidate blocks of one table per key, tried in turn; a key that all refuse goes to the list.
//
// A second try is like a new arrival, so after tau accesses per key the loads are SINGLE's at x = r tau, and a try is refused
// with probability F(r tau). Time t (inserted keys as a fraction of n) and accesses are related by
// d tau / d t = 1 + F + .. + F^(d-1): t(tau) is an integral, tau(t) the solution of a differential equation; both are here.
// gamma0 = the least overflow with which the scheme reaches the lower bound: t(a; gamma0) = 1. t falls with gamma, so
// bisection finds it, and the scheme is optimal for every gamma >= gamma0.
// Source: balanced Bloom filters, theorem 4 and appendix A (equation (1) there misprints F_h as F_(h-1)).
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/model/single.hpp>

namespace membrane::model {

struct sequential_design {
    double gamma0 = 0;
    std::uint64_t h = 0;
    double p = 0;
    bool bounded = true;  // false: a = 1, nothing is ever refused
};

// bad_field "a" (1 <= a < d, or a = d = 1), "d" (1 .. 64), "r" (above 0, a r at most 1024).
result<sequential_design> sequential(double a, std::uint64_t d, double r);

// t after `accesses` accesses per key, by quadrature. bad_field "accesses", "d", "r", "h", "p".
result<double> sequential_time(double accesses, std::uint64_t d, double r, std::uint64_t h, double p);

// The fraction t0 of the keys for which a budget of a accesses per key lasts if the list may take gamma of them.
result<double> sequential_exhaustion(double a, std::uint64_t d, double r, double gamma);

struct sequential_state {
    double accesses = 0;  // tau: blocks read so far, per key of the design fill
    double overflow = 0;  // keys in the list so far, per key of the design fill
    single_state loads;
};

// The state after fill * n keys, by the differential equation. bad_field "fill" (0 .. 16) and as above.
result<sequential_state> sequential_dynamics(double r, double fill, std::uint64_t d, std::uint64_t h,
                                             double p);

}  // namespace membrane::model
