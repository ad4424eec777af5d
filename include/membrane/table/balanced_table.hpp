// balanced_table: an exact hash map with bounded, nearly equal chain lengths. It uses the placements of the balanced Bloom filter
// (part/placement/multi_level.hpp and others) with buckets of exact entries: a lookup reads at most as many buckets as a key has
// candidates, each with at most h + 1 entries, and then one overflow chain. The variance of the lookup time is the
// least possible for the given number of accesses per insertion.
//
//   candidate buckets   tries() chains; each refuses keys above its threshold
//   overflow            one chain per 64 buckets for keys that all candidates refused (0.5 % with the default shape)
//
// Because entries can be erased, a lookup must continue after every bucket that has ever refused a key: the load and the key's
// coin at insertion time are no longer known. Long churn therefore sets more and more flags; flagged_share() reports them,
// rebuild() clears them. The table doubles at 1/16 more keys than planned, because the overflow grows steeply beyond the design.
//
// Iteration runs over a dense array; insert, erase and rebuild move entries. Throws std::bad_alloc.
// Source: balanced Bloom filters, appendix C of the report.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <membrane/base/target.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/part/placement/multi_level.hpp>
#include <membrane/part/placement/sequential.hpp>
#include <membrane/part/placement/single.hpp>
#include <membrane/table/chain.hpp>

MEMBRANE_TARGET_BEGIN

struct table_shape {
    std::vector<bucket_table> tables;  // the constructor fills in `first`
    std::uint64_t tries = 1;

    // Two keys per bucket, 1.2 accesses per insertion, three levels; numbers from the closed form of model/multi_level.hpp.
    static table_shape for_keys(std::uint64_t keys) {
        const acceptance rule{2, static_cast<std::uint64_t>(0.8237 * 0x1p32)};
        const double buckets = std::max(1.0, static_cast<double>(keys) / 2);
        table_shape shape;
        shape.tries = 3;
        for (const double share : {0.83333, 0.14235, 0.02432})
            shape.tables.push_back({0, static_cast<std::uint64_t>(std::ceil(share * buckets)), rule});
        return shape;
    }

    table_shape doubled() const {
        table_shape twice = *this;
        for (bucket_table& table : twice.tables) table.buckets *= 2;
        return twice;
    }
};

template <class Key, class Value, placement Placement = multi_level_placement>
class balanced_table {
public:
    class entry {
    public:
        entry(const Key& key, Value&& stored, key_hash hash)
            : value(std::move(stored)), key_(key), hash_(hash) {}
        const Key& key() const noexcept { return key_; }

        Value value;

    private:
        friend balanced_table;
        friend chain;
        Key key_;
        key_hash hash_;
        std::uint64_t next = no_entry;
        std::uint64_t bucket_ = 0;
    };

    balanced_table(std::uint64_t planned_keys, const table_shape& shape, const hasher& hash)
        : hash_(hash), shape_(shape), placement_(place(shape_)), planned_keys_(planned_keys) {
        make_chains();
    }
    balanced_table(std::uint64_t planned_keys, const hasher& hash)
        : balanced_table(planned_keys, table_shape::for_keys(planned_keys), hash) {}

    std::uint64_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }
    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

    // False, and nothing changed, if the key is already present.
    bool insert(const Key& key, Value value) {
        const key_hash hash = hash_(key);
        if (locate(key, hash).index != no_entry) return false;
        if (size() >= planned_keys_ + planned_keys_ / 16) grow();
        entries_.emplace_back(key, std::move(value), hash);
        attach(size() - 1);
        return true;
    }

    Value* find(const Key& key) noexcept {
        const std::uint64_t index = locate(key, hash_(key)).index;
        return index == no_entry ? nullptr : &entries_[index].value;
    }
    const Value* find(const Key& key) const noexcept { return const_cast<balanced_table*>(this)->find(key); }

    bool erase(const Key& key) noexcept {
        const std::uint64_t index = locate(key, hash_(key)).index;
        if (index == no_entry) return false;
        chains_[entries_[index].bucket_].unlink(entries_, index);
        const std::uint64_t last = size() - 1;
        if (index != last) {
            chains_[entries_[last].bucket_].link_to(entries_, last) = index;
            entries_[index] = std::move(entries_[last]);
        }
        entries_.pop_back();
        return true;
    }

    void clear() noexcept {
        entries_.clear();
        std::fill(chains_.begin(), chains_.end(), chain{});
    }
    // Places every entry again, which clears the flags that erased entries left behind.
    void rebuild() {
        std::fill(chains_.begin(), chains_.end(), chain{});
        for (std::uint64_t index = 0; index < size(); ++index) attach(index);
    }

    // The cost of a lookup, for tests and measurements.
    struct cost {
        std::uint64_t buckets = 0;  // the overflow counts as one
        std::uint64_t entries = 0;
    };
    cost cost_of(const Key& key) const noexcept { return locate(key, hash_(key)).spent; }

    std::uint64_t buckets() const noexcept { return buckets_; }
    const chain& bucket(std::uint64_t number) const noexcept { return chains_[number]; }
    double flagged_share() const noexcept {
        std::uint64_t flagged = 0;
        for (std::uint64_t i = 0; i < buckets(); ++i) flagged += chains_[i].has_refused ? 1 : 0;
        return static_cast<double>(flagged) / static_cast<double>(buckets());
    }

private:
    struct found {
        std::uint64_t index = no_entry;
        cost spent;
    };

    static std::uint64_t bucket_count(const table_shape& shape) {
        std::uint64_t sum = 0;
        for (const bucket_table& table : shape.tables) sum += table.buckets;
        return sum;
    }
    static Placement place(table_shape& shape) {
        std::uint64_t first = 0;
        for (bucket_table& table : shape.tables) {
            table.first = first;
            first += table.buckets;
        }
        return Placement(shape.tables, shape.tries);
    }
    // One overflow chain per 64 buckets: on average less than one entry in each with the default shape.
    static std::uint64_t overflow_count(std::uint64_t buckets) { return buckets / 64 + 1; }
    void make_chains() {
        buckets_ = bucket_count(shape_);
        chains_.assign(buckets_ + overflow_count(buckets_), chain{});
    }
    std::uint64_t overflow_of(key_hash hash) const noexcept {
        return buckets_ + fastrange(remix(hash, stream::list_word), chains_.size() - buckets_);
    }

    bool scan(const chain& here, const Key& key, key_hash hash, found& result) const noexcept {
        ++result.spent.buckets;
        for (std::uint64_t index = here.first; index != no_entry; index = entries_[index].next) {
            ++result.spent.entries;
            if (entries_[index].hash_ == hash && entries_[index].key_ == key) {
                result.index = index;
                return true;
            }
        }
        return false;
    }
    found locate(const Key& key, key_hash hash) const noexcept {
        found result;
        for (std::uint64_t j = 0; j < placement_.tries(); ++j) {
            const chain& here = chains_[placement_.bucket(hash, j)];
            if (scan(here, key, hash, result) || !here.has_refused) return result;
        }
        scan(chains_[overflow_of(hash)], key, hash, result);
        return result;
    }

    void attach(std::uint64_t index) {
        const key_hash hash = entries_[index].hash_;
        std::uint64_t number = overflow_of(hash);
        for (std::uint64_t j = 0; j < placement_.tries(); ++j) {
            chain& here = chains_[placement_.bucket(hash, j)];
            if (placement_.accepts(j).takes(here.load, hash, j)) {
                number = placement_.bucket(hash, j);
                break;
            }
            here.has_refused = true;
        }
        entries_[index].bucket_ = number;
        chains_[number].push(entries_, index);
    }

    void grow() {
        shape_ = shape_.doubled();
        planned_keys_ = 2 * std::max<std::uint64_t>(planned_keys_, 1);
        placement_ = place(shape_);
        make_chains();
        rebuild();
    }

    hasher hash_;
    table_shape shape_;
    Placement placement_;
    std::uint64_t planned_keys_;
    std::vector<entry> entries_;
    std::uint64_t buckets_ = 0;
    std::vector<chain> chains_;  // the buckets, then the overflow chains
};

MEMBRANE_TARGET_END
