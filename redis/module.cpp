// Where the server comes in: finds its functions, reads the settings, creates the data type and the commands.
#include <new>
#include <string>

#include <membrane/version.hpp>

#include "data_type.hpp"
#include "families.hpp"
#include "growth.hpp"
#include "settings.hpp"

namespace membrane::redis {

std::span<const command_family> all_families() {
    static const command_family families[] = {
        {bf_commands(), "bloom", false},
        {cf_commands(), "cuckoo", false},
        {cms_commands(), "cms", false},
        {own_commands(), "membrane", true},
    };
    return families;
}

namespace {

bool create(context* ctx, const command_row& command, const command_family& family) {
    const std::string name = family.is_own ? own_name(command.name) : command_name(command.name);
    if (server.create_command(ctx, name.c_str(), command.run, command.flags, command.first_key,
                              command.last_key, command.key_step) != ok) {
        server.log(ctx, "warning",
                   "membrane: the command %s exists already; load with COMPAT no or another PREFIX",
                   name.c_str());
        return false;
    }
    if (server.get_command == nullptr) return true;
    command_handle* const handle = server.get_command(ctx, name.c_str());
    if (handle == nullptr) return true;
    // Documentation and categories are a courtesy: a server that refuses them still serves the command.
    if (server.set_command_info != nullptr) {
        static constexpr info_version version;
        const command_info info{.version = &version,
                                .summary = command.summary,
                                .complexity = command.complexity,
                                .since = version_string,
                                .arity = command.arity};
        server.set_command_info(handle, &info);
    }
    if (server.set_acl_categories != nullptr) server.set_acl_categories(handle, family.acl_category);
    return true;
}

bool create_commands(context* ctx) {
    for (const command_family& family : all_families()) {
        if (server.add_acl_category != nullptr) server.add_acl_category(ctx, family.acl_category);
        for (const command_row& command : family.rows)
            if (!create(ctx, command, family)) return false;
    }
    return true;
}

int load(context* ctx, text** words, int count) {
    if (const char* const missing = load_functions(ctx)) {
        // Logging itself may be what is missing.
        if (server.log != nullptr)
            server.log(ctx, "warning", "membrane: the server has no function %s", missing);
        return failed;
    }
    if (server.is_module_name_busy("membrane") != 0) return failed;
    server.set_module_attribs(ctx, "membrane", version_major * 10000 + version_minor * 100 + version_patch,
                              interface_version);
    const std::string problem = read_settings({words, static_cast<std::size_t>(count)});
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
    plan_ahead(default_bf_options());
    plan_ahead(default_cf_options());
    return ok;
}

}  // namespace

}  // namespace membrane::redis

extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(membrane::redis::context* ctx,
                                                                         membrane::redis::text** words,
                                                                         int count) {
    try {
        return membrane::redis::load(ctx, words, count);
    } catch (...) {
        return membrane::redis::failed;
    }
}
