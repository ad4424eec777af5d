#include <membrane/model/line_reads.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace membrane::model {

namespace {

// phi(d) / d
double share_of_units(std::uint64_t d) {
    std::uint64_t units = 0;
    for (std::uint64_t i = 1; i <= d; ++i) units += std::gcd(i, d) == 1 ? 1 : 0;
    return static_cast<double>(units) / static_cast<double>(d);
}

// The part of [first, last) below `border`.
double share_below(double border, double first, double last) {
    return std::clamp((border - first) / (last - first), 0.0, 1.0);
}

// Position i competes with rivals_of(1) + ... + rivals_of(i) earlier positions for its line.
template <class Rivals>
double spread_walk_lines(std::span<const double> reach, double cells, double cells_per_line,
                         const Rivals& rivals_of) {
    const double whole_lines = std::floor(cells / cells_per_line);
    const double whole = std::min(1.0, cells_per_line / cells);
    const double rest = std::max(0.0, 1 - whole_lines * whole);
    double sum = 0;
    double rivals = 0;
    for (std::size_t i = 0; i < reach.size(); ++i) {
        if (i != 0) rivals += rivals_of(i);
        const double is_new =
            whole_lines * whole * std::pow(1 - whole, rivals) + rest * std::pow(1 - rest, rivals);
        sum += reach[i] * is_new;
    }
    return sum;
}

double grown(growth_order growth, double i) {
    switch (growth) {
        case growth_order::quadratic: return i * i;
        case growth_order::cubic: return i * i * i;
        case growth_order::tetrahedral: return (i * i * i - i) / 6;
        default: return 0;
    }
}

// value modulo range, for values of at most some thousand ranges: much faster than std::fmod, and as exact as the averages need.
double rest_of(double value, double range) { return value - range * std::floor(value / range); }

// Averages over starts and strides that cover the unit square evenly: the R2 sequence (multiples of the plastic number's powers).
double summed_walk_lines(std::span<const double> reach, double cells, double cells_per_line,
                         growth_order growth) {
    constexpr double start_step = 0.7548776662466927, stride_step = 0.5698402909980532;
    constexpr int sampled = 4096;
    double sum = 0;
    std::vector<double> lines;
    for (int sample = 0; sample < sampled; ++sample) {
        const double start = rest_of(0.5 + sample * start_step, 1) * cells;
        const double stride = rest_of(0.5 + sample * stride_step, 1) * cells;
        lines.clear();
        for (std::size_t i = 0; i < reach.size(); ++i) {
            const double number = static_cast<double>(i);
            const double line =
                std::floor(rest_of(start + number * stride + grown(growth, number), cells) / cells_per_line);
            if (std::find(lines.begin(), lines.end(), line) != lines.end()) continue;
            lines.push_back(line);
            sum += reach[i];
        }
    }
    return sum / sampled;
}

}  // namespace

double independent_walk_lines(std::span<const double> reach, double cells, double cells_per_line) {
    return spread_walk_lines(reach, cells, cells_per_line, [](std::uint64_t) { return 1.0; });
}

double progression_walk_lines(std::span<const double> reach, double cells, double cells_per_line,
                              growth_order growth) {
    const double places = static_cast<double>(reach.size());
    return cells < 4 * places * places * cells_per_line
               ? summed_walk_lines(reach, cells, cells_per_line, growth)
               : spread_walk_lines(reach, cells, cells_per_line, share_of_units);
}

double sub_array_walk_lines(std::span<const double> reach, double sub_array_cells, double cells_per_line) {
    double sum = 0;
    for (std::size_t i = 0; i < reach.size(); ++i) {
        const double first = static_cast<double>(i) * sub_array_cells;
        const double line_start = std::floor(first / cells_per_line) * cells_per_line;
        const double line_end = line_start + cells_per_line;
        double none_before = 1;
        for (std::size_t j = i; j-- > 0;) {
            const double start = static_cast<double>(j) * sub_array_cells;
            if (start + sub_array_cells <= line_start) break;
            none_before *= share_below(line_start, start, start + sub_array_cells);
        }
        const double in_first_line = share_below(line_end, first, first + sub_array_cells);
        sum += reach[i] * (1 - in_first_line * (1 - none_before));
    }
    return sum;
}

std::vector<double> reach_until_unused(double cells_in_use, std::uint64_t places) {
    std::vector<double> reach(static_cast<std::size_t>(places), 1.0);
    for (std::size_t i = 1; i < reach.size(); ++i) reach[i] = reach[i - 1] * cells_in_use;
    return reach;
}

std::vector<double> reach_in_sub_arrays(std::uint64_t n, double sub_array_cells, std::uint64_t places) {
    std::vector<double> reach(static_cast<std::size_t>(places), 1.0);
    for (std::size_t i = 1; i < reach.size(); ++i)
        reach[i] = partitioned_two_hash_fpr_exact(n, sub_array_cells, i);
    return reach;
}

}  // namespace membrane::model
