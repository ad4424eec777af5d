#include "reply.hpp"

#include <cstdio>

namespace membrane::redis {

void reply_real(context* ctx, double number) {
    if (server.reply_double != nullptr) {
        server.reply_double(ctx, number);
        return;
    }
    char digits[32];
    const int length = std::snprintf(digits, sizeof digits, "%.17g", number);
    reply_text(ctx, {digits, static_cast<std::size_t>(length)});
}

std::string failure_text(const std::string& what, const error& why) {
    return "ERR " + what + ": " + describe(why);
}

}  // namespace membrane::redis
