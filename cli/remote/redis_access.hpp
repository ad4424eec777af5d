// Where a Redis server is and how to get in.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tls.hpp"

namespace membrane::cli {

struct redis_address {
    std::string host;
    std::string port;

    friend auto operator<=>(const redis_address&, const redis_address&) = default;
    std::string text() const;
};
// "host:port", "[::1]:port", or a host alone; nothing if the port is no port.
std::optional<redis_address> parse_redis_address(std::string_view text);

struct redis_server {
    redis_address address;
    bool has_tls = false;
    std::string user;  // empty: the server's default user
    std::uint64_t database = 0;
};
// An address, or redis://[USER@]HOST[:PORT][/DATABASE], with TLS rediss://. A URL with a password is nothing too.
std::optional<redis_server> parse_redis_server(std::string_view text);
// Whether the text is a URL with a password.
bool has_password(std::string_view url);

struct redis_access {
    redis_server server;
    std::optional<std::string> password;
    tls_files tls;
    // For connecting, for sending what was collected, and for each whole reply.
    std::chrono::milliseconds patience{15'000};
};

}  // namespace membrane::cli
