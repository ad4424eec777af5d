#include "integers.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "inlined/integers.hpp"
#include "rows.hpp"

namespace bench {
namespace {

double least(const std::vector<double>& ns) { return *std::min_element(ns.begin(), ns.end()); }

// Median over the rounds of the quotient of two times of one round, so that a slow moment of the machine is in both.
double median_ratio(const std::vector<double>& of, const std::vector<double>& to) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / to[i]);
    std::sort(ratios.begin(), ratios.end());
    return ratios[ratios.size() / 2];
}

void print(const char* kind, std::uint64_t keys, double fpr, const integer_ways& ways) {
    std::printf("\n%s, %llu integer keys, %g %%; ns per lookup, and times the first row\n%-12s", kind,
                static_cast<unsigned long long>(keys), 100 * fpr, "");
    for (const std::string_view name : integer_column_names) std::printf(" %10s  ratio", name.data());
    std::printf("\n");
    for (const integer_way& way : ways) {
        std::printf("%-12s", way.name.data());
        for (std::size_t column = 0; column < integer_columns; ++column)
            std::printf(" %10.2f %6.2f", least(way.ns[column]),
                        median_ratio(way.ns[column], ways.front().ns[column]));
        std::printf("\n");
    }
    std::fflush(stdout);
}

}  // namespace

int measure_integers(const options& chosen) {
    if (!has_inlined_rows()) {
        std::fprintf(
            stderr,
            "bench: --integers measures filters that are compiled for AVX2, which this machine lacks\n");
        return 2;
    }
    for (const std::uint64_t keys : chosen.sizes)
        for (const double fpr : chosen.rates)
            for (const auto& [kind, measure] : {std::pair{"blocked_bloom", &integers_in_blocked_bloom},
                                                std::pair{"balanced_rank", &integers_in_balanced_rank},
                                                std::pair{"balanced_rank", &layouts_in_balanced_rank}}) {
                const integer_ways ways = measure(keys, fpr, chosen.rounds);
                if (ways.empty()) {
                    std::fprintf(stderr, "bench: %s: no memory, or a key was lost\n", kind);
                    return 1;
                }
                print(kind, keys, fpr, ways);
            }
    return 0;
}

}  // namespace bench
