#include "data_type.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "keys.hpp"
#include "settings.hpp"
#include "sketch_key.hpp"

namespace membrane::redis {

namespace {

constexpr char type_name[] = "mbrfilter";  // nine letters
constexpr int saved_version = 1;
enum : std::uint64_t { saved_chain = 0, saved_partial = 1 };

const char* characters(const std::byte* bytes) { return reinterpret_cast<const char*>(bytes); }

void save(save_stream* io, byte_span bytes) { server.save_bytes(io, characters(bytes.data()), bytes.size()); }

// A string of the save file, freed at the end of its scope.
class loaded_bytes {
public:
    explicit loaded_bytes(save_stream* io) : data_(server.load_bytes(io, &size_)) {}
    ~loaded_bytes() {
        if (data_ != nullptr) server.free(data_);
    }
    loaded_bytes(const loaded_bytes&) = delete;
    loaded_bytes& operator=(const loaded_bytes&) = delete;

    bool is_there() const noexcept { return data_ != nullptr; }
    byte_span bytes() const noexcept { return std::as_bytes(std::span(data_, size_)); }

private:
    std::size_t size_ = 0;
    char* data_;
};

error stream_error() { return make_error(errc::truncated, "saved value"); }

result<stored_value> load_chain(save_stream* io, std::uint64_t max_bytes) {
    const loaded_bytes header_bytes(io);
    if (!header_bytes.is_there()) return stream_error();
    const auto header = open_chain_header(header_bytes.bytes());
    if (!header) return header.error();
    chain_assembly assembly(*header, max_bytes);
    for (std::uint32_t i = 0; i < header->links; ++i) {
        const loaded_bytes file(io);
        if (!file.is_there()) return stream_error();
        if (auto added = assembly.add_link(file.bytes()); !added) return added.error();
    }
    auto chain = assembly.finish();
    if (!chain) return chain.error();
    return stored_value(std::move(*chain));
}

result<stored_value> load_partial(save_stream* io, std::uint64_t max_bytes) {
    const std::uint64_t form = server.load_number(io);
    const loaded_bytes received(io);
    if (!received.is_there() || server.has_io_error(io) != 0) return stream_error();
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

void* rdb_load(save_stream* io, int version) {
    try {
        const std::uint64_t limit = byte_limit(server.context_of(io));
        auto loaded = load_value(io, version, limit);
        if (!loaded) {
            server.log_io_error(io, "warning", "membrane: %s", describe(loaded.error()).c_str());
            return nullptr;
        }
        if (limit == no_byte_limit) note_sketch_key(*loaded);
        return new_value(std::move(*loaded));
    } catch (...) {
        return nullptr;
    }
}

// Saving runs in a child of the server or for DUMP; where there is no memory for a copy of one link, the server's own code
// ends the process too.
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

// One command for each chunk; `iterator` is what LOADCHUNK wants with it (transfer.hpp).
void emit_chunk(save_stream* io, const char* command, text* key, std::uint64_t iterator, byte_span chunk) {
    server.emit_aof(io, command, "slb", key, static_cast<long long>(iterator), characters(chunk.data()),
                    chunk.size());
}

void aof_rewrite(save_stream* io, text* key, void* value) noexcept {
    const auto& stored = *static_cast<const stored_value*>(value);
    const auto* const partial = std::get_if<partial_load>(&stored);
    const bool is_file = partial != nullptr && partial->form() == load_form::file;
    const std::string command = own_name(is_file ? "LOAD" : "LOADCHUNK");
    const std::uint64_t total =
        partial != nullptr ? partial->bytes().size() : image_bytes(std::get<filter_chain>(stored));
    for (std::uint64_t at = 0; at < total;) {
        std::vector<std::byte> made;
        byte_span chunk;
        if (partial != nullptr) {
            chunk = partial->bytes().subspan(static_cast<std::size_t>(at));
            chunk = chunk.first(std::min<std::size_t>(chunk.size(), chunk_bytes));
        } else {
            made = image_part(std::get<filter_chain>(stored), at, chunk_bytes);
            chunk = made;
        }
        at += chunk.size();
        emit_chunk(io, command.c_str(), key, at + 1, chunk);
    }
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

void* copy(text*, text*, const void* value) {
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

// Above 64 the server frees in the background; giving back a large block takes as long as its pages are many.
std::size_t free_effort(text*, const void* value) {
    const auto& stored = *static_cast<const stored_value*>(value);
    return static_cast<std::size_t>(block_count(stored) + memory_bytes(stored) / (64 << 10));
}

// Debian's server is built without what defragmentation needs and never calls this. Large blocks are whole pages, which the
// allocator does not move either; whether the small ones lie badly is told by the block that holds the value.
int defrag(defrag_context* ctx, text*, void** value) {
    if (server.defrag_alloc == nullptr) return 0;
    void* const moved = server.defrag_alloc(ctx, *value);
    if (moved == nullptr) return 0;
    *value = moved;
    if (auto* const chain = std::get_if<filter_chain>(static_cast<stored_value*>(moved)))
        chain->renew_small_blocks();
    return 0;
}

}  // namespace

stored_value* new_value(stored_value value) {
    void* const place = server.alloc(sizeof(stored_value));
    return ::new (place) stored_value(std::move(value));
}

void free_value(void* value) noexcept {
    static_cast<stored_value*>(value)->~stored_value();
    server.free(value);
}

bool create_filter_type(context* ctx) {
    type_methods methods;
    methods.rdb_load = rdb_load;
    methods.rdb_save = rdb_save;
    methods.aof_rewrite = aof_rewrite;
    methods.mem_usage = mem_usage;
    methods.digest = digest;
    methods.free = free_value;
    methods.free_effort = free_effort;
    // Nothing else knows of a value, so that leaving the key space needs no word.
    methods.unlink = [](text*, const void*) {};
    methods.copy = copy;
    methods.defrag = defrag;
    filter_type = server.create_data_type(ctx, type_name, saved_version, &methods);
    return filter_type != nullptr;
}

}  // namespace membrane::redis
