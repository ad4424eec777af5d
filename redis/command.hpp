// A command: its row in the table of its family, and the border that no exception passes.
#pragma once

#include <exception>
#include <new>
#include <span>
#include <string_view>

#include "arguments.hpp"
#include "reply.hpp"

namespace membrane::redis {

struct request {
    context* ctx;
    std::span<text* const> words;  // the command's name first

    text* key() const { return words[1]; }
    std::string_view word(std::size_t i) const { return view_of(words[i]); }
    std::span<text* const> from(std::size_t i) const { return words.subspan(i); }
};

// A request asks for the positions of its keys only if the command is flagged so.
using command_body = void (*)(const request&);

struct command_row {
    const char* name;  // without prefix
    command_function run;
    int arity;  // with the name; negative: at least so many
    const char* flags;
    int first_key, last_key, key_step;
    const char* summary;
    const char* complexity;
};

inline constexpr char reads[] = "readonly fast";
inline constexpr char reads_much[] = "readonly";
inline constexpr char writes[] = "write deny-oom fast";
inline constexpr char writes_much[] = "write deny-oom";
inline constexpr char removes[] = "write fast";

template <command_body Body, int Arity>
int run(context* ctx, text** words, int count) noexcept {
    if (Arity >= 0 ? count != Arity : count < -Arity) return server.wrong_arity(ctx);
    try {
        Body({ctx, {words, static_cast<std::size_t>(count)}});
    } catch (const command_error& problem) {
        server.reply_error(ctx, problem.message.c_str());
    } catch (const std::bad_alloc&) {
        server.reply_error(ctx, "ERR Insufficient memory for this command; nothing was changed");
    } catch (...) {
        server.reply_error(ctx, "ERR unexpected failure inside membrane");
    }
    return ok;
}

// A row for a command whose only key is its first argument.
template <command_body Body, int Arity>
constexpr command_row row(const char* name, const char* flags, const char* summary, const char* complexity) {
    return {name, &run<Body, Arity>, Arity, flags, 1, 1, 1, summary, complexity};
}

struct command_family {
    std::span<const command_row> rows;
    const char* acl_category;  // of servers that let modules have their own
    bool is_own;               // always behind the prefix
};

std::span<const command_family> all_families();

}  // namespace membrane::redis
