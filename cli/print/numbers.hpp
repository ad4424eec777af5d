// Numbers in the notations of the command line and the reports. Parsers accept the whole text or nothing; formatters add the
// unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace membrane::cli {

std::optional<std::uint64_t> parse_count(std::string_view text);  // 1000, 10k, 10M, 10G, 1e7, 1.5M
std::optional<std::uint64_t> parse_bytes(
    std::string_view text);                               // 1000, 64K, 1.5M, 2G (decimal), 64KiB, 1MiB, 2GiB
std::optional<double> parse_rate(std::string_view text);  // 0.001, 1e-3, 0.1%: above 0 and below 1
std::optional<double> parse_positive(std::string_view text);  // above 0 and finite

inline constexpr char count_wanted[] = "a number such as 1000, 10k, 10M or 1e7";
inline constexpr char bytes_wanted[] = "a size such as 1000, 64K, 10M, 2G, 64KiB or 2GiB";
inline constexpr char rate_wanted[] = "a rate above 0 and below 1, such as 0.001, 1e-3 or 0.1%";
inline constexpr char positive_wanted[] = "a number above 0";

// A part, such as 20% or 0.2; may be above 1.
std::optional<double> parse_part(std::string_view text);

std::string count_text(std::uint64_t count);                                                 // 1,000,000
std::string counted_text(std::uint64_t count, std::string_view one, std::string_view more);  // 2 keys
std::string short_count_text(double count);                                                  // 1.23 M
std::string bytes_text(std::uint64_t bytes);                                                 // 1.80 MB
// An expected number: two digits below 100, otherwise a whole number.
std::string estimate_text(double expected);
std::string rate_text(double rate);                                  // 0.1 %
std::string bits_per_key_text(double bits_per_key, int digits = 2);  // 14.38 bits/key

}  // namespace membrane::cli
