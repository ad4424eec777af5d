#include "plan/words.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace membrane::plan {

namespace {

// Relative differences below this are called equal in sentences.
constexpr double noticeable = 0.005;
// With a higher false positive rate than this a filter is useless.
constexpr double useless_fpr = 0.5;

// Bits per key compared with another filter's.
std::string bits_words(double ratio) {
    if (std::abs(ratio - 1) < noticeable) return "the same bits";
    if (ratio >= 2) return number_words(ratio) + " times the bits";
    return number_words(100 * std::abs(ratio - 1)) + (ratio > 1 ? " % more bits" : " % fewer bits");
}

std::string rate_words(double fpr, double other) {
    if (std::abs(fpr / other - 1) < noticeable) return "the same rate";
    return "a rate of " + percent_words(fpr) + " instead of " + percent_words(other);
}

}  // namespace

std::string number_words(double value) {
    std::array<char, 32> text{};
    const int digits = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
    const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    std::string made(text.data(), static_cast<std::size_t>(length));
    if (digits != 0) {
        while (made.back() == '0') made.pop_back();
        if (made.back() == '.') made.pop_back();
    }
    return made;
}

std::string percent_words(double rate) {
    std::array<char, 32> text{};
    // As the tool prints rates: small ones without a percent sign.
    if (rate > 0 && rate < 1e-5) std::snprintf(text.data(), text.size(), "%.3g", rate);
    else std::snprintf(text.data(), text.size(), "%.3g %%", 100 * rate);
    return text.data();
}

std::string bytes_words(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 5> units{" bytes", " kB", " MB", " GB", " TB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
    return number_words(value).append(units[unit]);
}

std::string lines_words(double lines) {
    const std::string number = number_words(lines);
    return number + (number == "1" ? " line" : " lines");
}

std::string needs_words(const capabilities& needs) {
    std::string words;
    for (const ability& each : abilities)
        if (needs.*each.can) words.append(words.empty() ? "" : " and ").append(each.name);
    return words;
}

std::string shortcoming(const sized_filter& one, const requirement& wanted) {
    for (const ability& each : abilities)
        if (wanted.needs.*each.can && !(one.can.*each.can)) return "cannot " + std::string(each.name);
    if (one.fpr > useless_fpr) return "has a rate of " + percent_words(one.fpr) + " in this size";
    if (wanted.needs.largest_count > one.can.largest_count)
        return "counts only to " + std::to_string(one.can.largest_count);
    if (wanted.max_bytes && one.file_bytes > *wanted.max_bytes)
        return "takes " + bytes_words(one.file_bytes) + ", more than the " + bytes_words(*wanted.max_bytes) +
               " allowed";
    if (!one.has_reads && (wanted.average_reads || wanted.worst_reads)) return "what it reads is not known";
    if (wanted.average_reads && one.reads.negative.average > *wanted.average_reads)
        return "reads " + lines_words(one.reads.negative.average) + " per negative lookup, more than " +
               number_words(*wanted.average_reads);
    if (wanted.worst_reads && one.reads.negative.worst > *wanted.worst_reads)
        return "reads " + lines_words(one.reads.negative.worst) + " at worst, more than " +
               number_words(*wanted.worst_reads);
    return {};
}

std::string comparison(const sized_filter& one, const sized_filter& other, std::string_view other_name,
                       bool is_sized_by_rate) {
    const double ratio = is_sized_by_rate ? one.bits_per_key / other.bits_per_key : one.fpr / other.fpr;
    const bool is_same = std::abs(ratio - 1) < noticeable;
    const std::string size = is_sized_by_rate ? bits_words(ratio) : rate_words(one.fpr, other.fpr);
    const double lines = one.reads.negative.average, other_lines = other.reads.negative.average;
    const std::string whose = other_name.empty() ? "" : " (" + std::string(other_name) + ")";
    if (!one.has_reads || !other.has_reads || std::abs(lines / other_lines - 1) < noticeable)
        return size + whose;
    const std::string reads = lines_words(lines) + " instead of " + number_words(other_lines) + whose;
    if (lines < other_lines)
        return "reads " + reads + (is_same || ratio > 1 ? " for " : ", and takes ") + size;
    return size + (is_same || ratio < 1 ? ", but reads " : " and reads ") + reads;
}

}  // namespace membrane::plan
