#include "count_report.hpp"

#include <numbers>

#include <fmt/core.h>

#include <membrane/base/endian.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/model/count_min.hpp>

#include "failure.hpp"
#include "json_text.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace membrane::cli {

bool is_count_file(const any_view& filter) { return filter.spec().kind == kind_id::count_min; }

count_promise count_promise_of(const any_view& filter) {
    const filter_spec& spec = filter.spec();
    const model::count_min_size size{spec[count_min_field::width], spec[count_min_field::depth],
                                     spec[count_min_field::copies]};
    const bool is_two_hash = spec[count_min_field::rows] == rows::two_hash;
    count_promise made;
    // A little more than e / width, for which the bound is known.
    made.eps = std::numbers::e / static_cast<double>(size.width) * (is_two_hash ? 2 : 1);
    made.delta = is_two_hash ? model::count_min_two_hash_failure_bound(made.eps, size)
                             : model::count_min_classic_failure_bound(made.eps, size);
    made.excess = static_cast<std::uint64_t>(made.eps * static_cast<double>(filter.keys()) + 0.5);
    return made;
}

std::string count_promise_text(const count_promise& promise) {
    return fmt::format("too high by at most {} ({} of all occurrences), except with a chance of {}",
                       count_text(promise.excess), rate_text(promise.eps), rate_text(promise.delta));
}

void say_counted(const std::string& file, std::uint64_t added, const any_view& filter) {
    say(fmt::format("{}: {} added, {} in all", file, counted_text(added, "occurrence", "occurrences"),
                    count_text(filter.keys())));
}

std::string key_text(std::string_view bytes, shown_key format) {
    if (format == shown_key::u64 && bytes.size() == sizeof(std::uint64_t))
        return std::to_string(load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(bytes.data())));
    if (format != shown_key::hex && format != shown_key::u64) return std::string(bytes);
    return hex_digits(bytes);
}

void print_top(std::span<const counted_key> top, shown_key format) {
    for (const counted_key& entry : top) {
        const bool is_cut = entry.key.size() < entry.key_bytes;
        out().print("{}\t{}{}", entry.estimate, key_text(entry.key, format), is_cut ? "..." : "");
        out().write(format == shown_key::nul ? '\0' : '\n');
    }
}

json top_json(const std::string& file, std::uint64_t total, std::span<const counted_key> top,
              shown_key format) {
    json entries = json::array();
    for (const counted_key& entry : top)
        entries.push_back(json{{"count", entry.estimate},
                               {"key", key_text(entry.key, format)},
                               {"key_hex", key_text(entry.key, shown_key::hex)},
                               {"key_bytes", entry.key_bytes}});
    return {{"file", file}, {"total", total}, {"top", entries}};
}

}  // namespace membrane::cli
