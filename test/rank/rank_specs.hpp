// Specs of the kind rank: of a shape, every number as told, or as planned.
#pragma once

#include <cstdint>

#include <membrane/kind/rank/spec.hpp>
#include <membrane/model/rank_storage.hpp>

#include "support/filters.hpp"
#include "support/given.hpp"

namespace membrane::test {

inline filter_spec rank_spec_of(const model::rank_shape& shape, std::uint64_t mode) {
    filter_spec spec = initial_spec(kind_id::rank, rank_fields);
    spec.fields = {mode,
                   shape.buckets,
                   shape.chains,
                   shape.fingerprint_bits,
                   shape.cells,
                   shape.extension_cells,
                   shape.last_cells,
                   shape.extensions,
                   shape.last_extensions,
                   mode == rank_mode::set ? 0 : shape.value_bits};
    return spec;
}

inline model::rank_shape rank_shape_of(const filter_spec& spec) {
    namespace field = rank_field;
    return {spec[field::buckets],    spec[field::chains],          spec[field::fingerprint_bits],
            spec[field::cells],      spec[field::extension_cells], spec[field::last_cells],
            spec[field::extensions], spec[field::last_extensions], spec[field::value_bits]};
}

inline filter_spec planned_rank(std::uint64_t mode, std::uint64_t keys, double fpr) {
    return value_of(find_entry(kind_id::rank)
                        ->plan.size({.keys = keys, .fpr = fpr, .bits_per_key = {}},
                                    giving(kind_id::rank, rank_field::mode, mode)));
}

}  // namespace membrane::test
