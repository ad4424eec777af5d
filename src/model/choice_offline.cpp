#include <membrane/model/choice_offline.hpp>

#include <algorithm>
#include <cmath>

namespace membrane::model {

namespace {

// In ten-thousandths: [greedy, annealed][c = 2, 3, 4][k][ones][rounds].
using by_rounds = std::array<std::uint16_t, offline_rounds.size()>;
using by_ones = std::array<by_rounds, offline_ones.size()>;
using by_k = std::array<by_ones, offline_k.size()>;
constexpr std::array<std::array<by_k, 3>, 2> table{{
#include "model/choice_offline_table.inc"
}};

// Position of a value between two points of a grid: `below` and the next.
struct between {
    std::size_t below;
    double part;
};
template <class T, std::size_t N>
between place_in(const std::array<T, N>& grid, double value) {
    const double at = std::clamp(value, static_cast<double>(grid.front()), static_cast<double>(grid.back()));
    std::size_t below = 0;
    while (below + 2 < N && static_cast<double>(grid[below + 1]) <= at) ++below;
    const double low = static_cast<double>(grid[below]), high = static_cast<double>(grid[below + 1]);
    // Fractions are interpolated linearly, numbers of positions and rounds by their logarithm.
    if (high <= 1) return {below, (at - low) / (high - low)};
    return {below, std::log(at / low) / std::log(high / low)};
}

double mixed(double a, double b, double part) { return a + (b - a) * part; }

double at_rounds(const by_rounds& shares, std::uint64_t rounds) {
    if (rounds < offline_rounds.front()) return 1;
    const between at = place_in(offline_rounds, static_cast<double>(rounds));
    return mixed(shares[at.below], shares[at.below + 1], at.part) / 10000;
}

// An empty and a full array have nothing to gain.
double at_ones(const by_ones& shares, double ones, std::uint64_t rounds) {
    if (ones < offline_ones.front())
        return mixed(1, at_rounds(shares.front(), rounds), std::max(0.0, ones) / offline_ones.front());
    if (ones > offline_ones.back())
        return mixed(at_rounds(shares.back(), rounds), 1,
                     (std::min(1.0, ones) - offline_ones.back()) / (1 - offline_ones.back()));
    const between at = place_in(offline_ones, ones);
    return mixed(at_rounds(shares[at.below], rounds), at_rounds(shares[at.below + 1], rounds), at.part);
}

}  // namespace

double choice_offline_share(double online_ones, std::uint64_t choices, std::uint64_t k, std::uint64_t rounds,
                            round_search how) {
    if (choices < 2 || rounds < 2) return 1;
    const by_k& shares =
        table[how == round_search::annealed ? 1 : 0][std::min<std::uint64_t>(choices, 4) - 2];
    const between at = place_in(offline_k, static_cast<double>(k));
    return mixed(at_ones(shares[at.below], online_ones, rounds),
                 at_ones(shares[at.below + 1], online_ones, rounds), at.part);
}

}  // namespace membrane::model
