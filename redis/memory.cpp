#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "server_api.hpp"

namespace membrane::redis {

namespace {

thread_local std::uint64_t allocated_bytes = 0;

// What is allocated before RedisModule_OnLoad has found the server's functions: by constructors of static objects, and the C++
// library's reserve for exceptions. Never returned to the server.
alignas(64) std::array<std::byte, std::size_t{1} << 20> early_memory;
std::size_t early_bytes = 0;

bool is_early(const void* block) noexcept {
    const auto* const at = static_cast<const std::byte*>(block);
    return at >= early_memory.data() && at < early_memory.data() + early_memory.size();
}

// The size is stored in front of the block, for realloc.
void* allocate_early(std::size_t size) noexcept {
    constexpr std::size_t head = alignof(std::max_align_t);
    if (size > early_memory.size()) return nullptr;
    const std::size_t rounded = (size + head - 1) / head * head;
    if (early_memory.size() - early_bytes < rounded + head) return nullptr;
    std::byte* const at = early_memory.data() + early_bytes;
    std::memcpy(at, &size, sizeof size);
    early_bytes += rounded + head;
    return at + head;
}
std::size_t early_size(const void* block) noexcept {
    std::size_t size = 0;
    std::memcpy(&size, static_cast<const std::byte*>(block) - alignof(std::max_align_t), sizeof size);
    return size;
}

// The servers' own allocator is bound with the other functions.
bool has_server() noexcept { return server.alloc != nullptr && server.malloc_size != nullptr; }

void* counted(void* block) noexcept {
    if (block != nullptr) allocated_bytes += server.malloc_size(block);
    return block;
}

// Null if there is no memory. Without try_alloc the server ends itself then.
void* allocate_from_server(std::size_t size) noexcept {
    return counted(server.try_alloc != nullptr ? server.try_alloc(size) : server.alloc(size));
}

void* allocate(std::size_t size) noexcept {
    return has_server() ? allocate_from_server(size) : allocate_early(size);
}

// Large blocks are made of whole pages, which the kernel replaces by zero pages: they take memory when they are used, and clearing
// them takes no time for pages that were never used.
void clear(std::byte* block, std::size_t size) noexcept {
    constexpr std::size_t least_bytes = std::size_t{1} << 18;
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (size < least_bytes) {
        std::memset(block, 0, size);
        return;
    }
    const std::size_t misplaced = reinterpret_cast<std::uintptr_t>(block) % page;
    const std::size_t head = misplaced == 0 ? 0 : page - misplaced, pages = (size - head) / page * page;
    if (::madvise(block + head, pages, MADV_DONTNEED) != 0) {
        std::memset(block, 0, size);
        return;
    }
    std::memset(block, 0, head);
    std::memset(block + head + pages, 0, size - head - pages);
}

void* allocate_zeroed(std::size_t count, std::size_t size) noexcept {
    if (size != 0 && count > SIZE_MAX / size) return nullptr;
    void* const block = allocate(count * size);
    if (block != nullptr && !is_early(block)) clear(static_cast<std::byte*>(block), count * size);
    return block;
}

void release(void* block) noexcept {
    if (block == nullptr || is_early(block)) return;
    allocated_bytes -= server.malloc_size(block);
    server.free(block);
}

void* reallocate(void* block, std::size_t size) noexcept {
    if (block == nullptr) return allocate(size);
    const std::size_t present = is_early(block) ? early_size(block) : server.malloc_size(block);
    void* const made = allocate(size);
    if (made == nullptr) return nullptr;
    std::memcpy(made, block, std::min(present, size));
    release(block);
    return made;
}

void* allocate_or_throw(std::size_t size) {
    void* const block = allocate(size == 0 ? 1 : size);
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

}  // namespace

std::uint64_t allocated_by_this_thread() noexcept { return allocated_bytes; }

std::uint64_t block_bytes(std::uint64_t bytes) noexcept {
    static const bool is_jemalloc = [] {
        constexpr std::size_t asked = 1'100'000, made = 5u << 18;
        void* const block = allocate(asked);
        const bool is_rounded_so = block != nullptr && server.malloc_size(block) == made;
        release(block);
        return is_rounded_so;
    }();
    if (!is_jemalloc || bytes < 64 || bytes > std::uint64_t{1} << 62) return bytes;
    const unsigned step_bits = static_cast<unsigned>(std::bit_width(bytes - 1)) - 3;
    return ((bytes - 1) >> step_bits << step_bits) + (std::uint64_t{1} << step_bits);
}

}  // namespace membrane::redis

// ---- what the linker puts in the place of the C library's functions (--wrap in CMakeLists.txt)

extern "C" {

void* __wrap_malloc(std::size_t size) { return membrane::redis::allocate(size); }
void* __wrap_calloc(std::size_t count, std::size_t size) {
    return membrane::redis::allocate_zeroed(count, size);
}
void* __wrap_realloc(void* block, std::size_t size) { return membrane::redis::reallocate(block, size); }
void __wrap_free(void* block) { membrane::redis::release(block); }

// No huge pages: the first write to one takes milliseconds, and a child that saves makes the server copy whole ones. Redis advises
// against them.
int __real_madvise(void* block, std::size_t size, int advice);
int __wrap_madvise(void* block, std::size_t size, int advice) {
    return advice == MADV_HUGEPAGE ? 0 : __real_madvise(block, size, advice);
}
}

// ---- the operators of this shared object, which exports none of them. No type of the module is aligned more strictly than
// allocators align every block.

void* operator new(std::size_t size) { return membrane::redis::allocate_or_throw(size); }
void* operator new[](std::size_t size) { return membrane::redis::allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return membrane::redis::allocate(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return membrane::redis::allocate(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept { membrane::redis::release(block); }
void operator delete[](void* block) noexcept { membrane::redis::release(block); }
void operator delete(void* block, std::size_t) noexcept { membrane::redis::release(block); }
void operator delete[](void* block, std::size_t) noexcept { membrane::redis::release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { membrane::redis::release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { membrane::redis::release(block); }
