// The server's data type `mbrfilter`: the values, how they are saved and copied, and access to the keys that hold them.
#pragma once

#include <cstdint>
#include <variant>

#include "filter_stack.hpp"
#include "partial_load.hpp"
#include "server_api.hpp"
#include "topk_sketch.hpp"

namespace membrane::redis {

bool create_filter_type(context* ctx);

using stored_value = std::variant<filter_stack, partial_load, topk_sketch>;

// Size of the chunks in AOF commands and in replies of SCANDUMP and DUMP.
inline constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20;

// The max-bytes setting, or no_byte_limit for commands from the primary or from a saved file: those were checked when they were
// first run, by a server that may have had a larger limit.
std::uint64_t byte_limit(context* ctx);

// A key of the server, open until the end of the scope. Errors are thrown as command_error.
class opened_key {
public:
    // Error WRONGTYPE if the key has a value of another data type.
    opened_key(context* ctx, server_string* name, int mode);
    ~opened_key();
    opened_key(const opened_key&) = delete;
    opened_key& operator=(const opened_key&) = delete;

    stored_value* value() const noexcept { return value_; }
    bool is_empty() const noexcept { return value_ == nullptr; }
    // Null if the key does not exist. Error if the value is partially loaded, or has another role.
    filter_stack* stack() const;
    filter_stack* stack(stack_role role) const;
    // Error `missing` if the key does not exist.
    filter_stack& existing(const char* missing = "ERR not found") const;
    filter_stack& existing(stack_role role, const char* missing = "ERR not found") const;

    // The value of TOPK.*; error `missing` if the key does not exist.
    topk_sketch& topk(const char* missing) const;
    topk_sketch* topk_if_it_is() const noexcept {
        return value_ == nullptr ? nullptr : std::get_if<topk_sketch>(value_);
    }

    stored_value& put(stored_value value);

private:
    key_handle* handle_;
    stored_value* value_ = nullptr;
};

}  // namespace membrane::redis
