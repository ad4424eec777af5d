// Catalogue rows: rank-indexed hashing.
#include <cmath>

#include <membrane/model/rank_optimum.hpp>
#include <membrane/model/rank_overflow.hpp>
#include <membrane/model/rank_reads.hpp>
#include <membrane/model/rank_storage.hpp>

#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr std::string_view overflow_rules[]{"bound", "estimate"};
constexpr catalog_parameter value_bits =
    whole("value_bits", "bits", "bits beside each fingerprint: 2 for a counter, any for a value", 0, 64)
        .otherwise(0);

constexpr catalog_parameter optimum_in[]{
    keys, number("eps", "rate", "false positive rate", 1e-15, 0.5),
    number("po", "chance", "chance that the extensions run out", 1e-300, 0.999999).otherwise(1e-10),
    value_bits,
    choice("overflow", "the proven bound, or an estimate without proof (n up to 1e6)", overflow_rules, 0)};
constexpr catalog_output optimum_out[]{
    {"bits_per_key", "bits/key", "size of the filter"},
    whole_output("R", "bits", "bits of a fingerprint"),
    whole_output("L", "chains", "chains of a bucket"),
    whole_output("B", "buckets", "number of buckets"),
    {"lambda", "keys/chain", "keys per chain"},
    whole_output("Z1", "cells", "cells of a bucket"),
    whole_output("Z2", "cells", "cells of a first extension"),
    whole_output("Z3", "cells", "cells of a second extension"),
    whole_output("J2", "extensions", "number of first extensions"),
    whole_output("J3", "extensions", "number of second extensions"),
    {"fpr", "rate", "exact rate, at most eps"},
    {"po", "chance", "chance that the extensions run out, by the rule asked for"},
    {"log10_po", "", "its logarithm to base 10; null if it is 0"},
    {"trimmed_bits_per_key", "bits/key", "size when empty cells are not sent"}};
outcome optimum_row(arguments in) {
    rank_requirement wanted;
    wanted.n = in.whole("n");
    wanted.fpr = in.number("eps");
    wanted.overflow = in.number("po");
    wanted.value_bits = in.whole("value_bits");
    wanted.rule = in.choice<overflow_rule>("overflow");
    const auto best = best_rank_shape(wanted);
    if (!best) return best.error();
    const rank_shape& shape = best->shape;
    return values{best->bits_per_key,
                  of(shape.fingerprint_bits),
                  of(shape.chains),
                  of(shape.buckets),
                  or_nothing(rank_keys_per_chain(shape, wanted.n)),
                  of(shape.cells),
                  of(shape.extension_cells),
                  of(shape.last_cells),
                  of(shape.extensions),
                  of(shape.last_extensions),
                  best->fpr,
                  chance_of_log(best->log_overflow),
                  log10_of_log(best->log_overflow),
                  or_nothing(rank_trimmed_bits_per_key(shape, wanted.n))};
}

constexpr catalog_parameter shape_in[]{
    keys,
    whole("B", "buckets", "number of buckets", 1, 1e12),
    whole("L", "chains", "chains of a bucket", 1, 64),
    whole("R", "bits", "bits of a fingerprint", 1, 56),
    whole("Z1", "cells", "cells of a bucket", 1, 65536),
    whole("Z2", "cells", "cells of a first extension", 0, 65536).otherwise(0),
    whole("Z3", "cells", "cells of a second extension", 0, 65536).otherwise(0),
    whole("J2", "extensions", "number of first extensions", 0, 1e12).otherwise(0),
    whole("J3", "extensions", "number of second extensions", 0, 1e12).otherwise(0),
    value_bits};
constexpr catalog_output shape_out[]{
    {"bits_per_key", "bits/key", "size of the filter"},
    {"trimmed_bits_per_key", "bits/key", "size when empty cells are not sent"},
    {"lambda", "keys/chain", "keys per chain"},
    {"fpr", "rate", "exact rate"},
    {"fpr_asymptotic", "rate", "lambda 2^-R"},
    {"fpr_stddev", "rate", "deviation of one filter's own rate from filter to filter"},
    {"po_bound", "chance", "bound of the chance that the extensions run out"},
    {"log10_po_bound", "", "its logarithm to base 10; null if it is 0"},
    {"po_estimate", "chance", "the same estimated, without proof; null above n = 1e8"},
    {"log10_po_estimate", "", "its logarithm to base 10"},
    {"log10_po_extensions", "", "of the chance, estimated, that J2 is too few"},
    whole_output("bucket_bits", "bits", "bits of a bucket"),
    whole_output("extension_bits", "bits", "bits of a first extension"),
    whole_output("last_extension_bits", "bits", "bits of a second extension"),
    {"negative_reads", "lines", "cache lines that a stranger's lookup reads"},
    {"positive_reads", "lines", "cache lines that a member's lookup reads"}};

constexpr std::uint64_t most_estimated_keys = 100'000'000;

outcome shape_row(arguments in) {
    rank_shape shape;
    shape.buckets = in.whole("B");
    shape.chains = in.whole("L");
    shape.fingerprint_bits = in.whole("R");
    shape.cells = in.whole("Z1");
    shape.extension_cells = in.whole("Z2");
    shape.last_cells = in.whole("Z3");
    shape.extensions = in.whole("J2");
    shape.last_extensions = in.whole("J3");
    shape.value_bits = in.whole("value_bits");
    const std::uint64_t n = in.whole("n");
    const auto size = rank_bits_per_key(shape, n);
    if (!size) return size.error();
    const auto bound = rank_overflow_bound(shape, n);
    if (!bound) return bound.error();
    const auto storage = rank_storage_of(shape);
    if (!storage) return storage.error();
    values found{*size,
                 or_nothing(rank_trimmed_bits_per_key(shape, n)),
                 or_nothing(rank_keys_per_chain(shape, n)),
                 or_nothing(rank_fpr_exact(shape, n)),
                 or_nothing(rank_fpr_asymptotic(shape, n)),
                 or_nothing(rank_fpr_stddev_between(shape, n)),
                 chance_of_log(bound->log_any),
                 log10_of_log(bound->log_any)};
    const auto estimate = n <= most_estimated_keys ? rank_overflow_estimate(shape, n)
                                                   : result<rank_overflow>(make_error(errc::too_large, "n"));
    found.push_back(estimate ? catalog_value(chance_of_log(estimate->log_any)) : catalog_value());
    found.push_back(estimate ? log10_of_log(estimate->log_any) : catalog_value());
    found.push_back(estimate ? log10_of_log(estimate->log_extensions) : catalog_value());
    found.push_back(of(storage->bucket_bits));
    found.push_back(of(storage->extension_bits));
    found.push_back(of(storage->last_extension_bits));
    const auto reads = rank_lookup_reads(shape, n);
    found.push_back(reads ? catalog_value(reads->negative) : catalog_value());
    found.push_back(reads ? catalog_value(reads->positive) : catalog_value());
    return found;
}

constexpr catalog_parameter scatter_in[]{keys, whole("B", "buckets", "number of buckets", 1, 1e12),
                                         whole("Z1", "cells", "cells of a bucket", 0, 65536)};
constexpr catalog_output scatter_out[]{{"mean", "buckets", "mean number of buckets with more than Z1 keys"},
                                       {"variance", "buckets^2", "its variance"},
                                       {"variance_if_independent", "buckets^2",
                                        "what it would be with independent loads, as the bound has them"}};
outcome scatter_row(arguments in) {
    const auto scatter = rank_overflow_scatter(in.whole("n"), in.whole("B"), in.whole("Z1"));
    if (!scatter) return scatter.error();
    return values{scatter->mean, scatter->variance, scatter->variance_if_independent};
}

constexpr char family[] = "rank-indexed";
constexpr catalog_function functions[]{
    {"rank", family, "The smallest rank-indexed filter for a rate and a chance of overflow.",
     "rank-indexed, section V; search our own", optimum_in, optimum_out, optimum_row},
    {"rank_shape", family, "Size, rate and chance of overflow of any rank-indexed filter.",
     "rank-indexed, sections III to V", shape_in, shape_out, shape_row},
    {"rank_scatter", family, "How the number of overflowing buckets scatters.",
     "rank-indexed, appendix; our own", scatter_in, scatter_out, scatter_row},
};

}  // namespace

std::span<const catalog_function> rank_functions() { return functions; }

}  // namespace membrane::model::rows
