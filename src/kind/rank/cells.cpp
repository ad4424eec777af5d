#include <algorithm>
#include <cmath>

#include <membrane/model/rank_overflow.hpp>

#include "kind/rank/shapes.hpp"

namespace membrane::plan {

namespace {

namespace field = rank_field;
using model::rank_shape;

struct {
    std::uint64_t rank_shape::*member;
    std::size_t field;
} constexpr members[]{{&rank_shape::buckets, field::buckets},
                      {&rank_shape::chains, field::chains},
                      {&rank_shape::fingerprint_bits, field::fingerprint_bits},
                      {&rank_shape::cells, field::cells},
                      {&rank_shape::extension_cells, field::extension_cells},
                      {&rank_shape::last_cells, field::last_cells},
                      {&rank_shape::extensions, field::extensions},
                      {&rank_shape::last_extensions, field::last_extensions},
                      {&rank_shape::value_bits, field::value_bits}};

// The least number in [least, most] for which the monotone `is_enough` holds, or most.
template <class IsEnough>
std::uint64_t least_enough(std::uint64_t least, std::uint64_t most, const IsEnough& is_enough) {
    while (least < most) {
        const std::uint64_t middle = least + (most - least) / 2;
        if (is_enough(middle)) most = middle;
        else least = middle + 1;
    }
    return least;
}

// Completes a shape of which some cells or extensions are fixed.
class completion {
public:
    completion(const rank_shape& best, const rank_wishes& wishes) : best_(best), wishes_(wishes) {}

    std::optional<rank_shape> made() {
        rank_shape shape = best_;
        for (const auto& [member, at] : members)
            if (wishes_.gives(at)) shape.*member = wishes_.spec[at];
        const bool has_no_extension = is_none(field::extension_cells) || is_none(field::extensions);
        const bool has_no_last =
            has_no_extension || is_none(field::last_cells) || is_none(field::last_extensions);
        const std::uint64_t total = least_cells();
        set(shape, field::cells, has_no_extension ? total : shape.cells);
        if (has_no_extension || (shape.cells >= total && !wants_extensions())) {
            shape.extension_cells = shape.extensions = shape.last_cells = shape.last_extensions = 0;
            return checked(shape);
        }
        const std::uint64_t second = best_.extensions == 0 ? total : best_.cells + best_.extension_cells;
        set(shape, field::extension_cells, at_least(1, has_no_last ? total : second, shape.cells));
        set(shape, field::extensions, extensions_for(shape, shape.cells));
        const std::uint64_t so_far = shape.cells + shape.extension_cells;
        if (has_no_last || (so_far >= total && !wants_last())) {
            shape.last_cells = shape.last_extensions = 0;
            return checked(shape);
        }
        set(shape, field::last_cells, at_least(1, total, so_far));
        set(shape, field::last_extensions, std::min(shape.extensions, extensions_for(shape, so_far)));
        return checked(shape);
    }

private:
    bool is_none(std::size_t at) const { return wishes_.gives(at) && wishes_.spec[at] == 0; }
    bool wants_last() const {
        return wishes_.gives(field::last_cells) || wishes_.gives(field::last_extensions);
    }
    bool wants_extensions() const {
        return wants_last() || wishes_.gives(field::extension_cells) || wishes_.gives(field::extensions);
    }
    static std::uint64_t at_least(std::uint64_t least, std::uint64_t wanted, std::uint64_t there) {
        return wanted > there + least ? wanted - there : least;
    }
    void set(rank_shape& shape, std::size_t at, std::uint64_t value) const {
        for (const auto& [member, number] : members)
            if (number == at && !wishes_.gives(at)) shape.*member = value;
    }
    static double log_share(double share) { return std::log(share * rank_overflow_chance); }

    // Cells of a bucket with its extensions.
    std::uint64_t least_cells() const {
        rank_shape alone = best_;
        alone.extension_cells = alone.extensions = alone.last_cells = alone.last_extensions = 0;
        return least_enough(1, most_rank_cells, [&](std::uint64_t cells) {
            alone.cells = cells;
            return model::rank_overflow_bound(alone, wishes_.keys)->log_bucket <= log_share(0.1);
        });
    }
    std::uint64_t extensions_for(const rank_shape& shape, std::uint64_t cells) const {
        rank_shape tried = shape;
        tried.cells = std::min(cells, model::max_rank_cells);
        tried.last_extensions = tried.last_cells = 0;
        return least_enough(1, shape.buckets, [&](std::uint64_t extensions) {
            tried.extensions = extensions;
            return model::rank_overflow_bound(tried, wishes_.keys)->log_extensions <= log_share(0.4);
        });
    }
    std::optional<rank_shape> checked(const rank_shape& shape) const {
        filter_spec spec = initial_spec(kind_id::rank, rank_fields);
        set_rank_shape(spec, shape);
        spec[field::mode] = shape.value_bits == 0 ? rank_mode::set : rank_mode::counting;
        if (!check_rank_spec(spec)) return std::nullopt;
        const auto overflow = model::rank_overflow_bound(shape, wishes_.keys);
        if (!overflow || overflow->log_any > std::log(rank_overflow_chance) + 1e-9) return std::nullopt;
        return shape;
    }

    const rank_shape& best_;
    const rank_wishes& wishes_;
};

}  // namespace

rank_shape rank_shape_of(const filter_spec& spec) {
    rank_shape shape;
    for (const auto& [member, at] : members) shape.*member = spec[at];
    return shape;
}
void set_rank_shape(filter_spec& spec, const rank_shape& shape) {
    for (const auto& [member, at] : members) spec[at] = shape.*member;
}

bool rank_wishes::gives_cells() const {
    return gives(field::cells) || gives(field::extension_cells) || gives(field::last_cells) ||
           gives(field::extensions) || gives(field::last_extensions);
}

std::optional<rank_shape> with_cells(rank_shape base, const rank_wishes& wishes) {
    const auto best = model::best_rank_cells(base, wishes.keys, rank_overflow_chance);
    if (!best || best->shape.cells > most_rank_cells || best->shape.extension_cells > most_rank_cells ||
        best->shape.last_cells > most_rank_cells)
        return std::nullopt;
    return wishes.gives_cells() ? completion(best->shape, wishes).made() : best->shape;
}

}  // namespace membrane::plan
