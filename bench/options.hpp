// The command line of the benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct options {
    std::vector<std::uint64_t> sizes{1'000'000, 10'000'000};
    std::vector<double> rates{0.01};
    std::vector<std::size_t> key_bytes{16};
    int rounds = 5;
    bool lookups_only = false;
    std::string csv;   // file that the numbers are appended to
    std::string svg;   // folder of the charts
    std::string only;  // comma-separated; rows whose name contains one of these (=NAME: equals)
    bool counts_instructions = false;
    bool measures_growth = false;
    bool measures_integers = false;
    bool measures_threads = false;
};

struct parsed {
    options chosen;
    std::optional<int> exit_code;  // if set, the program ends with it
};

parsed parse(int count, char** words);

}  // namespace bench
