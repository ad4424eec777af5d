#include "command.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/error.hpp>

namespace membrane::redis {

bool is_word(std::string_view text, std::string_view upper_case) {
    return std::equal(text.begin(), text.end(), upper_case.begin(), upper_case.end(),
                      [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; });
}

std::optional<std::uint64_t> byte_count_from(std::string_view text) {
    struct unit {
        std::string_view name;
        std::uint64_t bytes;
    };
    constexpr std::array<unit, 4> units{
        {{"KB", 1u << 10}, {"MB", 1u << 20}, {"GB", 1u << 30}, {"TB", std::uint64_t{1} << 40}}};
    for (const unit& each : units) {
        if (text.size() <= 2 || !is_word(text.substr(text.size() - 2), each.name)) continue;
        const auto count = number_from<std::uint64_t>(text.substr(0, text.size() - 2));
        return count ? checked_multiply(*count, each.bytes) : std::nullopt;
    }
    return number_from<std::uint64_t>(text);
}

double read_rate(std::string_view text, const char* not_a_number) {
    const auto rate = number_from<double>(text);
    if (!rate) throw command_error{not_a_number};
    if (!(*rate > 0 && *rate < 1))
        throw command_error{"ERR error rate must be in the range (0.000000, 1.000000)"};
    return *rate;
}

std::uint64_t read_count(std::string_view text, std::uint64_t least, std::uint64_t most,
                         const char* not_a_number, const char* name) {
    const auto count = number_from<std::int64_t>(text);
    if (!count) throw command_error{not_a_number};
    if (*count < 0 || static_cast<std::uint64_t>(*count) < least || static_cast<std::uint64_t>(*count) > most)
        throw command_error{"ERR " + std::string(name) + " must be in the range [" + std::to_string(least) +
                            ", " + std::to_string(most) + "]"};
    return static_cast<std::uint64_t>(*count);
}

bool option_reader::take(std::string_view upper_case) {
    if (is_done() || !is_word(view_of(arguments_[next_]), upper_case)) return false;
    ++next_;
    return true;
}

std::string_view option_reader::value(const char* missing) {
    if (is_done()) throw command_error{missing};
    return view_of(arguments_[next_++]);
}

std::span<server_string* const> option_reader::rest() noexcept {
    const auto left = arguments_.subspan(next_);
    next_ = arguments_.size();
    return left;
}

void reply_double(context* ctx, double number) {
    if (server.reply_double != nullptr) {
        server.reply_double(ctx, number);
        return;
    }
    char digits[32];
    const int length = std::snprintf(digits, sizeof digits, "%.17g", number);
    reply_text(ctx, {digits, static_cast<std::size_t>(length)});
}

std::string error_text(const std::string& what, const error& why) {
    return "ERR " + what + ": " + describe(why);
}

}  // namespace membrane::redis
