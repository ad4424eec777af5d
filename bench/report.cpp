#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "timing/machine.hpp"

#ifndef MEMBRANE_BENCH_FLAGS
#define MEMBRANE_BENCH_FLAGS "unknown flags"
#endif

namespace bench {
namespace {

constexpr int name_width = 34;

// Set by ./dev.
const char* commit() {
    const char* const name = std::getenv("MEMBRANE_COMMIT");
    return name != nullptr ? name : "unknown";
}

void print_number(double value, const char* format) {
    if (value == 0) std::printf(" %10s", "-");
    else std::printf(format, value);
}

void print_head(const char* first) {
    std::printf("%-*s %9s", name_width, "", first);
    for (const char* name : column_names) std::printf(" %10s", name);
}

// The median over rounds of the ratio of two rows' times within a round: noise that both rows share cancels.
void print_contest(const table& measured, const char* above, const char* below, column above_column,
                   column below_column, const std::string& text) {
    const auto find = [&](const char* name) {
        return std::find_if(measured.rows.begin(), measured.rows.end(),
                            [&](const row& line) { return line.name == name; });
    };
    const auto a = find(above), b = find(below);
    if (a == measured.rows.end() || b == measured.rows.end()) return;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < a->samples.size(); ++i)
        ratios.push_back(a->samples[i].ns[above_column] / b->samples[i].ns[below_column]);
    std::sort(ratios.begin(), ratios.end());
    std::printf("  %-66s %5.2f  (%.2f .. %.2f)\n", text.c_str(), ratios[ratios.size() / 2], ratios.front(),
                ratios.back());
}

}  // namespace

void print_table(const table& measured) {
    std::printf("\n%llu keys, planned false positive rate %g %%; ns per key, least of %zu rounds\n",
                static_cast<unsigned long long>(measured.keys), 100 * measured.planned_fpr,
                measured.rows.front().samples.size());
    print_head("bits/key");
    std::printf(" %10s %10s %8s\n", "fpr %", "model %", "overhead");
    for (const row& line : measured.rows) {
        const double bits = bits_per_key(measured, line), rate = measured_fpr(line);
        std::printf("%-*s %9.2f", name_width, line.name.c_str(), bits);
        for (std::size_t i = 0; i < column_count; ++i)
            print_number(quantile_ns(line, static_cast<column>(i), 0), " %10.1f");
        std::printf(" %10.4f %10.4f", 100 * rate, 100 * line.predicted_fpr);
        if (rate > 0) std::printf(" %7.0f%%", 100 * (bits / -std::log2(rate) - 1));
        else std::printf(" %8s", "-");
        std::printf("%s\n", line.false_negatives == 0 ? "" : "  FALSE NEGATIVES");
    }
}

void print_ratios(const table& measured) {
    std::printf("over the plain read of one line of an array of the same size, median of the rounds\n");
    print_head("read ns");
    std::printf("\n");
    for (const row& line : measured.rows) {
        std::printf("%-*s %9.1f", name_width, line.name.c_str(),
                    quantile_floor(line, &floor_times::plain_ns, 0));
        for (std::size_t i = 0; i < column_count; ++i)
            print_number(median_floor_ratio(line, static_cast<column>(i)), " %10.2f");
        std::printf("\n");
    }
    struct contest {
        const char* row;
        column hit, miss;
        const char* text;
    };
    constexpr contest contests[]{
        {"bloom double, xxh3, inlined (keys)", hit_one, miss_one, "bloom double, xxh3, inlined"},
        {"bloom double, xxh3 (keys)", hit_one, miss_one, "bloom double, xxh3, run-time handle"},
        {"bloom double, xxh3 (keys)", hit_batch, miss_batch, "bloom double, xxh3, batch"},
        {"bloom double, siphash13 (keys)", hit_one, miss_one, "bloom double, siphash13, run-time handle"},
        {"bloom double, siphash13 (keys)", hit_batch, miss_batch, "bloom double, siphash13, batch"},
    };
    std::printf("one row over another, median of the rounds (least .. largest)\n");
    for (const char* const other : {"libbloom (keys)", "rocksdb bloom (keys)"})
        for (const contest& each : contests) {
            const std::string text = std::string(other) + " / " + each.text;
            print_contest(measured, other, each.row, miss_one, each.miss, text + ", misses");
            print_contest(measured, other, each.row, hit_one, each.hit, text + ", hits");
        }
    for (const char* const kind : {"bloom", "blocked_bloom", "balanced_bloom", "balanced_rank"}) {
        const std::string text = std::string(kind) + ": one by one / batch";
        print_contest(measured, kind, kind, miss_one, miss_batch, text + ", misses");
        print_contest(measured, kind, kind, hit_one, hit_batch, text + ", hits");
    }
    for (const column which : {miss_one, hit_one, miss_batch, hit_batch})
        print_contest(measured, "balanced_bloom", "blocked_bloom", which, which,
                      std::string("balanced_bloom / blocked_bloom, ") + column_names[which]);
}

std::string measured_on() { return processor_name() + "; " + MEMBRANE_BENCH_FLAGS + "; commit " + commit(); }

bool append_csv(const std::string& path, const table& measured) {
    std::FILE* const file = std::fopen(path.c_str(), "a");
    if (file == nullptr) {
        std::perror(path.c_str());
        return false;
    }
    if (std::ftell(file) == 0)
        std::fprintf(file,
                     "# %s\n"
                     "keys,planned_fpr,row,bits_per_key,fpr,predicted_fpr,column,least_ns,median_ns,"
                     "median_over_line_read\n",
                     measured_on().c_str());
    for (const row& line : measured.rows) {
        const auto write = [&](const char* column, double least, double median, double ratio) {
            if (least == 0) return;
            std::fprintf(file, "%llu,%g,\"%s\",%.4f,%.6g,%.6g,%s,%.3f,%.3f,%.3f\n",
                         static_cast<unsigned long long>(measured.keys), measured.planned_fpr,
                         line.name.c_str(), bits_per_key(measured, line), measured_fpr(line),
                         line.predicted_fpr, column, least, median, ratio);
        };
        for (std::size_t i = 0; i < column_count; ++i) {
            const auto which = static_cast<column>(i);
            write(column_names[i], quantile_ns(line, which, 0), quantile_ns(line, which, 0.5),
                  median_floor_ratio(line, which));
        }
        const double plain = quantile_floor(line, &floor_times::plain_ns, 0.5);
        const double ahead = quantile_floor(line, &floor_times::prefetched_ns, 0.5);
        write("line.plain", quantile_floor(line, &floor_times::plain_ns, 0), plain, 1);
        write("line.ahead", quantile_floor(line, &floor_times::prefetched_ns, 0), ahead, ahead / plain);
    }
    return std::fclose(file) == 0;
}

}  // namespace bench
