// Something that is measured: one row of the table.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "key_set.hpp"

namespace bench {

// Nanoseconds per key; columns that do not apply stay zero and are printed as a dash.
enum column : std::size_t {
    insert_batch,  // the first nine tenths of the keys
    insert_one,    // the last tenth, so into a filter that is nearly full
    erase_one,     // that tenth again
    hit_one,
    miss_one,
    hit_batch,
    miss_batch,
    miss_batch_two_threads,
    column_count
};

inline constexpr std::array<const char*, column_count> column_names{
    "ins.batch", "insert", "erase", "hit", "miss", "hit.batch", "miss.batch", "miss.2thr"};
using timings = std::array<double, column_count>;

class subject {
public:
    virtual ~subject() = default;

    virtual std::string name() const = 0;
    virtual double size_bytes() const = 0;
    virtual double predicted_fpr() const = 0;
    // Empties the filter and fills it with the members 0 to keys - 1.
    virtual void fill(std::uint64_t keys, timings& taken) = 0;
    // Asks for everybody; counts false positives and negatives.
    virtual void ask(const asked_keys& asked, timings& taken) = 0;

    std::uint64_t false_positives = 0;
    std::uint64_t false_negatives = 0;
};

inline std::uint64_t nine_tenths(std::uint64_t keys) { return keys - keys / 10; }

}  // namespace bench
