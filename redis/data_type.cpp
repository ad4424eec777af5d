#include "data_type.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "settings.hpp"

namespace membrane::redis {

namespace {

data_type* filter_type = nullptr;

constexpr char type_name[] = "mbrfilter";  // the server requires nine characters
constexpr int saved_version = 1;
enum : std::uint64_t { saved_chain = 0, saved_partial = 1 };

const char* characters(const std::byte* bytes) { return reinterpret_cast<const char*>(bytes); }

void save(save_stream* io, byte_span bytes) { server.save_bytes(io, characters(bytes.data()), bytes.size()); }

// A string from the saved file, freed at the end of the scope.
class loaded_bytes {
public:
    explicit loaded_bytes(save_stream* io) : data_(server.load_bytes(io, &size_)) {}
    ~loaded_bytes() {
        if (data_ != nullptr) server.free(data_);
    }
    loaded_bytes(const loaded_bytes&) = delete;
    loaded_bytes& operator=(const loaded_bytes&) = delete;

    bool is_loaded() const noexcept { return data_ != nullptr; }
    byte_span bytes() const noexcept { return std::as_bytes(std::span(data_, size_)); }

private:
    std::size_t size_ = 0;
    char* data_;
};

error stream_error() { return make_error(errc::truncated, "saved value"); }

result<stored_value> load_chain(save_stream* io, std::uint64_t max_bytes) {
    const loaded_bytes header_bytes(io);
    if (!header_bytes.is_loaded()) return stream_error();
    const auto header = open_chain_header(header_bytes.bytes());
    if (!header) return header.error();
    chain_builder builder(*header, max_bytes);
    for (std::uint32_t i = 0; i < header->links; ++i) {
        const loaded_bytes file(io);
        if (!file.is_loaded()) return stream_error();
        if (auto added = builder.add_link(file.bytes()); !added) return added.error();
    }
    auto chain = builder.finish();
    if (!chain) return chain.error();
    return stored_value(std::move(*chain));
}

result<stored_value> load_partial(save_stream* io, std::uint64_t max_bytes) {
    const std::uint64_t form = server.load_number(io);
    const loaded_bytes received(io);
    if (!received.is_loaded() || server.has_io_error(io) != 0) return stream_error();
    if (form > static_cast<std::uint64_t>(load_form::file))
        return make_error(errc::bad_field, "form").with_found(form);
    partial_load partial(static_cast<load_form>(form));
    if (auto taken = partial.append(received.bytes(), max_bytes); !taken) return taken.error();
    if (partial.is_complete()) return make_error(errc::bad_field, "half-loaded value is complete");
    return stored_value(std::move(partial));
}

result<stored_value> load_value(save_stream* io, int version, std::uint64_t max_bytes) {
    if (version < 1 || version > saved_version)
        return make_error(errc::unknown_version, "saved value")
            .with_found(static_cast<std::uint64_t>(version))
            .with_range(1, saved_version);
    const std::uint64_t saved_as = server.load_number(io);
    if (server.has_io_error(io) != 0) return stream_error();
    if (saved_as == saved_chain) return load_chain(io, max_bytes);
    if (saved_as == saved_partial) return load_partial(io, max_bytes);
    return make_error(errc::bad_field, "saved value").with_found(saved_as);
}

stored_value* new_value(stored_value value) {
    void* const place = server.alloc(sizeof(stored_value));
    return ::new (place) stored_value(std::move(value));
}

void free_value(void* value) noexcept {
    static_cast<stored_value*>(value)->~stored_value();
    server.free(value);
}

void* rdb_load(save_stream* io, int version) {
    try {
        const std::uint64_t limit = byte_limit(server.context_of(io));
        auto loaded = load_value(io, version, limit);
        if (!loaded) {
            server.log_io_error(io, "warning", "membrane: %s", describe(loaded.error()).c_str());
            return nullptr;
        }
        const auto* const chain = std::get_if<filter_chain>(&*loaded);
        if (chain != nullptr && limit == no_byte_limit) remember_sketch_key(*chain);
        return new_value(std::move(*loaded));
    } catch (...) {
        return nullptr;
    }
}

// Runs in a child process of the server or for DUMP. noexcept: if memory for a copy of one link is missing, the process ends,
// as it does when an allocation of the server itself fails.
void rdb_save(save_stream* io, void* value) noexcept {
    const auto& stored = *static_cast<const stored_value*>(value);
    if (const auto* const partial = std::get_if<partial_load>(&stored)) {
        server.save_number(io, saved_partial);
        server.save_number(io, static_cast<std::uint64_t>(partial->form()));
        save(io, partial->bytes());
        return;
    }
    const auto& chain = std::get<filter_chain>(stored);
    server.save_number(io, saved_chain);
    save(io, encode_chain_header(chain));
    for (const chain_link& link : chain.links()) save(io, link_file(link.filter));
}

// `iterator` is the argument that LOADCHUNK expects with the chunk (shared_commands.hpp).
void emit_chunk(save_stream* io, const char* command, server_string* key, std::uint64_t iterator,
                byte_span chunk) {
    server.emit_aof(io, command, "slb", key, static_cast<long long>(iterator), characters(chunk.data()),
                    chunk.size());
}

void aof_rewrite(save_stream* io, server_string* key, void* value) noexcept {
    const auto& stored = *static_cast<const stored_value*>(value);
    const auto* const partial = std::get_if<partial_load>(&stored);
    const bool is_file = partial != nullptr && partial->form() == load_form::file;
    const std::string command = own_name(is_file ? "LOAD" : "LOADCHUNK");
    const std::uint64_t total =
        partial != nullptr ? partial->bytes().size() : image_bytes(std::get<filter_chain>(stored));
    for (std::uint64_t offset = 0; offset < total;) {
        std::vector<std::byte> encoded;
        byte_span chunk;
        if (partial != nullptr) {
            chunk = partial->bytes().subspan(static_cast<std::size_t>(offset));
            chunk = chunk.first(std::min<std::size_t>(chunk.size(), chunk_bytes));
        } else {
            encoded = image_chunk(std::get<filter_chain>(stored), offset, chunk_bytes);
            chunk = encoded;
        }
        offset += chunk.size();
        emit_chunk(io, command.c_str(), key, offset + 1, chunk);
    }
}

std::uint64_t memory_bytes(const stored_value& value) {
    if (const auto* const chain = std::get_if<filter_chain>(&value))
        return sizeof value - sizeof *chain + chain->memory_bytes();
    return sizeof value + std::get<partial_load>(value).memory_bytes();
}

std::size_t mem_usage(const void* value) {
    return static_cast<std::size_t>(memory_bytes(*static_cast<const stored_value*>(value)));
}

void digest(digest_sum* sum, void* value) noexcept {
    const auto add = [&](byte_span bytes) {
        server.digest_bytes(sum, characters(bytes.data()), bytes.size());
    };
    const auto& stored = *static_cast<const stored_value*>(value);
    if (const auto* const partial = std::get_if<partial_load>(&stored)) {
        add(partial->bytes());
    } else {
        const auto& chain = std::get<filter_chain>(stored);
        add(encode_chain_header(chain));
        for (const chain_link& link : chain.links()) add(link_file(link.filter));
    }
    server.digest_end(sum);
}

void* copy(server_string*, server_string*, const void* value) {
    try {
        const auto& stored = *static_cast<const stored_value*>(value);
        if (const auto* const partial = std::get_if<partial_load>(&stored)) {
            auto copied = partial_load::copy_of(*partial);
            return copied ? new_value(std::move(*copied)) : nullptr;
        }
        auto copied = filter_chain::copy_of(std::get<filter_chain>(stored));
        return copied ? new_value(std::move(*copied)) : nullptr;
    } catch (...) {
        return nullptr;
    }
}

// The server frees values with an effort above 64 in the background. The time to free a large block grows with its pages.
std::size_t free_effort(server_string*, const void* value) {
    const auto& stored = *static_cast<const stored_value*>(value);
    const auto* const chain = std::get_if<filter_chain>(&stored);
    const std::uint64_t blocks = chain == nullptr ? 1 : chain->links().size();
    return static_cast<std::size_t>(blocks + memory_bytes(stored) / (64 << 10));
}

// Debian's server is built without defragmentation and never calls this function. Only small blocks are moved: large ones are
// whole pages, which the allocator does not move. If the server moves the block of the value, the small blocks of the chain are
// taken to be fragmented too.
int defrag(defrag_context* ctx, server_string*, void** value) {
    if (server.defrag_alloc == nullptr) return 0;
    void* const moved = server.defrag_alloc(ctx, *value);
    if (moved == nullptr) return 0;
    *value = moved;
    if (auto* const chain = std::get_if<filter_chain>(static_cast<stored_value*>(moved)))
        chain->reallocate_small_blocks();
    return 0;
}

constexpr char wrong_type[] = "WRONGTYPE Operation against a key holding the wrong kind of value";

}  // namespace

bool create_filter_type(context* ctx) {
    type_methods methods;
    methods.rdb_load = rdb_load;
    methods.rdb_save = rdb_save;
    methods.aof_rewrite = aof_rewrite;
    methods.mem_usage = mem_usage;
    methods.digest = digest;
    methods.free = free_value;
    methods.free_effort = free_effort;
    // No other data refers to a value, so that there is nothing to do.
    methods.unlink = [](server_string*, const void*) {};
    methods.copy = copy;
    methods.defrag = defrag;
    filter_type = server.create_data_type(ctx, type_name, saved_version, &methods);
    return filter_type != nullptr;
}

std::uint64_t byte_limit(context* ctx) {
    const bool was_checked = (server.context_flags(ctx) & (is_replicated_flag | is_loading_flag)) != 0;
    return was_checked ? no_byte_limit : settings.max_bytes;
}

opened_key::opened_key(context* ctx, server_string* name, int mode)
    : handle_(server.open_key(ctx, name, mode)) {
    if (handle_ == nullptr || server.key_type(handle_) == empty_key_type) return;
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

filter_chain& opened_key::existing(const char* missing) const {
    filter_chain* const found = chain();
    if (found == nullptr) throw command_error{missing};
    return *found;
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
