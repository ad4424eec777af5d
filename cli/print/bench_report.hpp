// The results of `membrane bench`, as a table and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <membrane/hash/hasher.hpp>
#include <membrane/plan/requirement.hpp>
#include <membrane/spec/filter_spec.hpp>
#include <timing/rounds.hpp>

namespace membrane::cli {

struct bench_setting {
    // With files the times include hashing the user's keys; generated keys are passed as hashes.
    bool has_files = false;
    hasher hash;
    std::uint64_t rounds = 0;
};

// The measurements for one number of keys.
struct bench_table {
    plan::requirement wanted;
    double mean_key_bytes = 0;
    double hash_ns = 0;  // hashing one key
    std::vector<filter_spec> specs;
    std::vector<timing::row> rows;  // one for each spec
    std::vector<std::string> left_out;
};

void print_bench_text(const bench_setting& setting, const bench_table& table);
void print_bench_json(const bench_setting& setting, const std::vector<bench_table>& tables);

}  // namespace membrane::cli
