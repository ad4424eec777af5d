#include <membrane/model/balanced_process.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <membrane/model/less_hashing.hpp>

#include "model/balanced/balanced_walk.hpp"
#include "model/balanced/counted_rates.hpp"
#include "model/domain.hpp"
#include "model/poisson_law.hpp"

namespace membrane::model {

namespace {

constexpr double arrivals_per_step = 0.6;
constexpr std::uint64_t max_process_tables = 8;
constexpr std::uint64_t max_tries = 64;
// From this rate on a block answers yes to every lookup, so it takes no more keys.
constexpr double saturated_rate = 0.9999;
// A table that changes by less than this per arrival is treated as constant, so that a coin of 1e-6 does not keep the
// integration running forever.
constexpr double standstill = 1e-9;
constexpr int most_steps = 20000;

// All variables in one vector, so that an integration step is a few plain loops. Per table: plain[l], the share of blocks with
// load l = 0 .. h + 1 that refused no key; flagged[l - h], those with load l = h .. top that did; arrivals per block. After the
// tables: keys in the list, accesses.
using numbers = std::vector<double>;

struct table_place {
    std::size_t plain, plain_count, flagged, flagged_count, arrivals;
};

class integrator {
public:
    integrator(const balanced_setup& setup, bool with_forced) : setup_(setup) {
        for (const process_table& table : setup.tables) {
            const std::uint64_t bits = setup.block_bits - state_bits(setup.rule, table.h);
            std::uint64_t top = table.h + 1;
            if (with_forced)
                top += static_cast<std::uint64_t>(12 * static_cast<double>(bits) /
                                                  static_cast<double>(setup.k)) +
                       8;
            std::vector<double> rates = rates_by_count(top, bits, setup.k);
            while (with_forced && rates.size() > table.h + 4 && rates[rates.size() - 2] > saturated_rate)
                rates.pop_back();
            table_place place;
            place.plain = listed_;
            place.plain_count = static_cast<std::size_t>(table.h) + 2;
            place.flagged = place.plain + place.plain_count;
            place.flagged_count = rates.size() - static_cast<std::size_t>(table.h);
            place.arrivals = place.flagged + place.flagged_count;
            listed_ = place.arrivals + 1;
            places_.push_back(place);
            rates_.push_back(std::move(rates));
        }
        accesses_ = listed_ + 1;
        now_.assign(accesses_ + 1, 0.0);
        for (const table_place& place : places_) now_[place.plain] = 1;
        is_still_.assign(setup.tables.size(), false);
    }

    // False if the list filled up and loads beyond h + 1 are needed.
    bool run(double keys, bool with_forced) {
        numbers s1(now_.size()), s2(now_.size()), s3(now_.size()), s4(now_.size()), there(now_.size());
        const auto move = [&](const numbers& slope, double by) {
            for (std::size_t i = 0; i < now_.size(); ++i) there[i] = now_[i] + by * slope[i];
        };
        double done = 0;
        for (int steps = 0; done < keys && steps < most_steps; ++steps) {
            const bool is_full = now_[listed_] >= setup_.list_room;
            if (is_full && !with_forced && setup_.list_room < keys) return false;
            const bool is_spent = now_[accesses_] >= setup_.budget && !is_full;
            slope_at(now_, is_full, is_spent, s1);
            double fastest = 1e-300;
            for (std::size_t i = 0; i < places_.size(); ++i) {
                const double rate = s1[places_[i].arrivals];
                is_still_[i] = is_still_[i] || (rate > 0 && change_of(i, s1) < standstill * rate);
                if (!is_still_[i]) fastest = std::max(fastest, rate);
            }
            double step = std::min(keys - done, arrivals_per_step / fastest);
            if (is_spent) step = keys - done;
            const double least_step = 1e-9 * keys;
            if (!is_full && s1[listed_] > 0)
                step = std::min(step, std::max((setup_.list_room - now_[listed_]) / s1[listed_], least_step));
            if (!is_spent && s1[accesses_] > 0 && now_[accesses_] < setup_.budget)
                step =
                    std::min(step, std::max((setup_.budget - now_[accesses_]) / s1[accesses_], least_step));
            move(s1, step / 2);
            slope_at(there, is_full, is_spent, s2);
            move(s2, step / 2);
            slope_at(there, is_full, is_spent, s3);
            move(s3, step);
            slope_at(there, is_full, is_spent, s4);
            for (std::size_t i = 0; i < now_.size(); ++i)
                now_[i] += step / 6 * (s1[i] + 2 * (s2[i] + s3[i]) + s4[i]);
            done += step;
        }
        return true;
    }

    process_state finish() const {
        process_state state;
        state.listed = std::min(now_[listed_], setup_.list_room);
        state.accesses = now_[accesses_];
        double reached = 1;
        for (std::uint64_t j = 0; j < setup_.tries; ++j) {
            const block_step step = stranger(table_of(j), now_);
            state.fpr += reached * step.hits;
            state.negative_reads += reached;
            reached *= step.goes_on_unhit;
        }
        state.fpr = std::min(state.fpr, 1.0);
        state.negative_list_reads = now_[accesses_] >= setup_.budget ? 1 - state.fpr : reached;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const table_place& place = places_[i];
            const auto h = static_cast<std::size_t>(setup_.tables[i].h);
            std::vector<double> loads(h + place.flagged_count);
            for (std::size_t l = 0; l < place.plain_count; ++l) loads[l] += now_[place.plain + l];
            for (std::size_t l = 0; l < place.flagged_count; ++l) loads[h + l] += now_[place.flagged + l];
            state.loads.push_back(std::move(loads));
            state.arrivals.push_back(now_[place.arrivals]);
        }
        return state;
    }

    // Far beyond any load: every table but the last at its threshold, the last one at its largest distinguishable load.
    void saturate(double keys) {
        now_[listed_] = setup_.list_room;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const table_place& place = places_[i];
            const double x = keys / setup_.tables[i].blocks;
            const bool is_last = i + 1 == places_.size();
            const double still = is_last ? 0 : std::exp(-setup_.tables[i].p * x);
            now_[place.plain] = 0;
            now_[place.flagged] = still;
            now_[place.flagged + (is_last ? place.flagged_count - 1 : 1)] = 1 - still;
            now_[place.arrivals] = x;
        }
    }
    // How many keys all tables and the list can hold before every lookup answers yes.
    double capacity() const {
        double sum = setup_.list_room;
        for (std::size_t i = 0; i < rates_.size(); ++i)
            sum += setup_.tables[i].blocks *
                   std::max(static_cast<double>(setup_.tables[i].h) + 2,
                            6 * static_cast<double>(setup_.block_bits) / static_cast<double>(setup_.k));
        return sum;
    }

private:
    double change_of(std::size_t i, const numbers& slope) const {
        double sum = 0;
        for (std::size_t at = places_[i].plain; at < places_[i].arrivals; ++at) sum += std::fabs(slope[at]);
        return sum;
    }

    std::size_t table_of(std::uint64_t j) const {
        return setup_.tables.size() == 1 ? 0 : static_cast<std::size_t>(j);
    }

    // Probability that a key arriving at table i is refused there without a hit.
    double refused_without_hit(std::size_t i, const numbers& at) const {
        const auto h = static_cast<std::size_t>(setup_.tables[i].h);
        const double* const plain = at.data() + places_[i].plain;
        const double* const flagged = at.data() + places_[i].flagged;
        const std::vector<double>& rates = rates_[i];
        double sum = (1 - setup_.tables[i].p) * (1 - rates[h]) * (plain[h] + flagged[0]) +
                     (1 - rates[h + 1]) * plain[h + 1];
        for (std::size_t l = 1; l < places_[i].flagged_count; ++l) sum += (1 - rates[h + l]) * flagged[l];
        return std::clamp(sum, 0.0, 1.0);
    }

    // `tried`: arrivals per block and key; `forced` of them are accepted whatever the load.
    void add_arrivals(std::size_t i, const numbers& at, double tried, double forced, numbers& slope) const {
        slope[places_[i].arrivals] += tried;
        if (is_still_[i]) return;
        const auto h = static_cast<std::size_t>(setup_.tables[i].h);
        const double p = setup_.tables[i].p;
        const std::vector<double>& rates = rates_[i];
        const double* const plain = at.data() + places_[i].plain;
        const double* const flagged = at.data() + places_[i].flagged;
        double* const plain_slope = slope.data() + places_[i].plain;
        double* const flagged_slope = slope.data() + places_[i].flagged;
        const double ordinary = tried - forced;
        const auto flow = [](double amount, double& from, double& to) {
            from -= amount;
            to += amount;
        };
        for (std::size_t l = 0; l < h; ++l)
            flow(tried * (1 - rates[l]) * plain[l], plain_slope[l], plain_slope[l + 1]);
        const double at_h = tried * (1 - rates[h]);
        flow(at_h * p * plain[h], plain_slope[h], plain_slope[h + 1]);
        flow(at_h * p * flagged[0], flagged_slope[0], flagged_slope[1]);
        const double refused_at_h = (1 - rates[h]) * (1 - p), refused_above = 1 - rates[h + 1];
        flow(ordinary * refused_at_h * plain[h], plain_slope[h], flagged_slope[0]);
        flow(ordinary * refused_above * plain[h + 1], plain_slope[h + 1], flagged_slope[1]);
        if (!(forced > 0)) return;
        flow(forced * refused_at_h * plain[h], plain_slope[h], flagged_slope[1]);
        flow(forced * refused_at_h * flagged[0], flagged_slope[0], flagged_slope[1]);
        flow(forced * refused_above * plain[h + 1], plain_slope[h + 1], flagged_slope[2]);
        for (std::size_t l = 1; l + 1 < places_[i].flagged_count; ++l)
            flow(forced * (1 - rates[h + l]) * flagged[l], flagged_slope[l], flagged_slope[l + 1]);
    }

    void slope_at(const numbers& at, bool is_full, bool is_spent, numbers& slope) const {
        std::fill(slope.begin(), slope.end(), 0.0);
        double reached = 1;
        if (is_spent) {
            double found = 0;
            for (std::uint64_t j = 0; j < setup_.tries; ++j) {
                const block_step step = stranger(table_of(j), at);
                found += reached * step.hits;
                reached *= step.goes_on_unhit;
            }
            slope[listed_] = std::max(0.0, 1 - found);
            return;
        }
        for (std::uint64_t j = 0; j < setup_.tries; ++j) {
            const std::size_t i = table_of(j);
            const double tried = reached / setup_.tables[i].blocks;
            const bool is_forced = is_full && j + 1 == setup_.tries && places_[i].flagged_count > 2;
            slope[accesses_] += reached;
            add_arrivals(i, at, tried, is_forced ? tried : 0, slope);
            reached *= refused_without_hit(i, at);
        }
        if (!is_full) slope[listed_] = reached;
    }

    block_step stranger(std::size_t i, const numbers& at) const {
        const process_table& setup = setup_.tables[i];
        const auto h = static_cast<std::size_t>(setup.h);
        const std::vector<double>& rates = rates_[i];
        const bool is_flagged = setup_.rule == query_rule::flag || setup_.rule == query_rule::flag_coin;
        const bool is_tossed = setup_.rule == query_rule::coin || setup_.rule == query_rule::flag_coin;
        block_step step;
        const auto count = [&](double share, std::size_t load, bool is_open) {
            step.hits += share * rates[load];
            if (!is_open) return;
            const double goes_on = share * (is_tossed && load == h ? 1 - setup.p : 1);
            step.goes_on += goes_on;
            step.goes_on_unhit += goes_on * (1 - rates[load]);
        };
        for (std::size_t l = 0; l < places_[i].plain_count; ++l)
            count(at[places_[i].plain + l], l, l >= h && !is_flagged);
        for (std::size_t l = 0; l < places_[i].flagged_count; ++l)
            count(at[places_[i].flagged + l], h + l, true);
        return step;
    }

    balanced_setup setup_;
    std::vector<std::vector<double>> rates_;
    std::vector<table_place> places_;
    std::vector<bool> is_still_;
    std::size_t listed_ = 0, accesses_ = 0;  // indices in the vector
    numbers now_;
};

std::optional<error> problem_with(double keys, const balanced_setup& setup) {
    if (!(keys >= 0 && keys < 1e300)) return outside_domain("keys", "a number of keys");
    if (setup.tables.empty() || setup.tables.size() > max_process_tables)
        return outside_domain("tables", "between 1 and 8 tables");
    if (setup.tries < 1 || setup.tries > max_tries ||
        (setup.tables.size() > 1 && setup.tries != setup.tables.size()))
        return outside_domain("tries", "between 1 and 64, and with several tables as many as there are");
    if (setup.k < 1 || setup.k > max_probes)
        return make_error(errc::bad_field, "k").with_found(setup.k).with_range(1, max_probes);
    for (const process_table& table : setup.tables) {
        if (!(table.blocks > 0)) return outside_domain("tables", "every table has blocks");
        if (table.h > max_block_load)
            return make_error(errc::bad_field, "h").with_found(table.h).with_range(0, max_block_load);
        if (!within(table.p, 0, 1)) return outside_domain("p", "a probability");
        if (setup.block_bits < state_bits(setup.rule, table.h) + 8 || setup.block_bits > 65536)
            return outside_domain("block_bits", "8 more than the block's state, and at most 65536");
    }
    return std::nullopt;
}

}  // namespace

result<process_state> balanced_process(double keys, const balanced_setup& setup) {
    if (const auto problem = problem_with(keys, setup)) return *problem;
    integrator plain(setup, false);
    if (keys <= 4 * plain.capacity() && plain.run(keys, false)) return plain.finish();
    integrator forced(setup, true);
    if (keys > 4 * forced.capacity()) forced.saturate(keys);
    else forced.run(keys, true);
    return forced.finish();
}

}  // namespace membrane::model
