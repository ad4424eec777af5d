// --redis and --prefix: a server with the membrane module, and the prefix of the module's commands.
#pragma once

#include <string>

#include "cli/input/command_line.hpp"

namespace membrane::cli {

struct redis_target {
    std::string address;
    std::string prefix = "MBR.";
};

inline tool_option add_redis(const tool_command& command, redis_target& target) {
    command.text("--prefix", target.prefix, "PREFIX", "Prefix of the module's commands (default MBR.)");
    return command.text("--redis", target.address, "HOST:PORT",
                        "A server with the membrane module, or any node of a cluster of them");
}

}  // namespace membrane::cli
