// ./dev bench: one row per kind. All rows of a size are measured in turn, several rounds, so that a slow minute of the
// machine hits every row; the table shows the least time of each cell, the CSV also the median.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <membrane/spec/flat_spec.hpp>

#include "floor_subject.hpp"
#include "inlined_subject.hpp"
#include "libbloom_subject.hpp"
#include "membrane_subject.hpp"

#ifndef MEMBRANE_BENCH_FLAGS
#define MEMBRANE_BENCH_FLAGS "unknown flags"
#endif

namespace {

using namespace bench;

struct options {
    std::vector<std::uint64_t> sizes{1'000'000, 10'000'000};
    int rounds = 5;
    double fpr = 0.01;
    std::string csv;
    std::string only;  // rows whose name contains this
};

struct row {
    std::unique_ptr<subject> what;
    std::vector<timings> samples;
};

double cell(const row& from, std::size_t column, double quantile) {
    std::vector<double> values;
    for (const timings& sample : from.samples) values.push_back(sample[column]);
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(quantile * static_cast<double>(values.size() - 1))];
}

void add_filter(std::vector<row>& rows, const std::string& name, const membrane::filter_spec& spec,
                const membrane::hasher& hash, std::uint64_t keys, asked_with how) {
    auto filter = membrane::any_filter::create(spec, hash);
    if (!filter) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), membrane::describe(filter.error()).c_str());
        return;
    }
    rows.push_back({std::make_unique<membrane_subject>(name, std::move(*filter), keys, how), {}});
}

// Every registered kind as the planner sizes it, then what deserves a row of its own.
std::vector<row> make_rows(std::uint64_t keys, double fpr, const membrane::hasher& hash) {
    std::vector<row> rows;
    const membrane::plan::requirement wanted{keys, fpr, {}};
    for (const membrane::kind_entry& kind : membrane::registry()) {
        const auto spec = kind.plan.size(wanted, {});
        if (spec) add_filter(rows, std::string(kind.rules.name), *spec, hash, keys, asked_with::hashes);
    }
    const membrane::kind_entry& bloom = *membrane::find_entry("bloom");
    for (const std::uint64_t probes : {membrane::probes::independent, membrane::probes::enhanced}) {
        membrane::plan::given_fields given;
        given.spec[membrane::flat_field::probes] = probes;
        given.is_given.set(membrane::flat_field::probes);
        if (const auto spec = bloom.plan.size(wanted, given))
            add_filter(rows, "bloom " + std::string(membrane::probes_names[probes]), *spec, hash, keys,
                       asked_with::hashes);
    }
    if (const auto spec = bloom.plan.size(wanted, {})) {
        rows.push_back({std::make_unique<inlined_subject>(*spec, hash, keys), {}});
        for (const membrane::hash_id id : {membrane::hash_id::siphash13, membrane::hash_id::xxh3})
            add_filter(rows, "bloom double, " + std::string(name_of(id)) + " (keys)", *spec, {id, hash.key},
                       keys, asked_with::keys);
    }
#if defined(MEMBRANE_HAVE_LIBBLOOM)
    rows.push_back({std::make_unique<libbloom_subject>(keys, fpr), {}});
#endif
    rows.push_back({std::make_unique<floor_subject>(rows.front().what->size_bytes()), {}});
    return rows;
}

void print_table(const std::vector<row>& rows, std::uint64_t keys, double fpr) {
    std::printf("\n%llu keys, planned false positive rate %g %%; ns per key, least of %zu rounds\n",
                static_cast<unsigned long long>(keys), 100 * fpr, rows.front().samples.size());
    std::printf("%-32s %9s", "", "bits/key");
    for (const char* column : column_names) std::printf(" %10s", column);
    std::printf(" %10s %10s\n", "fpr %", "model %");
    const double count = static_cast<double>(keys);
    for (const row& line : rows) {
        std::printf("%-32s %9.2f", line.what->name().c_str(), line.what->size_bytes() * 8 / count);
        for (std::size_t column = 0; column < column_count; ++column) {
            const double least = cell(line, column, 0);
            if (least == 0) std::printf(" %10s", "-");
            else std::printf(" %10.1f", least);
        }
        std::printf(" %10.4f %10.4f%s\n", 100 * static_cast<double>(line.what->false_positives) / count,
                    100 * line.what->predicted_fpr(),
                    line.what->false_negatives == 0 ? "" : "  FALSE NEGATIVES");
    }
}

// Ratios within one round, and their median: the noise that rows of one round share cancels.
void print_ratio(const std::vector<row>& rows, const char* above, const char* below, std::size_t above_column,
                 std::size_t below_column, const char* text) {
    const auto find = [&](const char* name) {
        return std::find_if(rows.begin(), rows.end(),
                            [&](const row& line) { return line.what->name() == name; });
    };
    const auto a = find(above), b = find(below);
    if (a == rows.end() || b == rows.end()) return;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < a->samples.size(); ++i)
        ratios.push_back(a->samples[i][above_column] / b->samples[i][below_column]);
    std::sort(ratios.begin(), ratios.end());
    std::printf("  %-66s %5.2f  (%.2f .. %.2f)\n", text, ratios[ratios.size() / 2], ratios.front(),
                ratios.back());
}

void print_ratios(const std::vector<row>& rows) {
    std::printf("ratios, median of the rounds (least .. largest)\n");
    const char* const libbloom = "libbloom (keys)";
    struct contest {
        const char* row;
        std::size_t hit, miss;
        const char* text;
    };
    constexpr contest contests[]{
        {"bloom double, xxh3, inlined (keys)", hit_one, miss_one, "bloom double, xxh3, inlined"},
        {"bloom double, xxh3 (keys)", hit_one, miss_one, "bloom double, xxh3, run-time handle"},
        {"bloom double, xxh3 (keys)", hit_batch, miss_batch, "bloom double, xxh3, batch"},
        {"bloom double, siphash13 (keys)", hit_one, miss_one, "bloom double, siphash13, run-time handle"},
        {"bloom double, siphash13 (keys)", hit_batch, miss_batch, "bloom double, siphash13, batch"},
    };
    for (const contest& each : contests) {
        const std::string text = std::string("libbloom / ") + each.text;
        print_ratio(rows, libbloom, each.row, miss_one, each.miss, (text + ", misses").c_str());
        print_ratio(rows, libbloom, each.row, hit_one, each.hit, (text + ", hits").c_str());
    }
    print_ratio(rows, "bloom", "bloom", miss_one, miss_batch, "bloom: one by one / batch, misses");
    print_ratio(rows, "bloom", "bloom", hit_one, hit_batch, "bloom: one by one / batch, hits");
    print_ratio(rows, "blocked_bloom", "blocked_bloom", miss_one, miss_batch,
                "blocked_bloom: one by one / batch, misses");
    print_ratio(rows, "blocked_bloom", "one line read (floor)", miss_batch, miss_one,
                "blocked_bloom batch misses / plain line read");
    print_ratio(rows, "bloom", "one line read (floor)", miss_batch, miss_one,
                "bloom batch misses / plain line read");
}

void append_csv(const std::string& path, const std::vector<row>& rows, std::uint64_t keys, double fpr) {
    std::FILE* const file = std::fopen(path.c_str(), "a");
    if (file == nullptr) {
        std::perror(path.c_str());
        std::exit(4);
    }
    if (std::ftell(file) == 0)
        std::fprintf(file, "keys,planned_fpr,row,bits_per_key,fpr,predicted_fpr,column,least_ns,median_ns\n");
    for (const row& line : rows)
        for (std::size_t column = 0; column < column_count; ++column)
            if (cell(line, column, 0) != 0)
                std::fprintf(file, "%llu,%g,\"%s\",%.4f,%.6g,%.6g,%s,%.3f,%.3f\n",
                             static_cast<unsigned long long>(keys), fpr, line.what->name().c_str(),
                             line.what->size_bytes() * 8 / static_cast<double>(keys),
                             static_cast<double>(line.what->false_positives) / static_cast<double>(keys),
                             line.what->predicted_fpr(), column_names[column], cell(line, column, 0),
                             cell(line, column, 0.5));
    std::fclose(file);
}

int usage(int code) {
    std::fprintf(
        code == 0 ? stdout : stderr,
        "usage: ./dev bench [--quick] [--keys N]... [--rounds N] [--fpr P] [--only TEXT] [--csv FILE]\n"
        "  --quick       one million keys, three rounds\n"
        "  --keys N      measure at N keys (repeat for more sizes; default 1000000 and 10000000)\n"
        "  --rounds N    rounds, all rows in each (default 5)\n"
        "  --fpr P       planned false positive rate (default 0.01)\n"
        "  --only TEXT   rows whose name contains TEXT (for example keys)\n"
        "  --csv FILE    append the numbers to FILE\n"
        "columns: ns per key for one-by-one and batched calls; rows marked (keys) include hashing a "
        "16-byte key\n");
    return code;
}

}  // namespace

int main(int count, char** words) {
    options chosen;
    bool is_first_size = true;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        const auto value = [&] { return i + 1 < count ? std::atof(words[++i]) : 0.0; };
        if (word == "--help") return usage(0);
        if (word == "--quick") {
            chosen.sizes = {1'000'000};
            chosen.rounds = 3;
        } else if (word == "--keys") {
            if (is_first_size) chosen.sizes.clear();
            is_first_size = false;
            chosen.sizes.push_back(static_cast<std::uint64_t>(value()));
        } else if (word == "--rounds") {
            chosen.rounds = static_cast<int>(value());
        } else if (word == "--fpr") {
            chosen.fpr = value();
        } else if (word == "--only" && i + 1 < count) {
            chosen.only = words[++i];
        } else if (word == "--csv" && i + 1 < count) {
            chosen.csv = words[++i];
        } else {
            return usage(2);
        }
    }
    const bool is_sensible = chosen.rounds >= 1 && chosen.fpr > 0 && chosen.fpr < 1 &&
                             std::all_of(chosen.sizes.begin(), chosen.sizes.end(),
                                         [](std::uint64_t n) { return n >= 1 && n <= 200'000'000; });
    if (!is_sensible) return usage(2);

    std::printf("%s\n", MEMBRANE_BENCH_FLAGS);
    std::fflush(stdout);
    const membrane::hasher hash{membrane::hash_id::xxh3, {1, 2}};
    bool lost = false;
    for (const std::uint64_t keys : chosen.sizes) {
        const key_set members('m', keys, hash), strangers('s', keys, hash);
        std::vector<row> rows = make_rows(keys, chosen.fpr, hash);
        std::erase_if(
            rows, [&](const row& line) { return line.what->name().find(chosen.only) == std::string::npos; });
        if (rows.empty()) return usage(2);
        for (int round = 0; round < chosen.rounds; ++round) {
            for (row& line : rows) line.samples.push_back(line.what->run(members, strangers));
            std::fprintf(stderr, "\r%llu keys: round %d of %d", static_cast<unsigned long long>(keys),
                         round + 1, chosen.rounds);
        }
        std::fprintf(stderr, "\n");
        print_table(rows, keys, chosen.fpr);
        print_ratios(rows);
        std::fflush(stdout);
        if (!chosen.csv.empty()) append_csv(chosen.csv, rows, keys, chosen.fpr);
        for (const row& line : rows) lost = lost || line.what->false_negatives != 0;
    }
    return lost ? 1 : 0;
}
