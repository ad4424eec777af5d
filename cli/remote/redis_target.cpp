#include "redis_target.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "cli/print/numbers.hpp"
#include "password.hpp"

namespace membrane::cli {

namespace {

constexpr char password_variable[] = "REDISCLI_AUTH";

std::optional<std::string> password_for(const redis_target& target) {
    if (!target.password_file.empty()) return password_in(target.password_file);
    if (target.asks_password)
        return asked_password(fmt::format("Password for {}: ", target.server->address.text()));
    const char* const variable = std::getenv(password_variable);
    if (variable == nullptr || *variable == '\0') return std::nullopt;
    return variable;
}

}  // namespace

tool_option add_redis(const tool_command& command, redis_target& target) {
    const tool_option server = add_parsed(
        command, "--redis", target.server,
        [](std::string_view text) {
            if (has_password(text))
                refuse_option("--redis",
                              fmt::format("a password on the command line is visible to everyone on this "
                                          "machine; set {}, or give --password-file or --ask-password",
                                          password_variable));
            return parse_redis_server(text);
        },
        "HOST:PORT", "HOST:PORT, redis://[USER@]HOST[:PORT][/DATABASE], or rediss:// for TLS",
        "A server with the membrane module, or any node of a cluster of them; also as "
        "redis://USER@HOST:PORT/DB, or rediss:// for TLS");
    command.text("--prefix", target.prefix, "PREFIX", "Prefix of the module's commands (default MBR.)");
    const tool_option file = command.text(
        "--password-file", target.password_file, key_file_value,
        "The first line of this file is the password (default: the environment variable REDISCLI_AUTH)");
    command.flag("--ask-password", target.asks_password, "Ask for the password on the terminal")
        .excludes(file);
    command.text(
        "--tls-ca", target.tls.authorities, key_file_value,
        "With rediss://: the certificates, PEM, that sign the server's (default: those of the system)");
    command.text("--tls-cert", target.tls.certificate, key_file_value,
                 "The certificate to show to a server that asks for one, PEM");
    command.text("--tls-key", target.tls.key, key_file_value, "Its private key, PEM");
    command.text("--tls-name", target.tls.name, "HOST",
                 "The name in the server's certificate, if it is not the host's");
    add_parsed(command, "--timeout", target.seconds, parse_positive, "SECONDS", "seconds, above 0",
               "How long connecting, and each whole reply, may take (default 15)");
    return server;
}

redis_access access_to(const redis_target& target) {
    constexpr double most_seconds = 86'400;
    redis_access access{*target.server, password_for(target), target.tls,
                        std::chrono::milliseconds(static_cast<std::int64_t>(
                            1000 * std::min(std::max(target.seconds, 0.001), most_seconds)))};
    if (!access.server.user.empty() && !access.password)
        fail(exit_code::usage,
             fmt::format("--redis: the user '{}' needs a password; set {}, or give --password-file or "
                         "--ask-password",
                         access.server.user, password_variable));
    if (target.tls.is_given() && !access.server.has_tls)
        fail(exit_code::usage,
             "--tls-...: the connection has no TLS; write the server as rediss://HOST:PORT");
    return access;
}

}  // namespace membrane::cli
