// When a growth that is done step by step begins, how far it goes and how fast: so that it ends before the layout that it leaves is full;
// and that the policy allows no growth at all.
#pragma once

#include <algorithm>
#include <cstdint>

#include <membrane/part/growth_policy.hpp>

namespace membrane {

class growth_pace {
public:
    // The share of the list at which a growth begins. With fewer lines for each insertion it takes so long that half of the list would
    // not do for what comes meanwhile: measured with 0.6 to 2 lines, up to 6 million keys.
    static double starting_share(const growth_policy& policy) noexcept {
        const double lines = policy.lines_per_insertion;
        return lines < 1 ? 0.1 : lines < 8 ? 0.25 : 0.5;
    }
    // About 4 % more keys come meanwhile, and each insertion moves the keys of so many lines.
    static double factor(const growth_policy& policy, std::uint64_t cells_of_a_line) noexcept {
        constexpr double keys_meanwhile = 0.043;
        double factor = policy.factor;
        if (policy.lines_per_insertion != 0)
            factor = std::min(
                factor, keys_meanwhile * static_cast<double>(cells_of_a_line) * policy.lines_per_insertion);
        return std::clamp(factor, least_growth_factor, most_growth_factor);
    }

    // The whole lines that the next insertion moves.
    std::uint64_t lines(const growth_policy& policy) noexcept {
        lines_due_ += policy.lines_per_insertion;
        const auto whole = static_cast<std::uint64_t>(lines_due_);
        lines_due_ -= static_cast<double>(whole);
        return whole;
    }
    // A start that was refused (memory, max_bytes) is tried again now and then only: it takes as long as many insertions.
    bool may_start() noexcept {
        constexpr unsigned insertions_between_starts = 1024;
        return starts_refused_ == 0 || ++starts_refused_ >= insertions_between_starts;
    }
    void started(bool is_done) noexcept { starts_refused_ = is_done ? 0 : 1; }

private:
    double lines_due_ = 0;  // less than one
    unsigned starts_refused_ = 0;
};

// That the policy allows no layout for more keys. The search for one takes as long as a thousand insertions, and finds the same until
// the layout or the policy changes: a full filter refuses insertions without it.
class refused_growth {
public:
    void remember(std::uint64_t layouts, const growth_policy& policy) noexcept {
        layouts_ = layouts;
        policy_ = policy;
    }
    bool is_of(std::uint64_t layouts, const growth_policy& policy) const noexcept {
        return layouts_ == layouts && policy_ == policy;
    }

private:
    std::uint64_t layouts_ = UINT64_MAX;  // of the filter, as rank_growth counts them
    growth_policy policy_;
};

}  // namespace membrane
