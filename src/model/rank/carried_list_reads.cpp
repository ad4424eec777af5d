#include "model/rank/carried_list_reads.hpp"

#include <algorithm>
#include <cmath>

#include "model/rank/line_loads.hpp"

namespace membrane::model {

namespace {

// A line of T2 serves a run of (line, chain) pairs of T1. Place q of the run is a pair of chain (start + q) modulo L, stored in
// T2's chain q modulo L2. The clumps of the pairs are independent.
class served_run {
public:
    served_run(const std::vector<std::vector<double>>& clumps, const std::vector<double>& goes_on,
               const rank_line& second, std::size_t served, std::size_t start)
        : clumps_(clumps),
          goes_on_(goes_on),
          chains_(static_cast<std::size_t>(second.chains)),
          cells_(static_cast<std::size_t>(second.cells)),
          served_(served),
          start_(start),
          negligible_(1e-9 * *std::max_element(goes_on.begin(), goes_on.end())) {}

    // Probability that a lookup for a pair of the run continues after both tables.
    double list_reads() const {
        const std::vector<double> none_from = none_from_chain();
        std::vector<double> below{1.0};
        double sum = 0;
        for (std::size_t chain = 0; chain < std::min(chains_, served_); ++chain)
            sum += list_reads_of(chain, none_from[chain + 1], below);
        return sum / static_cast<double>(served_);
    }

private:
    std::size_t chain_at(std::size_t place) const { return (start_ + place) % clumps_.size(); }

    // none_from[c] = probability that the line of T2 gets nothing in the chains from c on.
    std::vector<double> none_from_chain() const {
        std::vector<double> none(chains_ + 1, 1);
        for (std::size_t place = 0; place < served_; ++place)
            none[place % chains_] *= clumps_[chain_at(place)][0];
        for (std::size_t chain = chains_; chain-- > 0;) none[chain] *= none[chain + 1];
        return none;
    }

    // Sum over the pairs in this chain of T2. `below` is the distribution of what the line gets in the chains before it; on return
    // it includes this chain.
    double list_reads_of(std::size_t chain, double none_beyond, std::vector<double>& below) const {
        std::vector<std::vector<double>> later;  // for each pair: entries of the later pairs of the chain
        std::vector<std::size_t> places;
        for (std::size_t place = chain; place < served_; place += chains_) places.push_back(place);
        later.assign(places.size(), {1.0});
        for (std::size_t i = places.size(); i-- > 1;)
            later[i - 1] = convolved(later[i], clumps_[chain_at(places[i])], cells_);
        double sum = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t first_chain = chain_at(places[i]);
            if (goes_on_[first_chain] > negligible_)
                sum += goes_on_[first_chain] * goes_on_further(below, later[i], first_chain, none_beyond);
            below = convolved(below, clumps_[first_chain], cells_);
        }
        return sum;
    }

    // For a lookup of the pair that has reached T2: its own clump is that of a chain that continues. `before` and `later` are the
    // distributions of the other entries up to its chain; nothing lies behind it with probability `none_beyond`.
    double goes_on_further(const std::vector<double>& before, const std::vector<double>& later,
                           std::size_t first_chain, double none_beyond) const {
        std::vector<double> own = clumps_[first_chain];
        double some = 0;
        for (std::size_t j = 1; j < own.size(); ++j) some += own[j] /= goes_on_[first_chain];
        own[0] = std::max(0.0, 1 - some);
        std::vector<double> rest = convolved(later, own, cells_);
        rest.resize(cells_ + 1);
        double full = 0, at_most = 0;
        for (std::size_t i = 0; i < before.size(); ++i) full += before[i] * rest[cells_ - i];
        for (std::size_t i = 1; i <= cells_; ++i) rest[i] += rest[i - 1];
        for (std::size_t i = 0; i < before.size(); ++i) at_most += before[i] * rest[cells_ - i];
        return std::max(0.0, 1 - at_most) + full * (1 - none_beyond);
    }

    const std::vector<std::vector<double>>& clumps_;
    const std::vector<double>& goes_on_;
    std::size_t chains_, cells_, served_, start_;
    double negligible_;
};

}  // namespace

double carried_list_reads(const std::vector<std::vector<double>>& clumps, const std::vector<double>& goes_on,
                          const rank_line& second, double second_share) {
    // A run can begin at any chain: four starts represent all, and one start if a run is many times as long as L.
    const double served = static_cast<double>(clumps.size()) / second_share;
    const std::size_t starts = second_share < 0.05 ? 1 : 4;
    double sum = 0;
    for (std::size_t i = 0; i < starts; ++i)
        sum += served_run(clumps, goes_on, second, static_cast<std::size_t>(std::llround(served)),
                          clumps.size() * i / starts)
                   .list_reads();
    return sum / static_cast<double>(starts);
}

}  // namespace membrane::model
