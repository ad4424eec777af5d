#pragma once

#include <algorithm>
#include <cstdint>

#include <membrane/runtime/any_filter.hpp>

namespace membrane::cli {

// The expected number of new keys that the filter takes for seen ones. Of the new keys that come while the rate is p, the part p is lost:
// for each that is printed, p / (1 - p).
class expected_losses {
public:
    explicit expected_losses(const any_filter& filter)
        : filter_(&filter), keys_(filter.keys()), odds_(odds()) {}

    // Prediction reads no payload, but takes a while for some kinds: once for each 5 % of growth.
    void update(bool is_end = false) {
        const std::uint64_t keys = filter_->keys();
        if (!is_end && static_cast<double>(keys - keys_) < 0.05 * static_cast<double>(keys_) + 1000) return;
        const double now = odds();
        expected_ += static_cast<double>(keys - keys_) * (odds_ + now) / 2;
        keys_ = keys;
        odds_ = now;
    }
    double expected() const { return expected_; }

private:
    double odds() const {
        constexpr double most = 0.999'999;
        const double rate =
            std::min(most, filter_->kind().plan.predicted_fpr(filter_->spec(), filter_->keys()));
        return rate / (1 - rate);
    }

    const any_filter* filter_;
    std::uint64_t keys_;
    double odds_;
    double expected_ = 0;
};

}  // namespace membrane::cli
