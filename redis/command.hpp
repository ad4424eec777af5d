// Commands: reading the arguments, sending replies, the tables of commands, and the wrapper that turns exceptions into error
// replies.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server_api.hpp"

namespace membrane {
struct error;
}

namespace membrane::redis {

// Thrown by a command that has not replied yet; run_command replies with the message.
struct command_error {
    std::string message;
};

// ---- arguments: every number is checked for its form and its range before it is used ----

inline std::string_view view_of(const server_string* string) {
    std::size_t length = 0;
    const char* const bytes = server.string_bytes(string, &length);
    return {bytes, length};
}

// One call of a command.
struct command_call {
    context* ctx;
    std::span<server_string* const> arguments;  // the command's name is argument 0

    server_string* key() const { return arguments[1]; }
    std::string_view argument(std::size_t i) const { return view_of(arguments[i]); }
    std::span<server_string* const> arguments_from(std::size_t i) const { return arguments.subspan(i); }
};

// The whole text as a number; empty if it is not a number or out of range of the type.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
    Number number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return number;
}

// Ignores the case of `text`.
bool is_word(std::string_view text, std::string_view upper_case);
// 1000, 64kb, 128mb, 2gb; units are powers of 1024.
std::optional<std::uint64_t> byte_count_from(std::string_view text);

// A rate above 0 and below 1. `not_a_number` is the error reply for a text that is not a number.
double read_rate(std::string_view text, const char* not_a_number);
// The error reply for a number out of range has the `name` of the argument and the range.
std::uint64_t read_count(std::string_view text, std::uint64_t least, std::uint64_t most,
                         const char* not_a_number, const char* name);

// Reads the optional arguments, which follow those with fixed positions.
class option_reader {
public:
    explicit option_reader(std::span<server_string* const> arguments) : arguments_(arguments) {}

    bool is_done() const noexcept { return next_ == arguments_.size(); }
    // Consumes the next argument if it is this word.
    bool take(std::string_view upper_case);
    // Consumes the value of an option; `missing` is the error reply if there is none.
    std::string_view value(const char* missing);
    std::span<server_string* const> rest() noexcept;

private:
    std::span<server_string* const> arguments_;
    std::size_t next_ = 0;
};

// ---- replies: booleans, maps and doubles of RESP3 where the server has functions for them ----

inline bool has_resp3(context* ctx) { return (server.context_flags(ctx) & has_resp3_flag) != 0; }

inline void reply_ok(context* ctx) { server.reply_simple(ctx, "OK"); }
inline void reply_error(context* ctx, const std::string& message) {
    server.reply_error(ctx, message.c_str());
}

// The protocol has signed integers: larger numbers are sent as the largest of them.
inline void reply_number(context* ctx, std::uint64_t number) {
    server.reply_integer(ctx, number > INT64_MAX ? INT64_MAX : static_cast<long long>(number));
}
inline void reply_bool(context* ctx, bool yes) {
    if (server.reply_bool != nullptr) server.reply_bool(ctx, yes ? 1 : 0);
    else server.reply_integer(ctx, yes ? 1 : 0);
}
inline void reply_text(context* ctx, std::string_view text) {
    server.reply_bytes(ctx, text.data(), text.size());
}
void reply_double(context* ctx, double number);

inline void reply_map(context* ctx, long pairs) {
    if (server.reply_map != nullptr) server.reply_map(ctx, pairs);
    else server.reply_array(ctx, 2 * pairs);
}
inline void reply_pair(context* ctx, std::string_view name, std::uint64_t number) {
    reply_text(ctx, name);
    reply_number(ctx, number);
}
inline void reply_pair(context* ctx, std::string_view name, std::string_view text) {
    reply_text(ctx, name);
    reply_text(ctx, text);
}
inline void reply_pair(context* ctx, std::string_view name, double number) {
    reply_text(ctx, name);
    reply_double(ctx, number);
}

// "ERR <what failed>: <why>", on one line.
std::string error_text(const std::string& what, const error& why);

// ---- tables of commands ----

// The server also calls a command to learn the positions of its keys, but only if the flags have getkeys-api.
using command_body = void (*)(const command_call&);

// What a command does with its keys, which decides about the permissions that users need (%R~, %W~, %RW~). The key is argument 1; of
// the last two it is the target, and the sources are read.
enum class key_use : std::uint8_t {
    none,
    reads,
    creates,
    adds,
    changes,
    erases,
    merges_rest,
    merges_counted
};

struct command_row {
    const char* name;  // without prefix, in lower case
    command_function run;
    int arity;  // counts the name; -n: at least n
    const char* flags;
    key_use keys;
    // The arguments behind the name, as COMMAND DOCS has them: `name` a text, `name:int`, `name:double`, `name...` several, [optional],
    // TOKEN in capitals, alone or before its value, (a block of several)...
    const char* syntax;
    const char* summary;
    const char* complexity;
};

// Flags of commands. The server refuses a deny-oom command when maxmemory is reached; `fast` is for constant or logarithmic
// time.
inline constexpr char fast_read[] = "readonly fast";
inline constexpr char slow_read[] = "readonly";
inline constexpr char fast_write[] = "write deny-oom fast";
inline constexpr char slow_write[] = "write deny-oom";
inline constexpr char fast_erase[] = "write fast";

// No exception may reach the server, which is written in C.
template <command_body Body, int Arity>
int run_command(context* ctx, server_string** arguments, int count) noexcept {
    if (Arity >= 0 ? count != Arity : count < -Arity) return server.wrong_arity(ctx);
    try {
        Body({ctx, {arguments, static_cast<std::size_t>(count)}});
    } catch (const command_error& problem) {
        server.reply_error(ctx, problem.message.c_str());
    } catch (const std::bad_alloc&) {
        server.reply_error(ctx, "ERR Insufficient memory for this command; nothing was changed");
    } catch (...) {
        server.reply_error(ctx, "ERR unexpected failure inside membrane");
    }
    return ok;
}

template <command_body Body, int Arity>
constexpr command_row row(const char* name, const char* flags, key_use keys, const char* syntax,
                          const char* summary, const char* complexity) {
    return {name, &run_command<Body, Arity>, Arity, flags, keys, syntax, summary, complexity};
}

// Registers a command under `name` with its documentation, key positions and permissions. False if the name is taken.
bool create_command(context* ctx, const command_row& command, const std::string& name,
                    const char* acl_category);

// One table for each command family.
namespace bf {
std::span<const command_row> commands();
}
namespace cf {
std::span<const command_row> commands();
}
namespace cms {
std::span<const command_row> commands();
}
namespace topk {
std::span<const command_row> commands();
}
namespace own {
std::span<const command_row> commands();
}

}  // namespace membrane::redis
