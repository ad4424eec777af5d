#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

namespace membrane::cli {

namespace {

struct unit {
    std::string_view suffix;
    double factor;
};

constexpr std::array<unit, 7> count_units{
    {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"m", 1e6}, {"M", 1e6}, {"g", 1e9}, {"G", 1e9}}};
constexpr std::array<unit, 15> byte_units{{{"", 1},
                                           {"B", 1},
                                           {"k", 1e3},
                                           {"K", 1e3},
                                           {"kB", 1e3},
                                           {"KB", 1e3},
                                           {"M", 1e6},
                                           {"MB", 1e6},
                                           {"G", 1e9},
                                           {"GB", 1e9},
                                           {"T", 1e12},
                                           {"KiB", 1024.0},
                                           {"MiB", 1048576.0},
                                           {"GiB", 1073741824.0},
                                           {"TiB", 1099511627776.0}}};

struct leading_number {
    double value;
    std::string_view rest;
};

std::optional<leading_number> parse_leading(std::string_view text) {
    if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
    // strtod also reads hexadecimal digits, which are not valid here, and needs a zero at the end. The tool never sets a locale.
    const std::string decimal(text.substr(0, text.find_first_not_of("0123456789.eE+-")));
    char* end = nullptr;
    errno = 0;
    const double value = std::strtod(decimal.c_str(), &end);
    if (end == decimal.c_str() || errno == ERANGE) return std::nullopt;
    return leading_number{value, text.substr(static_cast<std::size_t>(end - decimal.c_str()))};
}

template <std::size_t Count>
std::optional<std::uint64_t> parse_with_units(std::string_view text, const std::array<unit, Count>& units) {
    std::uint64_t exact = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (problem == std::errc{} && end == text.data() + text.size()) return exact;
    const auto number = parse_leading(text);
    if (!number) return std::nullopt;
    for (const unit& each : units) {
        if (number->rest != each.suffix) continue;
        const double value = number->value * each.factor;
        if (!(value < 0x1p63) || value != std::floor(value)) return std::nullopt;
        return static_cast<std::uint64_t>(value);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) {
    return parse_with_units(text, count_units);
}
std::optional<std::uint64_t> parse_bytes(std::string_view text) { return parse_with_units(text, byte_units); }

std::optional<double> parse_rate(std::string_view text) {
    const auto number = parse_leading(text);
    if (!number) return std::nullopt;
    double rate = number->value;
    if (number->rest == "%") rate /= 100;
    else if (!number->rest.empty()) return std::nullopt;
    if (!(rate > 0 && rate < 1)) return std::nullopt;
    return rate;
}

std::optional<double> parse_positive(std::string_view text) {
    const auto number = parse_leading(text);
    if (!number || !number->rest.empty() || !(number->value > 0) || !std::isfinite(number->value))
        return std::nullopt;
    return number->value;
}

std::optional<double> parse_part(std::string_view text) {
    const bool is_percentage = text.ends_with('%');
    const auto number = parse_positive(is_percentage ? text.substr(0, text.size() - 1) : text);
    constexpr double most = 1000;
    if (!number || *number / (is_percentage ? 100 : 1) > most) return std::nullopt;
    return *number / (is_percentage ? 100 : 1);
}

std::string count_text(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

std::string counted_text(std::uint64_t count, std::string_view one, std::string_view more) {
    return fmt::format("{} {}", count_text(count), count == 1 ? one : more);
}

std::string short_count_text(double count) {
    if (count >= 1e9) return fmt::format("{:.2f} G", count / 1e9);
    if (count >= 1e6) return fmt::format("{:.2f} M", count / 1e6);
    if (count >= 1e4) return fmt::format("{:.1f} k", count / 1e3);
    return fmt::format("{:.0f}", count);
}

std::string bytes_text(std::uint64_t bytes) {
    const double value = static_cast<double>(bytes);
    if (bytes >= 1'000'000'000'000) return fmt::format("{:.2f} TB", value / 1e12);
    if (bytes >= 1'000'000'000) return fmt::format("{:.2f} GB", value / 1e9);
    if (bytes >= 1'000'000) return fmt::format("{:.2f} MB", value / 1e6);
    if (bytes >= 10'000) return fmt::format("{:.1f} kB", value / 1e3);
    return fmt::format("{} bytes", count_text(bytes));
}

std::string estimate_text(double expected) {
    if (expected < 99.5) return fmt::format("{:.2g}", expected);
    return count_text(static_cast<std::uint64_t>(expected + 0.5));
}

std::string rate_text(double rate) {
    // 1e-9 is what was asked for; 1e-07 % would have to be converted.
    constexpr double least_percentage = 1e-5;
    if (rate > 0 && rate < least_percentage) return fmt::format("{:.3g}", rate);
    return fmt::format("{:.3g} %", rate * 100);
}

std::string bits_per_key_text(double bits_per_key, int digits) {
    constexpr double most_with_digits = 10'000, most = 1e18;
    if (!(bits_per_key >= most_with_digits)) return fmt::format("{:.{}f} bits/key", bits_per_key, digits);
    return count_text(static_cast<std::uint64_t>(std::min(bits_per_key, most) + 0.5)) + " bits/key";
}

}  // namespace membrane::cli
