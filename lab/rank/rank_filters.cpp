#include "rank_filters.hpp"

#include <fmt/format.h>

#include <membrane/base/packed_bits.hpp>
#include <membrane/kind/rank/spec.hpp>

namespace membrane::lab {

std::string rank_filter_text(const model::rank_shape& shape, std::string_view mode) {
    return fmt::format(
        "rank:mode={},buckets={},chains={},fingerprint_bits={},cells={},extension_cells={},last_cells={},"
        "extensions={},last_extensions={},value_bits={}",
        mode, shape.buckets, shape.chains, shape.fingerprint_bits, shape.cells, shape.extension_cells,
        shape.last_cells, shape.extensions, shape.last_extensions, shape.value_bits);
}

std::optional<reading> measured_packed_bits_per_key(context& lab, const wanted_filter& wanted) {
    const auto spec = spec_of(wanted);
    if (!spec) return std::nullopt;
    model::running_summary bits;
    for_each_filter(lab, *spec, wanted.keys, [&](const filled_filter& each) {
        bits.add(8 * static_cast<double>(must(each.filter().pack()).size()) /
                 static_cast<double>(wanted.keys));
    });
    return reading{bits.mean(), 0};
}

std::optional<model::running_summary> extended_buckets(context& lab, const wanted_filter& wanted) {
    const auto spec = spec_of(wanted);
    if (!spec) return std::nullopt;
    const rank_layout layout = *rank_layout::of(*spec);
    const std::uint64_t flag_at = (*spec)[rank_field::chains] + layout.cells[0];
    model::running_summary extended;
    for_each_filter(lab, *spec, wanted.keys, [&](const filled_filter& each) {
        const packed_bits bits(const_cast<std::byte*>(each.filter().payload().data()));
        double found = 0;
        for (std::uint64_t i = 0; i < layout.items[0]; ++i)
            found += bits.test(i * layout.item_bits[0] + flag_at) ? 1 : 0;
        extended.add(found);
    });
    return extended;
}

}  // namespace membrane::lab
