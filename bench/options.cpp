#include "options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "timing/key_supply.hpp"

namespace bench {
namespace {

int usage(int code) {
    std::fprintf(
        code == 0 ? stdout : stderr,
        "usage: ./dev bench [--quick] [--keys N]... [--fpr P]... [--key-bytes N]... [--rounds N] [--only "
        "TEXT] "
        "[--lookups-only]\n"
        "                   [--csv FILE] [--svg FOLDER]\n"
        "       ./dev bench --instructions [--keys N] [--fpr P] [--only TEXT]\n"
        "       ./dev bench --growth [--keys N]... [--fpr P]... [--rounds N]\n"
        "       ./dev bench --integers [--keys N]... [--fpr P]... [--rounds N]\n"
        "       ./dev bench --record NAME...\n"
        "  --quick       one million keys, one rate, three rounds\n"
        "  --keys N      measure at N keys (repeat for more sizes; default 1000000 and 10000000)\n"
        "  --fpr P       planned false positive rate (repeat for more; default 0.01)\n"
        "  --key-bytes N length of the keys, 8 to 256 (repeat for more; default 16)\n"
        "  --rounds N    rounds, all rows in each (default 5)\n"
        "  --only TEXT   rows whose name contains TEXT, or one of several with commas between (for example "
        "keys,rank);\n"
        "                =NAME is that row alone; 'same bits': filters of one size\n"
        "  --lookups-only  filters are filled once, without a clock\n"
        "  --csv FILE    append the numbers to FILE\n"
        "  --svg FOLDER  draw rate against space, and time against the number of keys\n"
        "  --instructions  counts instructions instead, under valgrind, into bench/results/instructions.csv\n"
        "  --growth      insertion with all growth, for several growth factors, beside a filter that was "
        "planned for all keys\n"
        "  --integers    lookups of integers, hashing included, by both hashes of integers and with "
        "precomputed "
        "hashes,\n"
        "                and by code for the class of the layout or for any, in the same rounds (default: "
        "1000000 and 100000000 keys, 0.004)\n"
        "  --threads     filters used by 1, 2, 4 and 8 threads at once, beside a plain filter behind a "
        "mutex\n"
        "  --record NAME   measures again what doc/benchmarks.md shows: 1m, 10m, 100m, rates, hashes, sizes, "
        "threads, instructions\n"
        "columns: ns per key for one-by-one and batched calls; rows marked (keys) include hashing a "
        "16-byte key\n");
    return code;
}

bool is_sensible(const options& chosen) {
    return chosen.rounds >= 1 && !chosen.sizes.empty() && !chosen.rates.empty() &&
           std::all_of(chosen.rates.begin(), chosen.rates.end(), [](double p) { return p > 0 && p < 1; }) &&
           std::all_of(chosen.sizes.begin(), chosen.sizes.end(),
                       [](std::uint64_t n) { return n >= 10 && n <= 1'000'000'000; }) &&
           std::all_of(chosen.key_bytes.begin(), chosen.key_bytes.end(), [](std::size_t bytes) {
               return bytes >= membrane::timing::made_keys::least_bytes &&
                      bytes <= membrane::timing::made_keys::most_bytes;
           });
}

}  // namespace

namespace {

// A given option replaces the default.
template <class Value>
class given_list {
public:
    explicit given_list(std::vector<Value>& values) : values_(values) {}
    void add(Value value) {
        if (!is_given_) values_.clear();
        is_given_ = true;
        values_.push_back(value);
    }

private:
    std::vector<Value>& values_;
    bool is_given_ = false;
};

}  // namespace

parsed parse(int count, char** words) {
    options chosen;
    given_list sizes(chosen.sizes);
    given_list rates(chosen.rates);
    given_list lengths(chosen.key_bytes);
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--help") return {chosen, usage(0)};
        if (word == "--lookups-only") {
            chosen.lookups_only = true;
            continue;
        }
        if (word == "--instructions") {
            chosen.counts_instructions = true;
            chosen.sizes = {100'000};
            continue;
        }
        if (word == "--growth") {
            chosen.measures_growth = true;
            continue;
        }
        if (word == "--threads") {
            chosen.measures_threads = true;
            continue;
        }
        if (word == "--integers") {
            chosen.measures_integers = true;
            chosen.sizes = {1'000'000, 100'000'000};
            chosen.rates = {0.004};
            continue;
        }
        if (word == "--quick") {
            chosen.sizes = {1'000'000};
            chosen.rounds = 3;
            continue;
        }
        if (i + 1 == count) return {chosen, usage(2)};
        const char* const value = words[++i];
        if (word == "--keys") sizes.add(static_cast<std::uint64_t>(std::atof(value)));
        else if (word == "--fpr") rates.add(std::atof(value));
        else if (word == "--key-bytes") lengths.add(static_cast<std::size_t>(std::atoi(value)));
        else if (word == "--rounds") chosen.rounds = std::atoi(value);
        else if (word == "--only") chosen.only = value;
        else if (word == "--csv") chosen.csv = value;
        else if (word == "--svg") chosen.svg = value;
        else return {chosen, usage(2)};
    }
    if (!is_sensible(chosen)) return {chosen, usage(2)};
    return {chosen, std::nullopt};
}

}  // namespace bench
