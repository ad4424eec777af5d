#include "abi.hpp"

#include <cstring>
#include <string>

namespace membrane::redis {

namespace {

using lookup_function = int (*)(const char*, void*);

template <class Function>
bool find(lookup_function lookup, const char* name, Function& function) {
    void* found = nullptr;
    if (lookup((std::string("RedisModule_") + name).c_str(), &found) != ok || found == nullptr) return false;
    std::memcpy(&function, &found, sizeof found);
    return true;
}

}  // namespace

const char* load_functions(context* ctx) {
    // A context begins with the address of the function that finds all others.
    void* first = nullptr;
    std::memcpy(&first, static_cast<const void*>(ctx), sizeof first);
    lookup_function lookup = nullptr;
    std::memcpy(&lookup, &first, sizeof first);
#define MEMBRANE_REDIS_FIND(name, server_name, returned, parameters) \
    if (!find(lookup, server_name, server.name)) return server_name;
    MEMBRANE_REDIS_FUNCTIONS(MEMBRANE_REDIS_FIND)
#undef MEMBRANE_REDIS_FIND
#define MEMBRANE_REDIS_FIND(name, server_name, returned, parameters) find(lookup, server_name, server.name);
    MEMBRANE_REDIS_OPTIONAL_FUNCTIONS(MEMBRANE_REDIS_FIND)
#undef MEMBRANE_REDIS_FIND
    return nullptr;
}

}  // namespace membrane::redis
