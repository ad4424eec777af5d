// What `membrane bench` measured, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <membrane/plan/requirement.hpp>
#include <membrane/spec/filter_spec.hpp>
#include <timing/rounds.hpp>

#include "key_reader.hpp"

namespace membrane::cli {

struct bench_setting {
    bool has_files =
        false;  // the user's keys, and hashing them is in every time; else made keys by their hashes
    hasher hash;
    std::uint64_t rounds = 0;
};

// One size.
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
