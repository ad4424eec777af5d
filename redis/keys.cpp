#include "keys.hpp"

#include <new>
#include <string>
#include <utility>

#include "data_type.hpp"
#include "settings.hpp"

namespace membrane::redis {

namespace {

constexpr char wrong_type[] = "WRONGTYPE Operation against a key holding the wrong kind of value";

}  // namespace

std::uint64_t byte_limit(context* ctx) {
    const bool is_repetition = (server.context_flags(ctx) & (is_replicated_flag | is_loading_flag)) != 0;
    return is_repetition ? no_byte_limit : settings.max_bytes;
}

opened_key::opened_key(context* ctx, text* name, int mode) : handle_(server.open_key(ctx, name, mode)) {
    if (handle_ == nullptr || server.key_type(handle_) == no_key) return;
    if (server.get_type(handle_) != filter_type) {
        server.close_key(handle_);
        throw command_error{wrong_type};
    }
    value_ = static_cast<stored_value*>(server.get_value(handle_));
}

opened_key::~opened_key() {
    if (handle_ != nullptr) server.close_key(handle_);
}

filter_chain* opened_key::chain() const {
    if (value_ == nullptr) return nullptr;
    if (const auto* const partial = std::get_if<partial_load>(value_))
        throw command_error{"ERR the filter is being loaded: " + std::to_string(partial->bytes().size()) +
                            " of " + std::to_string(partial->total_bytes()) + " bytes are here"};
    return std::get_if<filter_chain>(value_);
}

filter_chain* opened_key::chain(chain_role role) const {
    filter_chain* const found = chain();
    if (found != nullptr && found->options().role != role) throw command_error{wrong_type};
    return found;
}

filter_chain& opened_key::existing(chain_role role, const char* missing) const {
    filter_chain* const found = chain(role);
    if (found == nullptr) throw command_error{missing};
    return *found;
}

stored_value& opened_key::put(stored_value value) {
    stored_value* const made = new_value(std::move(value));
    if (server.set_value(handle_, filter_type, made) != ok) {
        free_value(made);
        throw command_error{"ERR could not create filter"};
    }
    value_ = made;
    return *made;
}

}  // namespace membrane::redis
