#include <membrane/model/balanced_optimum.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <membrane/model/less_hashing.hpp>

#include "model/balanced/balanced_candidate.hpp"
#include "model/balanced/simplex_search.hpp"
#include "model/domain.hpp"

namespace membrane::model {

namespace {

constexpr std::uint64_t max_tables = 8;
// A further table must lower the rate to this fraction.
constexpr double worth_a_table = 0.999;
constexpr double far_off = 1e6;
constexpr int evaluations = 200;

struct found_filter {
    std::vector<candidate_table> tables;
    std::uint64_t k = 1;
    candidate_score score{2, 0, 0, 0};
};

// Changes k in steps of one while the rate falls.
void improve_k(balanced_search& search, found_filter& filter) {
    for (const int direction : {-1, 1}) {
        for (;;) {
            const std::uint64_t k = direction < 0 ? filter.k - 1 : filter.k + 1;
            if (k < 1 || k > max_probes) break;
            const auto score = search.score(filter.tables, k);
            if (!score || !search.is_feasible(*score) || !(score->fpr < filter.score.fpr)) break;
            filter.k = k;
            filter.score = *score;
        }
    }
}

// The best closed-form design with d tables, over a grid of overflow fractions.
found_filter best_closed_form(balanced_search& search, const balanced_request& request, std::uint64_t d) {
    found_filter best;
    best.k = best_k(request.bits_per_key * 0.85);
    for (double exponent = -14; exponent < -0.5; exponent += 0.25) {
        const double gamma = std::pow(10, exponent);
        const double block_bits_per_key = request.bits_per_key - list_entry_bits * gamma;
        if (!(block_bits_per_key > 0)) break;
        const double r = static_cast<double>(request.block_bits) / block_bits_per_key;
        const auto design = multi_level_for_overflow(gamma, d, r);
        if (!design) continue;
        const double capacity = static_cast<double>(design->h) + std::min(design->p, 1 - 1e-12);
        found_filter filter{
            std::vector(static_cast<std::size_t>(d), candidate_table{design->a * r, capacity}), best.k, {}};
        const auto score = search.score(filter.tables, filter.k);
        if (!score || !search.is_feasible(*score)) continue;
        filter.score = *score;
        improve_k(search, filter);
        if (filter.score.fpr < best.score.fpr) best = std::move(filter);
    }
    return best;
}

// Search variables: capacities of all tables and arrivals of all but the first, relative to the start.
class move {
public:
    explicit move(std::vector<candidate_table> start) : start_(std::move(start)) {}

    std::size_t variables() const { return 2 * start_.size() - 1; }

    std::vector<candidate_table> apply(const std::vector<double>& by) const {
        std::vector<candidate_table> tables = start_;
        for (std::size_t j = 0; j < tables.size(); ++j) {
            tables[j].capacity += by[j];
            if (j > 0) tables[j].arrivals *= std::exp(by[tables.size() + j - 1]);
        }
        return tables;
    }

    std::vector<double> first_steps() const {
        std::vector<double> steps(variables(), 0.1);
        for (std::size_t j = 0; j < start_.size(); ++j) steps[j] = -0.05 * (1 + start_[j].capacity);
        return steps;
    }

private:
    std::vector<candidate_table> start_;
};

// Objective: ln(rate) plus a penalty for reads above the bound that exceeds every gain in rate.
void refine(balanced_search& search, const balanced_request& request, found_filter& filter) {
    const move moves(filter.tables);
    const std::uint64_t k = filter.k;
    simplex_minimum(
        [&](const std::vector<double>& by) {
            std::vector<candidate_table> tables = moves.apply(by);
            const auto score = search.score(tables, k);
            if (!score) return far_off;
            if (search.is_feasible(*score) && score->fpr < filter.score.fpr)
                filter = {std::move(tables), k, *score};
            return std::log(score->fpr) + 40 * std::max(0.0, score->reads - request.most_negative_reads);
        },
        std::vector<double>(moves.variables()), moves.first_steps(), 4, evaluations);
}

// A neighbouring k has its own best tables.
void refine_with_neighbours(balanced_search& search, const balanced_request& request, found_filter& filter) {
    for (const int direction : {-1, 1}) {
        for (;;) {
            found_filter tried = filter;
            tried.k = direction < 0 ? filter.k - 1 : filter.k + 1;
            if (tried.k < 1 || tried.k > max_probes) break;
            const auto score = search.score(tried.tables, tried.k);
            if (!score || !search.is_feasible(*score)) break;
            tried.score = *score;
            refine(search, request, tried);
            if (!(tried.score.fpr < filter.score.fpr)) break;
            filter = std::move(tried);
        }
    }
    refine(search, request, filter);
}

}  // namespace

result<balanced_optimum> optimize_balanced_bloom(const balanced_request& request) {
    if (request.block_bits < 64 || request.block_bits > 1024)
        return make_error(errc::bad_field, "block_bits").with_found(request.block_bits).with_range(64, 1024);
    if (!within(request.bits_per_key, 4, 64)) return outside_domain("bits_per_key", "between 4 and 64");
    if (request.most_tables < 1 || request.most_tables > max_tables)
        return make_error(errc::bad_field, "most_tables")
            .with_found(request.most_tables)
            .with_range(1, max_tables);
    if (!(request.most_negative_reads >= 1)) return outside_domain("most_negative_reads", "at least 1");

    balanced_search search(request);
    balanced_optimum best;
    found_filter filter;
    for (std::uint64_t d = 1; d <= request.most_tables; ++d) {
        found_filter tried = best_closed_form(search, request, d);
        if (tried.tables.empty()) continue;
        best.closed_form_fpr = std::min(best.closed_form_fpr, tried.score.fpr);
        refine(search, request, tried);
        improve_k(search, tried);
        if (tried.score.fpr < worth_a_table * filter.score.fpr) filter = std::move(tried);
    }
    if (filter.tables.empty())
        return outside_domain("bits_per_key", "too few for a block with a load counter");
    refine_with_neighbours(search, request, filter);

    best.tables = search.tables_of(filter.tables, filter.score);
    best.k = filter.k;
    best.keys_per_block = 1 / filter.score.blocks_per_key;
    const auto rates = balanced_bloom(best.keys_per_block, 1, best.tables,
                                      {request.block_bits, best.k, request.rule, block_law::exact});
    if (!rates) return rates.error();
    best.rates = *rates;
    return best;
}

}  // namespace membrane::model
