// Minimum of a function of a few variables without derivatives: the Nelder-Mead simplex, restarted from its result until that no
// longer helps, because a simplex can collapse at a kink.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace membrane::model {

struct simplex_point {
    std::vector<double> at;
    double value;
};

namespace simplex_detail {

template <class Function>
simplex_point descend(const Function& function, std::vector<simplex_point> corners, int evaluations) {
    const std::size_t n = corners.size() - 1;
    const auto by_value = [](const simplex_point& a, const simplex_point& b) { return a.value < b.value; };
    const auto at_distance = [&](const std::vector<double>& centre, double factor) {
        simplex_point moved{centre, 0};
        for (std::size_t i = 0; i < n; ++i) moved.at[i] += factor * (corners[n].at[i] - centre[i]);
        moved.value = function(moved.at);
        --evaluations;
        return moved;
    };
    while (evaluations > 0) {
        std::sort(corners.begin(), corners.end(), by_value);
        if (corners[n].value - corners[0].value < 1e-7) break;
        std::vector<double> centre(n);
        for (std::size_t c = 0; c < n; ++c) {
            for (std::size_t i = 0; i < n; ++i) centre[i] += corners[c].at[i] / static_cast<double>(n);
        }
        simplex_point next = at_distance(centre, -1);
        if (next.value < corners[0].value) {
            simplex_point further = at_distance(centre, -2);
            corners[n] = further.value < next.value ? std::move(further) : std::move(next);
        } else if (next.value < corners[n - 1].value) {
            corners[n] = std::move(next);
        } else {
            simplex_point nearer = at_distance(centre, next.value < corners[n].value ? -0.5 : 0.5);
            if (nearer.value < std::min(next.value, corners[n].value)) {
                corners[n] = std::move(nearer);
                continue;
            }
            for (std::size_t c = 1; c <= n; ++c) {
                for (std::size_t i = 0; i < n; ++i)
                    corners[c].at[i] = (corners[c].at[i] + corners[0].at[i]) / 2;
                corners[c].value = function(corners[c].at);
                --evaluations;
            }
        }
    }
    return *std::min_element(corners.begin(), corners.end(), by_value);
}

}  // namespace simplex_detail

// `sizes` are the first steps in each variable. The result is never above the value at the start.
template <class Function>
simplex_point simplex_minimum(const Function& function, const std::vector<double>& start,
                              std::vector<double> sizes, int restarts, int evaluations) {
    simplex_point best{start, function(start)};
    for (int round = 0; round <= restarts; ++round) {
        std::vector<simplex_point> corners{best};
        for (std::size_t i = 0; i < start.size(); ++i) {
            simplex_point corner = best;
            corner.at[i] += sizes[i];
            corner.value = function(corner.at);
            corners.push_back(std::move(corner));
            sizes[i] *= -0.5;
        }
        const double before = best.value;
        best = simplex_detail::descend(function, std::move(corners), evaluations);
        if (round > 0 && before - best.value < 1e-6) break;
    }
    return best;
}

}  // namespace membrane::model
