// Keys of the server as chains: opening, checking the type, putting a value in.
#pragma once

#include <cstdint>

#include "command.hpp"
#include "stored_value.hpp"

namespace membrane::redis {

inline data_type* filter_type = nullptr;

// The border of `max-bytes` for this command: what a primary or a saved file says was allowed already.
std::uint64_t byte_limit(context* ctx);

class opened_key {
public:
    // Ends the command with WRONGTYPE if the key holds something else.
    opened_key(context* ctx, text* name, int mode);
    ~opened_key();
    opened_key(const opened_key&) = delete;
    opened_key& operator=(const opened_key&) = delete;

    stored_value* value() const noexcept { return value_; }
    bool is_empty() const noexcept { return value_ == nullptr; }
    // Null if there is no such key. Ends the command if it answers to another family, or is only half loaded.
    filter_chain* chain() const;
    filter_chain* chain(chain_role role) const;
    filter_chain& existing(chain_role role, const char* missing = "ERR not found") const;

    stored_value& put(stored_value value);

private:
    key_handle* handle_;
    stored_value* value_ = nullptr;
};

inline constexpr int both_modes = read_mode | write_mode;

}  // namespace membrane::redis
