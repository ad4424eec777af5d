// Reading what clients send. One reader for all commands: every number is checked for its form and its range before it is
// used, and a wrong one ends the command with a message.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "abi.hpp"

namespace membrane::redis {

// Thrown while a command has not replied yet; its border (command.hpp) replies with the message.
struct command_error {
    std::string message;
};

inline std::string_view view_of(const text* word) {
    std::size_t length = 0;
    const char* const bytes = server.string_bytes(word, &length);
    return {bytes, length};
}

// The whole text as a number; empty if it is none or does not fit.
template <class Number>
std::optional<Number> number_from(std::string_view word) {
    Number number{};
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc{} || end != word.data() + word.size() || word.empty()) return std::nullopt;
    return number;
}

bool is_word(std::string_view given, std::string_view upper_case);
// 1000, 64kb, 128mb, 2gb: powers of 1024 where there is a letter.
std::optional<std::uint64_t> byte_count_from(std::string_view word);

// A rate above 0 and below 1.
double read_rate(std::string_view word, const char* not_a_number);
// `not_a_number` is the reply for a text that is none; numbers out of range are answered with `name` and the range.
std::uint64_t read_count(std::string_view word, std::uint64_t least, std::uint64_t most,
                         const char* not_a_number, const char* name);

// The words of a command behind those that have fixed places.
class word_reader {
public:
    explicit word_reader(std::span<text* const> words) : words_(words) {}

    bool is_done() const noexcept { return next_ == words_.size(); }
    // Consumes the next word if it is this one.
    bool take(std::string_view upper_case);
    // The word that an option needs; `missing` is the reply if there is none.
    std::string_view value(const char* missing);
    std::span<text* const> rest() noexcept;

private:
    std::span<text* const> words_;
    std::size_t next_ = 0;
};

}  // namespace membrane::redis
