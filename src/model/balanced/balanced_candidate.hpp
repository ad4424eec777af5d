// One balanced Bloom filter during the search for the best, in variables from which its size and rate follow without equations:
//
// Table j is given by its arrivals per block x_j and its capacity h_j + p_j (continuous: (h, 1) is (h + 1, 0)). The keys that
// table j refuses arrive at table j + 1, so blocks, rate and reads follow in one pass; only x_1 is adjusted to give the
// requested size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/balanced_optimum.hpp>

namespace membrane::model {

struct candidate_table {
    double arrivals;
    double capacity;
};

struct candidate_score {
    double fpr;
    double reads;           // blocks and list lookups of a stranger's lookup
    double first_arrivals;  // x_1 that gives the requested size
    double blocks_per_key;
};

class balanced_search {
public:
    explicit balanced_search(const balanced_request& request) : request_(request) {}

    // Empty if no x_1 gives the size. tables[0].arrivals is the start of the search for x_1.
    std::optional<candidate_score> score(const std::vector<candidate_table>& tables, std::uint64_t k);

    // The tables as shares, h and p; `score` must be theirs.
    std::vector<sub_table> tables_of(const std::vector<candidate_table>& tables,
                                     const candidate_score& score) const;

    bool is_feasible(const candidate_score& score) const {
        return score.reads <= request_.most_negative_reads + 1e-9;
    }

private:
    const std::vector<double>& rates(std::uint64_t bloom_bits, std::uint64_t k, std::uint64_t most_load);

    balanced_request request_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<double>> rates_;
};

}  // namespace membrane::model
