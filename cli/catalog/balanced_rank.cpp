// Catalogue rows: the balanced rank-indexed filter.
#include <membrane/model/balanced_rank.hpp>
#include <membrane/model/balanced_rank_optimum.hpp>

#include "model/domain.hpp"
#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr std::string_view forms[]{"fixed", "erasable"};
constexpr catalog_parameter form = choice("form", "whether keys can be removed", forms, 0);
constexpr catalog_parameter entry_bits =
    whole("list_entry_bits", "bits", "bits of a slot of the overflow list", 1, 1024).otherwise(64);
constexpr catalog_parameter key_count =
    whole("n", "keys", "number of keys, for the sizes of one filter", 1, 1e12).may_be_left_out();

constexpr catalog_output filter_out[]{
    {"bits_per_key", "bits/key", "lines of both tables and the list"},
    {"fpr", "rate", "false positive rate"},
    whole_output("R", "bits", "bits of a fingerprint in table 1"),
    whole_output("L", "chains", "chains of a line of table 1"),
    whole_output("Z", "cells", "cells of a line of table 1"),
    {"negative_reads", "lines", "lines read by the query of a stranger"},
    {"positive_reads", "lines", "lines read by the query of a key"},
    {"list_reads", "lookups", "lookups in the list by the query of a stranger"},
    {"keys_per_line", "keys/line", "keys per line of table 1"},
    {"second_share", "lines/line", "lines of table 2 per line of table 1"},
    whole_output("second_R", "bits", "bits of a fingerprint in table 2"),
    whole_output("second_L", "chains", "chains of a line of table 2"),
    whole_output("second_Z", "cells", "cells of a line of table 2"),
    {"forwarded", "share", "share of the keys that table 1 sends on"},
    {"listed", "share", "share of the keys in the list"},
    {"first_fpr", "rate", "the part of table 1"},
    {"second_load", "keys/line", "mean arrivals per line of table 2"},
    {"second_variance", "keys^2", "variance of the arrivals of a line of table 2"},
    {"list_bits_per_key", "bits/key", "the list's part of the size"},
    whole_output("first_lines", "lines", "lines of table 1; null without n"),
    whole_output("second_lines", "lines", "lines of table 2; null without n"),
    whole_output("list_slots", "slots",
                 "slots of the list that suffice but for a chance of 1e-12; null without n"),
    {"fpr_stddev", "rate", "deviation of one filter's own rate from filter to filter; null without n"}};

outcome values_of(arguments in, const balanced_rank_shape& shape, const balanced_rank_numbers& numbers) {
    values found{numbers.bits_per_key,
                 numbers.fpr,
                 of(shape.first.fingerprint_bits),
                 of(shape.first.chains),
                 of(shape.first.cells),
                 numbers.negative_reads,
                 numbers.positive_reads,
                 numbers.list_reads,
                 shape.keys_per_line,
                 shape.second_share,
                 of(shape.second.fingerprint_bits),
                 of(shape.second.chains),
                 of(shape.second.cells),
                 numbers.forwarded,
                 numbers.listed,
                 numbers.first_fpr,
                 numbers.second_load,
                 numbers.second_variance,
                 numbers.list_bits_per_key};
    if (!in.has("n")) {
        found.resize(std::size(filter_out));
        return found;
    }
    const auto filter = balanced_rank_for(shape, in.whole("n"));
    if (!filter) return filter.error();
    found.push_back(of(filter->first_lines));
    found.push_back(of(filter->second_lines));
    found.push_back(of(filter->list_slots));
    found.push_back(filter->fpr_stddev_between);
    return found;
}

constexpr catalog_parameter optimum_in[]{
    number("bits_per_key", "bits/key", "size of the filter; or fpr", 1, 64).may_be_left_out(),
    number("fpr", "rate", "false positive rate; or bits_per_key", 1e-9, 0.1).may_be_left_out(),
    number("negative_reads", "lines", "bound on the lines that a stranger's query reads", 1.0011, 2)
        .otherwise(2),
    form,
    entry_bits,
    key_count};
outcome optimum_row(arguments in) {
    if (in.has("bits_per_key") == in.has("fpr"))
        return outside_domain("bits_per_key", "either bits_per_key or fpr");
    const balanced_rank_requirement wanted{in.choice<rank_model_form>("form"), in.number("negative_reads"),
                                           in.whole("list_entry_bits")};
    const auto best = in.has("fpr") ? best_balanced_rank_for_fpr(in.number("fpr"), wanted)
                                    : best_balanced_rank_for_bits(in.number("bits_per_key"), wanted);
    if (!best) return best.error();
    return values_of(in, best->shape, best->numbers);
}

constexpr catalog_parameter shape_in[]{
    whole("R", "bits", "bits of a fingerprint in table 1", 1, 56),
    whole("L", "chains", "chains of a line of table 1", 1, 64),
    whole("Z", "cells", "cells of a line of table 1", 1, 512),
    number("keys_per_line", "keys/line", "keys per line of table 1", 0.01, 2048),
    number("second_share", "lines/line", "lines of table 2 per line of table 1", 0.005, 1),
    whole("second_R", "bits", "bits of a fingerprint in table 2", 1, 56),
    whole("second_L", "chains", "chains of a line of table 2", 1, 64),
    whole("second_Z", "cells", "cells of a line of table 2", 1, 512),
    form,
    entry_bits,
    key_count};
outcome shape_row(arguments in) {
    balanced_rank_shape shape;
    shape.form = in.choice<rank_model_form>("form");
    shape.first = {in.whole("R"), in.whole("L"), in.whole("Z")};
    shape.second = {in.whole("second_R"), in.whole("second_L"), in.whole("second_Z")};
    shape.second_share = in.number("second_share");
    shape.keys_per_line = in.number("keys_per_line");
    shape.list_entry_bits = in.whole("list_entry_bits");
    const auto numbers = balanced_rank_at(shape);
    if (!numbers) return numbers.error();
    return values_of(in, shape, *numbers);
}

constexpr char family[] = "balanced rank";
constexpr catalog_function functions[]{
    {"balanced_rank", family, "The best balanced rank-indexed filter for a rate or a size.", "our own",
     optimum_in, filter_out, optimum_row},
    {"balanced_rank_shape", family, "Size, rate and reads of any balanced rank-indexed filter.", "our own",
     shape_in, filter_out, shape_row},
};

}  // namespace

std::span<const catalog_function> balanced_rank_functions() { return functions; }

}  // namespace membrane::model::rows
