// The part of the Redis module API that this module uses: opaque handles, constants, and a table of the server's functions,
// which module.cpp looks up by name when the module is loaded. The values are those of Redis 7.0 (API version 1, type methods
// version 4); newer servers and Valkey keep them. An optional function may be missing in some servers and is null then.
#pragma once

#include <cstddef>
#include <cstdint>

namespace membrane::redis {

struct context;
struct key_handle;
struct server_string;
struct data_type;
struct save_stream;
struct digest_sum;
struct command_handle;
struct defrag_context;

using command_function = int (*)(context*, server_string**, int);

inline constexpr int ok = 0;
inline constexpr int failed = 1;
inline constexpr int interface_version = 1;

inline constexpr int read_mode = 1 << 0;
inline constexpr int write_mode = 1 << 1;
inline constexpr int read_write_mode = read_mode | write_mode;
inline constexpr int empty_key_type = 0;
inline constexpr int postponed_length = -1;  // set_array_length is called after the elements

inline constexpr int is_replicated_flag = 1 << 12;
inline constexpr int is_loading_flag = 1 << 13;
inline constexpr int has_resp3_flag = 1 << 22;
inline constexpr int module_event = 1 << 13;

// Without this option, a truncated value in RESTORE terminates the server.
inline constexpr int handle_io_errors = 1 << 0;

struct type_methods {
    std::uint64_t version = 4;
    void* (*rdb_load)(save_stream*, int version) = nullptr;
    void (*rdb_save)(save_stream*, void* value) = nullptr;
    void (*aof_rewrite)(save_stream*, server_string* key, void* value) = nullptr;
    std::size_t (*mem_usage)(const void* value) = nullptr;
    void (*digest)(digest_sum*, void* value) = nullptr;
    void (*free)(void* value) = nullptr;
    int (*aux_load)(save_stream*, int version, int when) = nullptr;
    void (*aux_save)(save_stream*, int when) = nullptr;
    int aux_save_triggers = 0;
    std::size_t (*free_effort)(server_string* key, const void* value) = nullptr;
    void (*unlink)(server_string* key, const void* value) = nullptr;
    void* (*copy)(server_string* from, server_string* to, const void* value) = nullptr;
    int (*defrag)(defrag_context*, server_string* key, void** value) = nullptr;
    void* later_methods[4] = {};  // variants of the above with a context; unused here
};
static_assert(sizeof(type_methods) == 144);

// What COMMAND DOCS and COMMAND INFO show. The server copies all of it.
struct key_spec {
    const char* notes = nullptr;
    std::uint64_t flags = 0;
    int begin_search = 0;  // 0: the end of the list, 2: at position `from`
    union {
        int from;
        struct {
            const char* keyword;
            int start;
        } unused;
    } begin{};
    int find_keys = 0;  // 2: a range, 3: a number of keys
    union {
        struct {
            int last, step, limit;
        } range;
        struct {
            int number_at, first, step;
        } number;
    } find{};
};
static_assert(sizeof(key_spec) == 56);
inline constexpr int begin_at_position = 2, find_range = 2, find_number = 3;
inline constexpr std::uint64_t key_read_only = 1 << 0, key_read_write = 1 << 1, key_overwritten = 1 << 2,
                               key_accessed = 1 << 4, key_updated = 1 << 5, key_inserted = 1 << 6,
                               key_deleted = 1 << 7;

enum class argument_type : int { string, integer, real, key, pattern, unix_time, token, one_of, block };
inline constexpr int argument_is_optional = 1 << 0, argument_is_multiple = 1 << 1;

struct command_argument {
    const char* name = nullptr;  // null: the end of the list
    argument_type type{};
    int key_spec_index = -1;
    const char* token = nullptr;
    const char* summary = nullptr;
    const char* since = nullptr;
    int flags = 0;
    const char* deprecated_since = nullptr;
    command_argument* parts = nullptr;  // of a block
};
static_assert(sizeof(command_argument) == 64);

struct info_version {
    int version = 1;
    std::size_t history_bytes = 2 * sizeof(void*);
    std::size_t key_spec_bytes = sizeof(key_spec);
    std::size_t argument_bytes = sizeof(command_argument);
};
struct command_info {
    const info_version* version = nullptr;
    const char* summary = nullptr;
    const char* complexity = nullptr;
    const char* since = nullptr;
    const void* history = nullptr;
    const char* tips = nullptr;
    int arity = 0;
    const key_spec* key_specs = nullptr;
    const command_argument* arguments = nullptr;
};

// X(our name, the server's name, result, parameters)
#define MEMBRANE_REDIS_FUNCTIONS(X)                                                                \
    X(set_module_attribs, "SetModuleAttribs", void, (context*, const char*, int, int))             \
    X(is_module_name_busy, "IsModuleNameBusy", int, (const char*))                                 \
    X(set_module_options, "SetModuleOptions", void, (context*, int))                               \
    X(create_command, "CreateCommand", int,                                                        \
      (context*, const char*, command_function, const char*, int, int, int))                       \
    X(create_data_type, "CreateDataType", data_type*, (context*, const char*, int, type_methods*)) \
    X(log, "Log", void, (context*, const char*, const char*, ...))                                 \
    X(log_io_error, "LogIOError", void, (save_stream*, const char*, const char*, ...))             \
    X(alloc, "Alloc", void*, (std::size_t))                                                        \
    X(free, "Free", void, (void*))                                                                 \
    X(malloc_size, "MallocSize", std::size_t, (void*))                                             \
    X(open_key, "OpenKey", key_handle*, (context*, server_string*, int))                           \
    X(close_key, "CloseKey", void, (key_handle*))                                                  \
    X(key_type, "KeyType", int, (key_handle*))                                                     \
    X(get_type, "ModuleTypeGetType", data_type*, (key_handle*))                                    \
    X(get_value, "ModuleTypeGetValue", void*, (key_handle*))                                       \
    X(set_value, "ModuleTypeSetValue", int, (key_handle*, data_type*, void*))                      \
    X(string_bytes, "StringPtrLen", const char*, (const server_string*, std::size_t*))             \
    X(context_flags, "GetContextFlags", int, (context*))                                           \
    X(context_of, "GetContextFromIO", context*, (save_stream*))                                    \
    X(replicate, "Replicate", int, (context*, const char*, const char*, ...))                      \
    X(replicate_verbatim, "ReplicateVerbatim", int, (context*))                                    \
    X(notify, "NotifyKeyspaceEvent", int, (context*, int, const char*, server_string*))            \
    X(wrong_arity, "WrongArity", int, (context*))                                                  \
    X(is_keys_request, "IsKeysPositionRequest", int, (context*))                                   \
    X(key_at, "KeyAtPos", void, (context*, int))                                                   \
    X(reply_integer, "ReplyWithLongLong", int, (context*, long long))                              \
    X(reply_array, "ReplyWithArray", int, (context*, long))                                        \
    X(reply_error, "ReplyWithError", int, (context*, const char*))                                 \
    X(reply_simple, "ReplyWithSimpleString", int, (context*, const char*))                         \
    X(reply_bytes, "ReplyWithStringBuffer", int, (context*, const char*, std::size_t))             \
    X(reply_null, "ReplyWithNull", int, (context*))                                                \
    X(set_array_length, "ReplySetArrayLength", void, (context*, long))                             \
    X(save_number, "SaveUnsigned", void, (save_stream*, std::uint64_t))                            \
    X(load_number, "LoadUnsigned", std::uint64_t, (save_stream*))                                  \
    X(save_bytes, "SaveStringBuffer", void, (save_stream*, const char*, std::size_t))              \
    X(load_bytes, "LoadStringBuffer", char*, (save_stream*, std::size_t*))                         \
    X(has_io_error, "IsIOError", int, (save_stream*))                                              \
    X(emit_aof, "EmitAOF", void, (save_stream*, const char*, const char*, ...))                    \
    X(digest_bytes, "DigestAddStringBuffer", void, (digest_sum*, const char*, std::size_t))        \
    X(digest_end, "DigestEndSequence", void, (digest_sum*))

#define MEMBRANE_REDIS_OPTIONAL_FUNCTIONS(X)                                              \
    X(try_alloc, "TryAlloc", void*, (std::size_t))                                        \
    X(try_calloc, "TryCalloc", void*, (std::size_t, std::size_t))                         \
    X(calloc, "Calloc", void*, (std::size_t, std::size_t))                                \
    X(reply_bool, "ReplyWithBool", int, (context*, int))                                  \
    X(reply_map, "ReplyWithMap", int, (context*, long))                                   \
    X(reply_double, "ReplyWithDouble", int, (context*, double))                           \
    X(get_command, "GetCommand", command_handle*, (context*, const char*))                \
    X(set_command_info, "SetCommandInfo", int, (command_handle*, const command_info*))    \
    X(add_acl_category, "AddACLCategory", int, (context*, const char*))                   \
    X(set_acl_categories, "SetCommandACLCategories", int, (command_handle*, const char*)) \
    X(defrag_alloc, "DefragAlloc", void*, (defrag_context*, void*))

struct server_functions {
#define MEMBRANE_REDIS_MEMBER(name, server_name, returned, parameters) returned(*name) parameters = nullptr;
    MEMBRANE_REDIS_FUNCTIONS(MEMBRANE_REDIS_MEMBER)
    MEMBRANE_REDIS_OPTIONAL_FUNCTIONS(MEMBRANE_REDIS_MEMBER)
#undef MEMBRANE_REDIS_MEMBER
};
inline server_functions server;

}  // namespace membrane::redis
