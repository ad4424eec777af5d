#include "memory.hpp"

#include <cstring>

#include "server_api.hpp"

namespace membrane::redis {

namespace {

thread_local std::uint64_t allocated_bytes = 0;

void* allocate_zeroed(std::size_t count, std::size_t size) noexcept {
    if (server.try_calloc != nullptr) return server.try_calloc(count, size);
    if (server.try_alloc == nullptr) return server.calloc == nullptr ? nullptr : server.calloc(count, size);
    if (size != 0 && count > SIZE_MAX / size) return nullptr;
    void* const block = server.try_alloc(count * size);
    if (block != nullptr) std::memset(block, 0, count * size);
    return block;
}

}  // namespace

std::uint64_t allocated_by_this_thread() noexcept { return allocated_bytes; }

}  // namespace membrane::redis

extern "C" {

void* __wrap_calloc(std::size_t count, std::size_t size) {
    void* const block = membrane::redis::allocate_zeroed(count, size);
    if (block != nullptr) membrane::redis::allocated_bytes += membrane::redis::server.malloc_size(block);
    return block;
}

void __wrap_free(void* block) {
    if (block == nullptr) return;
    membrane::redis::allocated_bytes -= membrane::redis::server.malloc_size(block);
    membrane::redis::server.free(block);
}
}
