// --redis and --prefix: where a server with the membrane module is, and what its own commands begin with.
#pragma once

#include <string>

#include "options.hpp"

namespace membrane::cli {

struct redis_target {
    std::string address;
    std::string prefix = "MBR.";
};

inline CLI::Option* add_redis(CLI::App& app, redis_target& target) {
    app.add_option("--prefix", target.prefix, "What the module's own commands begin with (default MBR.)")
        ->type_name("PREFIX");
    return app
        .add_option("--redis", target.address,
                    "A server with the membrane module, or any node of a cluster of them")
        ->type_name("HOST:PORT");
}

}  // namespace membrane::cli
