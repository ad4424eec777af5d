// The header-only double-hashed filter, its type known to the compiler: what a C++ program without the run-time handle
// has. Asked with keys.
#pragma once

#include <string>
#include <utility>

#include <membrane/filter/owning.hpp>
#include <membrane/runtime/registry.hpp>

#include "stopwatch.hpp"
#include "subject.hpp"

namespace bench {

class inlined_subject : public subject {
public:
    inlined_subject(const membrane::filter_spec& spec, const membrane::hasher& hash, std::uint64_t keys)
        : filter_(std::move(*membrane::double_hashed_bloom_filter::create(spec, hash))), keys_(keys) {}

    std::string name() const override { return "bloom double, xxh3, inlined (keys)"; }
    double size_bytes() const override { return static_cast<double>(filter_.size_bytes()); }
    double predicted_fpr() const override {
        return membrane::find_entry("bloom")->plan.predicted_fpr(filter_.spec(), keys_);
    }

    void fill(std::uint64_t keys, timings& taken) override {
        filter_.clear();
        stopwatch one;
        for_each_chunk(0, keys, filter_.hash(), [&](const key_set& chunk) {
            one.time(chunk.size(), [&] {
                for (const text_key& key : chunk.keys) filter_.insert(text_of(key));
            });
        });
        taken[insert_one] = one.ns_per_operation();
    }

    void ask(const asked_keys& asked, timings& taken) override {
        std::uint64_t present = 0;
        taken[hit_one] = ns_per(asked.members.size(), [&] { present = count(asked.members); });
        false_negatives = asked.members.size() - present;
        taken[miss_one] = ns_per(asked.strangers.size(), [&] { false_positives = count(asked.strangers); });
    }

private:
    std::uint64_t count(const key_set& asked) const {
        std::uint64_t present = 0;
        for (const text_key& key : asked.keys) present += filter_.may_contain(text_of(key)) ? 1 : 0;
        return present;
    }

    membrane::double_hashed_bloom_filter filter_;
    std::uint64_t keys_;
};

}  // namespace bench
