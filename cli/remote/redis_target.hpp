// The options for a server with the membrane module: --redis, who one is there, TLS, and the prefix of the module's commands.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/input/command_line.hpp"
#include "redis_access.hpp"

namespace membrane::cli {

struct redis_target {
    std::optional<redis_server> server;
    std::string prefix = "MBR.";
    std::string password_file;
    bool asks_password = false;
    tls_files tls;
    double seconds = 15;
};

tool_option add_redis(const tool_command& command, redis_target& target);

// Reads the password, from the terminal if that was asked for.
redis_access access_to(const redis_target& target);

}  // namespace membrane::cli
