// One of our filters behind the run-time handle, with precomputed hashes (net of hashing) or with keys (gross).
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/build.hpp>

#include "subject.hpp"

namespace membrane::timing {

enum class asked_with : bool { hashes, keys };

class filter_subject : public subject {
public:
    filter_subject(std::string name, any_filter filter, std::uint64_t keys, asked_with how)
        : name_(std::move(name)), filter_(std::move(filter)), keys_(keys), how_(how) {}

    std::string name() const override { return name_; }
    double size_bytes() const override { return static_cast<double>(filter_.size_bytes()); }
    double predicted_fpr() const override { return filter_.kind().plan.predicted_fpr(filter_.spec(), keys_); }
    double fpr_stddev_between() const override {
        return filter_.kind().plan.fpr_stddev_between(filter_.spec(), keys_);
    }

    bool can(column which) const override {
        if (std::ranges::find(turnover_columns, which) != turnover_columns.end())
            return capabilities_of(filter_.spec()).erase;
        if (which == insert_bulk || which == insert_bulk_two_threads) return how_ == asked_with::hashes;
        return which != insert_one || !is_built_offline(filter_.spec());
    }
    void clear() override { filter_.clear(); }

    void fill(const key_supply& supply, const line_reads& read, filling& taken) override {
        if (!is_built_offline(filter_.spec())) {
            if (how_ == asked_with::hashes) build_at_once(supply, read, taken);
            return subject::fill(supply, read, taken);
        }
        if (filter_.keys() == 0) choose_together(supply, taken.ns);
    }

    // All keys in one call: kinds with bulk construction fill an empty filter line by line.
    void load(const key_supply& supply) override {
        if (is_built_offline(filter_.spec())) return subject::load(supply);
        clear();
        filter_.insert_many(all_hashes(supply));
    }

    std::uint64_t perform(column which, const key_set& keys) override {
        if (how_ == asked_with::hashes) return perform_on(which, keys.hashes());
        return keys.type() == key_type::text ? perform_on(which, keys.texts())
                                             : perform_on(which, keys.integers());
    }

protected:
    hasher hash() const override { return filter_.hash(); }

private:
    template <class Key>
    std::uint64_t perform_on(column which, std::span<const Key> keys) {
        std::uint64_t done = 0;
        switch (which) {
            case insert_one:
            case insert_again:
                for (const Key& key : keys) done += filter_.insert(key) ? 1 : 0;
                return done;
            case insert_batch:
            case insert_again_batch: return filter_.insert_many(keys);
            case erase_batch: return *filter_.erase_many(keys);
            case erase_one:
                for (const Key& key : keys) done += *filter_.erase(key) ? 1 : 0;
                return done;
            case hit_one:
            case miss_one:
                for (const Key& key : keys) done += filter_.may_contain(key) ? 1 : 0;
                return done;
            case miss_batch_two_threads: return count_on_two_threads(keys);
            default: return present_in_batches(filter_, keys);
        }
    }
    template <class Key>
    std::uint64_t count_on_two_threads(std::span<const Key> keys) const {
        const std::size_t half = keys.size() / 2;
        std::uint64_t first = 0;
        std::thread other([&] { first = present_in_batches(filter_, keys.first(half)); });
        const std::uint64_t second = present_in_batches(filter_, keys.subspan(half));
        other.join();
        return first + second;
    }

    std::vector<key_hash> all_hashes(const key_supply& supply) const {
        std::vector<key_hash> all;
        all.reserve(supply.members());
        supply.for_each_chunk(0, supply.members(), filter_.hash(), [&](const key_set& chunk) {
            all.insert(all.end(), chunk.hashes().begin(), chunk.hashes().end());
        });
        return all;
    }
    // Three builds, because a large filter is filled in only one round; each next to a plain read of lines. The build with the
    // median ratio counts.
    void build_at_once(const key_supply& supply, const line_reads& read, filling& taken) {
        constexpr std::size_t builds = 3;
        const std::vector<key_hash> all = all_hashes(supply);
        for (const unsigned threads : {1u, 2u}) {
            std::array<build_times, builds> times;
            for (build_times& each : times) {
                filter_.clear();
                if (read) each.read_ns = line_read_ns(supply, read);
                each.ns = ns_per(all.size(), [&] { keep(filter_.build(all, threads).has_value()); });
            }
            std::ranges::sort(times, {}, &build_times::ratio);
            const column which = threads == 1 ? insert_bulk : insert_bulk_two_threads;
            taken.ns[which] = times[builds / 2].ns;
            taken.read_ns[which] = times[builds / 2].read_ns;
        }
    }
    struct build_times {
        double ns = 0, read_ns = 0;
        double ratio() const { return read_ns == 0 ? ns : ns / read_ns; }
    };
    double line_read_ns(const key_supply& supply, const line_reads& read) const {
        constexpr std::uint64_t enough = 4'000'000;
        stopwatch watch;
        supply.for_each_chunk(0, std::min(enough, supply.members()), filter_.hash(),
                              [&](const key_set& chunk) { watch.time(chunk.size(), [&] { read(chunk); }); });
        return watch.ns_per_operation();
    }

    // Only once: many rounds take seconds.
    void choose_together(const key_supply& supply, timings& taken) {
        const std::vector<key_hash> all = all_hashes(supply);
        taken[insert_batch] = ns_per(all.size(), [&] { keep(filter_.choose_together(all, {}).has_value()); });
    }

    std::string name_;
    any_filter filter_;
    std::uint64_t keys_;
    asked_with how_;
};

}  // namespace membrane::timing
