#include "data_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <membrane/base/endian.hpp>
#include <membrane/hash/xxh3.hpp>

#include "command.hpp"
#include "settings.hpp"

namespace membrane::redis {

namespace {

data_type* filter_type = nullptr;

constexpr char type_name[] = "mbrfilter";  // the server requires nine characters
constexpr int saved_version = 2;           // 1: without lists of few numbers
enum : std::uint64_t { saved_stack = 0, saved_partial = 1, saved_topk = 2 };

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

result<stored_value> load_stack(save_stream* io, std::uint64_t max_bytes) {
    const loaded_bytes header_bytes(io);
    if (!header_bytes.is_loaded()) return stream_error();
    const auto header = open_stack_header(header_bytes.bytes());
    if (!header) return header.error();
    stack_builder builder(*header, max_bytes);
    for (std::uint32_t i = 0; i < header->links; ++i) {
        const loaded_bytes file(io);
        if (!file.is_loaded()) return stream_error();
        if (auto added = builder.add_link(file.bytes()); !added) return added.error();
    }
    auto stack = builder.finish();
    if (!stack) return stack.error();
    return stored_value(std::move(*stack));
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

result<stored_value> load_topk(save_stream* io, std::uint64_t max_bytes) {
    const loaded_bytes image(io);
    if (!image.is_loaded()) return stream_error();
    auto sketch = topk_sketch::open(image.bytes(), max_bytes);
    if (!sketch) return sketch.error();
    return stored_value(std::move(*sketch));
}

result<stored_value> load_value(save_stream* io, int version, std::uint64_t max_bytes) {
    if (version < 1 || version > saved_version)
        return make_error(errc::unknown_version, "saved value")
            .with_found(static_cast<std::uint64_t>(version))
            .with_range(1, saved_version);
    const std::uint64_t saved_as = server.load_number(io);
    if (server.has_io_error(io) != 0) return stream_error();
    if (saved_as == saved_stack) return load_stack(io, max_bytes);
    if (saved_as == saved_partial) return load_partial(io, max_bytes);
    if (saved_as == saved_topk) return load_topk(io, max_bytes);
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
        // Without the limit: the value was within that of the server that saved it, and takes no more memory than its bytes.
        auto loaded = load_value(io, version, no_byte_limit);
        if (!loaded) {
            server.log_io_error(io, "warning", "membrane: %s", describe(loaded.error()).c_str());
            return nullptr;
        }
        const auto* const stack = std::get_if<filter_stack>(&*loaded);
        if (stack != nullptr && byte_limit(server.context_of(io)) == no_byte_limit)
            remember_sketch_key(*stack);
        return new_value(std::move(*loaded));
    } catch (...) {
        return nullptr;
    }
}

// A growth that is under way ends; that changes no answer. Memory is needed only if what came meanwhile was more than planned for.
void settle_or_end(filter_stack& stack) noexcept {
    if (!stack.settle()) std::terminate();
}

// Runs in a child process of the server or for DUMP. noexcept: if memory for a copy of one link is missing, the process ends,
// as it does when an allocation of the server itself fails.
void rdb_save(save_stream* io, void* value) noexcept {
    auto& stored = *static_cast<stored_value*>(value);
    if (const auto* const partial = std::get_if<partial_load>(&stored)) {
        server.save_number(io, saved_partial);
        server.save_number(io, static_cast<std::uint64_t>(partial->form()));
        save(io, partial->bytes());
        return;
    }
    if (const auto* const sketch = std::get_if<topk_sketch>(&stored)) {
        server.save_number(io, saved_topk);
        save(io, sketch->image());
        return;
    }
    auto& stack = std::get<filter_stack>(stored);
    settle_or_end(stack);
    server.save_number(io, saved_stack);
    save(io, encode_stack_header(stack));
    for (std::size_t i = 0; i < stack.filters(); ++i) save(io, link_file(stack, i));
}

// `iterator` is the argument that LOADCHUNK expects with the chunk (commands/shared.hpp).
void emit_chunk(save_stream* io, const char* command, server_string* key, std::uint64_t iterator,
                byte_span chunk) {
    server.emit_aof(io, command, "slb", key, static_cast<long long>(iterator), characters(chunk.data()),
                    chunk.size());
}

void aof_rewrite(save_stream* io, server_string* key, void* value) noexcept {
    auto& stored = *static_cast<stored_value*>(value);
    if (auto* const growing = std::get_if<filter_stack>(&stored)) settle_or_end(*growing);
    const auto* const partial = std::get_if<partial_load>(&stored);
    const bool is_file = partial != nullptr && partial->form() == load_form::file;
    const std::string command = own_name(is_file ? "LOAD" : "LOADCHUNK");
    std::vector<std::byte> image;
    if (const auto* const sketch = std::get_if<topk_sketch>(&stored)) image = sketch->image();
    const byte_span whole = partial != nullptr ? partial->bytes() : byte_span(image);
    const auto* const stack = std::get_if<filter_stack>(&stored);
    const std::uint64_t total = stack != nullptr ? image_bytes(*stack) : whole.size();
    for (std::uint64_t offset = 0; offset < total;) {
        std::vector<std::byte> encoded;
        byte_span chunk;
        if (stack != nullptr) {
            encoded = image_chunk(*stack, offset, chunk_bytes);
            chunk = encoded;
        } else {
            chunk = whole.subspan(static_cast<std::size_t>(offset));
            chunk = chunk.first(std::min<std::size_t>(chunk.size(), chunk_bytes));
        }
        offset += chunk.size();
        emit_chunk(io, command.c_str(), key, offset + 1, chunk);
    }
}

// As the allocator counts it, with what the server's MEMORY USAGE leaves out: its two objects for a value, the rounding of the entry in
// its table, and a place in the table.
std::uint64_t memory_bytes(const stored_value& value) {
    constexpr std::uint64_t server_objects = 16 + 16 + 8 + 10;
    const std::uint64_t own = server.malloc_size(const_cast<stored_value*>(&value));
    if (const auto* const stack = std::get_if<filter_stack>(&value))
        return server_objects + own + stack->memory_bytes();
    if (const auto* const sketch = std::get_if<topk_sketch>(&value))
        return server_objects + own + sketch->memory_bytes();
    return server_objects + own + std::get<partial_load>(value).memory_bytes();
}

std::size_t mem_usage(const void* value) {
    return static_cast<std::size_t>(memory_bytes(*static_cast<const stored_value*>(value)));
}

// Sums what a value says, not how it is stored: a primary and its replicas may be at different steps of a growth.
class value_digest {
public:
    void add(byte_span bytes) {
        for (; !bytes.empty();) {
            const std::size_t count = std::min(bytes.size(), buffer_.size() - used_);
            std::memcpy(buffer_.data() + used_, bytes.data(), count);
            used_ += count;
            bytes = bytes.subspan(count);
            if (used_ == buffer_.size()) flush();
        }
    }
    void add(std::uint64_t number) {
        std::array<std::byte, 8> bytes;
        store_le(bytes.data(), number);
        add(bytes);
    }
    std::uint64_t sum() {
        flush();
        return sum_;
    }

private:
    void flush() {
        std::array<std::byte, 8> before;
        store_le(before.data(), sum_);
        sum_ = checksum64(std::span(buffer_).first(used_)) ^ checksum64(before);
        used_ = 0;
    }
    std::array<std::byte, 16384> buffer_;
    std::size_t used_ = 0;
    std::uint64_t sum_ = 0;
};

void add_identity(value_digest& sum, std::uint64_t universe, double fpr, const hasher& hash) {
    for (const std::uint64_t number :
         {universe, std::bit_cast<std::uint64_t>(fpr), std::uint64_t{static_cast<std::uint32_t>(hash.id)},
          hash.key.low, hash.key.high})
        sum.add(number);
}

void add_number(value_digest& sum, std::uint64_t number, std::uint64_t times) {
    sum.add(number);
    sum.add(times);
}

std::uint64_t digest_of(const filter_stack& stack) {
    value_digest sum;
    const stack_options& options = stack.options();
    for (const std::uint64_t number :
         {std::uint64_t{static_cast<std::uint8_t>(options.role)}, std::uint64_t{options.has_given_kind},
          std::bit_cast<std::uint64_t>(options.error_rate), options.expansion, options.first_keys,
          std::uint64_t{options.bucket_size}, std::uint64_t{options.max_iterations}, stack.erased(),
          stack.keys(), std::uint64_t{stack.filters()}})
        sum.add(number);
    if (const few_numbers* const few = stack.few()) {
        add_identity(sum, few->universe(), few->planned_fpr(), few->hash());
        for (std::uint64_t i = 0, times = 0; i < few->keys(); i += times) {
            const std::uint64_t number = few->number_at(i);
            times = few->times_of(number);
            add_number(sum, number, times);
        }
        return sum.sum();
    }
    for (std::size_t i = 0; i < stack.links().size(); ++i) {
        const any_filter& filter = stack.links()[i].filter;
        if (!stack.links()[i].grows) {
            sum.add(link_file(stack, i));
            continue;
        }
        add_identity(sum, filter.universe(), filter.spec().planned_fpr, filter.hash());
        const auto numbers = filter.numbers();
        if (!numbers) continue;
        while (const auto number = (*numbers)->next()) add_number(sum, number->number, number->times);
    }
    return sum.sum();
}

void digest(digest_sum* sum, void* value) noexcept {
    const auto add = [&](byte_span bytes) {
        server.digest_bytes(sum, characters(bytes.data()), bytes.size());
    };
    const auto& stored = *static_cast<const stored_value*>(value);
    if (const auto* const partial = std::get_if<partial_load>(&stored)) {
        add(partial->bytes());
    } else if (const auto* const sketch = std::get_if<topk_sketch>(&stored)) {
        add(sketch->image());
    } else {
        std::array<std::byte, 8> bytes;
        store_le(bytes.data(), digest_of(std::get<filter_stack>(stored)));
        add(bytes);
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
        if (const auto* const sketch = std::get_if<topk_sketch>(&stored)) {
            auto copied = topk_sketch::copy_of(*sketch);
            return copied ? new_value(std::move(*copied)) : nullptr;
        }
        auto copied = filter_stack::copy_of(std::get<filter_stack>(stored));
        return copied ? new_value(std::move(*copied)) : nullptr;
    } catch (...) {
        return nullptr;
    }
}

// The server frees values with an effort above 64 in the background. The time to free a large block grows with its pages.
std::size_t free_effort(server_string*, const void* value) {
    const auto& stored = *static_cast<const stored_value*>(value);
    const auto* const stack = std::get_if<filter_stack>(&stored);
    const auto* const sketch = std::get_if<topk_sketch>(&stored);
    const std::uint64_t blocks = sketch != nullptr  ? sketch->options().k
                                 : stack == nullptr ? 1
                                                    : stack->filters();
    return static_cast<std::size_t>(blocks + memory_bytes(stored) / (64 << 10));
}

// Debian's server is built without defragmentation and never calls this function. Only small blocks are moved: large ones are
// whole pages, which the allocator does not move. If the server moves the block of the value, the small blocks of the stack are
// taken to be fragmented too.
int defrag(defrag_context* ctx, server_string*, void** value) {
    if (server.defrag_alloc == nullptr) return 0;
    void* const moved = server.defrag_alloc(ctx, *value);
    if (moved == nullptr) return 0;
    *value = moved;
    if (auto* const stack = std::get_if<filter_stack>(static_cast<stored_value*>(moved)))
        stack->reallocate_small_blocks();
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

filter_stack* opened_key::stack() const {
    if (value_ == nullptr) return nullptr;
    if (const auto* const partial = std::get_if<partial_load>(value_))
        throw command_error{"ERR the filter is being loaded: " + std::to_string(partial->bytes().size()) +
                            " of " + std::to_string(partial->total_bytes()) + " bytes are here"};
    if (std::holds_alternative<topk_sketch>(*value_)) throw command_error{wrong_type};
    return std::get_if<filter_stack>(value_);
}

topk_sketch& opened_key::topk(const char* missing) const {
    if (topk_sketch* const found = topk_if_it_is()) return *found;
    if (stack() == nullptr) throw command_error{missing};
    throw command_error{wrong_type};
}

filter_stack* opened_key::stack(stack_role role) const {
    filter_stack* const found = stack();
    if (found != nullptr && found->options().role != role) throw command_error{wrong_type};
    return found;
}

filter_stack& opened_key::existing(const char* missing) const {
    filter_stack* const found = stack();
    if (found == nullptr) throw command_error{missing};
    return *found;
}

filter_stack& opened_key::existing(stack_role role, const char* missing) const {
    filter_stack* const found = stack(role);
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
