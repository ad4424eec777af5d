// Entry point of the module: looks up the server's functions, reads the settings, creates the data type and the commands.
#include <cstring>
#include <string>

#include <membrane/version.hpp>

#include "command.hpp"
#include "data_type.hpp"
#include "settings.hpp"

namespace membrane::redis {

namespace {

using lookup_function = int (*)(const char*, void*);

template <class Function>
bool find_function(lookup_function lookup, const char* name, Function& function) {
    void* found = nullptr;
    if (lookup((std::string("RedisModule_") + name).c_str(), &found) != ok || found == nullptr) return false;
    std::memcpy(&function, &found, sizeof found);
    return true;
}

// Fills in `server`. Returns the name of a required function that the server does not have, or null.
const char* find_server_functions(context* ctx) {
    // A context begins with the address of the function that looks up all others.
    void* first = nullptr;
    std::memcpy(&first, static_cast<const void*>(ctx), sizeof first);
    lookup_function lookup = nullptr;
    std::memcpy(&lookup, &first, sizeof first);
#define MEMBRANE_REDIS_FIND(name, server_name, returned, parameters) \
    if (!find_function(lookup, server_name, server.name)) return server_name;
    MEMBRANE_REDIS_FUNCTIONS(MEMBRANE_REDIS_FIND)
#undef MEMBRANE_REDIS_FIND
#define MEMBRANE_REDIS_FIND(name, server_name, returned, parameters) \
    find_function(lookup, server_name, server.name);
    MEMBRANE_REDIS_OPTIONAL_FUNCTIONS(MEMBRANE_REDIS_FIND)
#undef MEMBRANE_REDIS_FIND
    return nullptr;
}

struct command_family {
    std::span<const command_row> rows;
    const char* acl_category;  // for servers in which modules can add categories
    bool is_own;               // the prefix always precedes the names
};

bool create_commands(context* ctx) {
    const command_family families[] = {
        {bf::commands(), "bloom", false},    {cf::commands(), "cuckoo", false},
        {cms::commands(), "cms", false},     {topk::commands(), "topk", false},
        {own::commands(), "membrane", true},
    };
    for (const command_family& family : families) {
        if (server.add_acl_category != nullptr) server.add_acl_category(ctx, family.acl_category);
        for (const command_row& command : family.rows)
            if (!create_command(ctx, command,
                                family.is_own ? own_name(command.name) : command_name(command.name),
                                family.acl_category))
                return false;
    }
    return true;
}

int load_module(context* ctx, server_string** arguments, int count) {
    if (const char* const missing = find_server_functions(ctx)) {
        // The missing function may be the one that logs.
        if (server.log != nullptr)
            server.log(ctx, "warning", "membrane: the server has no function %s", missing);
        return failed;
    }
    if (server.is_module_name_busy("membrane") != 0) return failed;
    server.set_module_attribs(ctx, "membrane", version_major * 10000 + version_minor * 100 + version_patch,
                              interface_version);
    const std::string problem = read_settings(ctx, {arguments, static_cast<std::size_t>(count)});
    if (!problem.empty()) {
        server.log(ctx, "warning", "membrane: %s", problem.c_str());
        return failed;
    }
    server.set_module_options(ctx, handle_io_errors);
    if (!create_filter_type(ctx)) {
        server.log(ctx, "warning", "membrane: the data type could not be created");
        return failed;
    }
    if (!create_commands(ctx)) return failed;
    return ok;
}

}  // namespace

}  // namespace membrane::redis

extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(
    membrane::redis::context* ctx, membrane::redis::server_string** arguments, int count) {
    try {
        return membrane::redis::load_module(ctx, arguments, count);
    } catch (...) {
        return membrane::redis::failed;
    }
}
