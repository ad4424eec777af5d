// A structure to measure: one row of a table. Its abilities are a set of columns; each column runs on prepared keys, so that the
// caller can time it or count its instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "column.hpp"
#include "key_supply.hpp"
#include "stopwatch.hpp"

namespace membrane::timing {

inline std::uint64_t nine_tenths(std::uint64_t keys) { return keys - keys / 10; }

// Reads one random line per key.
using line_reads = std::function<void(const key_set&)>;

template <class Filter, class Key>
std::uint64_t present_in_batches(const Filter& filter, std::span<const Key> keys) {
    // With 1024 keys, filling and draining the ring costs 0.3 ns per key.
    constexpr std::size_t batch = 4096;
    std::uint64_t answers[batch / 64];
    std::uint64_t present = 0;
    for (; !keys.empty(); keys = keys.subspan(std::min(batch, keys.size())))
        present += filter.may_contain_many(keys.first(std::min(batch, keys.size())), answers);
    return present;
}

class subject {
public:
    virtual ~subject() = default;

    virtual std::string name() const = 0;
    virtual double size_bytes() const = 0;
    virtual double predicted_fpr() const = 0;
    virtual double fpr_stddev_between() const { return 0; }  // between filters of the same spec
    virtual bool can(column which) const = 0;
    virtual void clear() = 0;
    // Inserts, erases or looks up all keys. For a lookup, returns the number of positives.
    virtual std::uint64_t perform(column which, const key_set& keys) = 0;

    // Clears the filter and inserts the members; `read` is timed next to the insertions if it is set.
    virtual void fill(const key_supply& supply, const line_reads& read, filling& taken) {
        clear();
        std::array<stopwatch, column_count> watches, read_watches;
        const std::uint64_t all = supply.members();
        const auto time_one = [&](column which, const key_set& chunk) {
            watches[which].time(chunk.size(), [&] { keep(perform(which, chunk)); });
            if (read) read_watches[which].time(chunk.size(), [&] { read(chunk); });
        };
        const auto time_part = [&](column which, std::uint64_t first, std::uint64_t last) {
            supply.for_each_chunk(first, last, hash(), [&](const key_set& chunk) { time_one(which, chunk); });
        };
        // Ten turns, so that single and batched insertions both see every load; the single ones in the middle of each turn.
        constexpr std::uint64_t turns = 10;
        const column batched = can(insert_batch) ? insert_batch : insert_one;
        const column single = can(insert_one) ? insert_one : insert_batch;
        for (std::uint64_t turn = 0; turn < turns; ++turn) {
            const std::uint64_t first = all * turn / turns, last = all * (turn + 1) / turns;
            const std::uint64_t begin = first + nine_tenths(last - first) / 2;
            const std::uint64_t end = begin + (last - first) - nine_tenths(last - first);
            time_part(batched, first, begin);
            time_part(single, begin, end);
            time_part(batched, end, last);
        }
        if (can(erase_one))
            supply.for_each_chunk(nine_tenths(all), all, hash(), [&](const key_set& chunk) {
                for (const column which : turnover_columns)
                    if (can(which)) time_one(which, chunk);
            });
        const auto take_times = [&](column which) {
            taken.ns[which] = watches[which].ns_per_operation();
            taken.read_ns[which] = read_watches[which].ns_per_operation();
        };
        for (const column which : {insert_batch, insert_one}) take_times(which);
        for (const column which : turnover_columns) take_times(which);
    }

    // The same untimed, in the fastest way.
    virtual void load(const key_supply& supply) {
        if (!can(insert_one)) {
            filling untimed;
            return fill(supply, {}, untimed);
        }
        clear();
        supply.for_each_chunk(0, supply.members(), hash(), [&](const key_set& chunk) {
            perform(can(insert_batch) ? insert_batch : insert_one, chunk);
        });
    }

    // Runs all lookups; counts false positives and false negatives.
    void ask(const asked_keys& asked, timings& taken) {
        for (const column which : lookup_columns) {
            if (!can(which)) continue;
            const key_set& keys = asks_members(which) ? asked.members : asked.strangers;
            std::uint64_t present = 0;
            taken[which] = ns_per(keys.size(), [&] { present = perform(which, keys); });
            if (which == hit_one) false_negatives = keys.size() - present;
            if (which == miss_one) false_positives = present;
        }
    }

    std::uint64_t false_positives = 0;
    std::uint64_t false_negatives = 0;

protected:
    // The hash function with which the members are hashed in advance.
    virtual hasher hash() const { return {}; }
};

}  // namespace membrane::timing
