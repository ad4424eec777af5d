// Replies in both protocols: where RESP3 has booleans, maps and doubles and the server can send them, they are sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <membrane/base/error.hpp>

#include "abi.hpp"

namespace membrane::redis {

inline void reply_ok(context* ctx) { server.reply_simple(ctx, "OK"); }
inline void reply_error(context* ctx, const std::string& message) {
    server.reply_error(ctx, message.c_str());
}

// Numbers above what the protocol has are shown as its largest.
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
void reply_real(context* ctx, double number);

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
    reply_real(ctx, number);
}

// "ERR <what failed>: <why>", on one line.
std::string failure_text(const std::string& what, const error& why);

}  // namespace membrane::redis
