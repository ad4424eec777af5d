// Catalogue rows: the count-min sketch.
#include <membrane/model/count_min.hpp>

#include "rows.hpp"

namespace membrane::model::rows {

namespace {

constexpr catalog_parameter eps =
    number("eps", "share", "error, as a share of the sum of all counts", 1e-12, 0.999999);

constexpr catalog_parameter size_in[]{
    eps, number("delta", "chance", "chance that an estimate is off by more", 1e-300, 0.999999)};
constexpr catalog_output size_out[]{
    whole_output("width", "counters", "counters per row, two hashes"),
    whole_output("depth", "rows", "rows, two hashes"),
    whole_output("copies", "sketches", "independent copies, two hashes"),
    {"bound", "chance", "bound of the chance of an error above eps, two hashes"},
    whole_output("classic_width", "counters", "counters per row, one hash per row"),
    whole_output("classic_depth", "rows", "rows, one hash per row"),
    {"classic_bound", "chance", "bound of the chance, one hash per row"}};
outcome size_row(arguments in) {
    const double error_share = in.number("eps"), delta = in.number("delta");
    const auto two = count_min_two_hash_size(error_share, delta);
    if (!two) return two.error();
    const auto classic = count_min_classic_size(error_share, delta);
    if (!classic) return classic.error();
    return values{of(two->width),
                  of(two->depth),
                  of(two->copies),
                  count_min_two_hash_failure_bound(error_share, *two),
                  of(classic->width),
                  of(classic->depth),
                  count_min_classic_failure_bound(error_share, *classic)};
}

constexpr catalog_parameter bound_in[]{
    eps, whole("width", "counters", "counters per row", 1, 1e15),
    whole("depth", "rows", "rows of a copy", 1, 1e6),
    whole("copies", "sketches", "independent copies", 1, 1e6).otherwise(1)};
constexpr catalog_output bound_out[]{
    {"bound", "chance", "bound of the chance of an error above eps, two hashes"},
    {"classic_bound", "chance", "the same, one hash per row"}};
outcome bound_row(arguments in) {
    const count_min_size size{in.whole("width"), in.whole("depth"), in.whole("copies")};
    return values{count_min_two_hash_failure_bound(in.number("eps"), size),
                  count_min_classic_failure_bound(in.number("eps"), size)};
}

constexpr char family[] = "less hashing";
constexpr catalog_function functions[]{
    {"count_min", family, "Dimensions of a count-min sketch for an error and its chance.",
     "less hashing, section 9", size_in, size_out, size_row},
    {"count_min_bound", family, "The chance that a count-min sketch of a given size is off by more than eps.",
     "less hashing, section 9", bound_in, bound_out, bound_row},
};

}  // namespace

std::span<const catalog_function> count_min_functions() { return functions; }

}  // namespace membrane::model::rows
