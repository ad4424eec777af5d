// The header-only double-hashed filter, its type known to the compiler: what a C++ program without the run-time handle
// has. Asked with keys.
#pragma once

#include <string>
#include <utility>

#include <membrane/filter/owning.hpp>
#include <membrane/runtime/registry.hpp>

#include "timing/subject.hpp"

namespace bench {

using namespace membrane::timing;

class inlined_subject : public subject {
public:
    inlined_subject(const membrane::filter_spec& spec, const membrane::hasher& hash, std::uint64_t keys)
        : filter_(std::move(*membrane::double_hashed_bloom_filter::create(spec, hash))), keys_(keys) {}

    std::string name() const override { return "bloom double, xxh3, inlined (keys)"; }
    double size_bytes() const override { return static_cast<double>(filter_.size_bytes()); }
    double predicted_fpr() const override {
        return membrane::find_entry("bloom")->plan.predicted_fpr(filter_.spec(), keys_);
    }

    bool can(column which) const override {
        return which == insert_one || which == hit_one || which == miss_one;
    }
    void clear() override { filter_.clear(); }

    std::uint64_t perform(column which, const key_set& keys) override {
        std::uint64_t present = 0;
        for (const std::string_view key : keys.texts())
            if (which == insert_one) filter_.insert(key);
            else present += filter_.may_contain(key) ? 1 : 0;
        return present;
    }

private:
    membrane::double_hashed_bloom_filter filter_;
    std::uint64_t keys_;
};

}  // namespace bench
