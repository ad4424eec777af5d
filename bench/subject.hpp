// Something that is measured: one row of the table.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "key_set.hpp"

namespace bench {

// Nanoseconds per key; columns that do not apply stay zero and are printed as a dash.
enum column : std::size_t {
    insert_one,
    insert_batch,
    hit_one,
    miss_one,
    hit_batch,
    miss_batch,
    column_count
};

inline constexpr std::array<const char*, column_count> column_names{"insert", "ins.batch", "hit",
                                                                    "miss",   "hit.batch", "miss.batch"};
using timings = std::array<double, column_count>;

class subject {
public:
    virtual ~subject() = default;

    virtual std::string name() const = 0;
    virtual double size_bytes() const = 0;
    virtual double predicted_fpr() const = 0;
    // Empties the filter, fills it with the members and asks for everybody; the last false positive count is kept.
    virtual timings run(const key_set& members, const key_set& strangers) = 0;

    std::uint64_t false_positives = 0;
    std::uint64_t false_negatives = 0;
};

}  // namespace bench
