#include "allocation.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::size_t held_bytes = 0;
std::size_t most_bytes = 0;
std::size_t allocations = 0;
std::size_t held_at_start = 0;
std::size_t allocations_at_start = 0;

}  // namespace

// Both forms that the standard library calls: a sanitizer brings its own, which must not be mixed with ours.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    void* const made = std::malloc(size != 0 ? size : 1);
    if (made == nullptr) return nullptr;
    ++allocations;
    held_bytes += malloc_usable_size(made);
    most_bytes = std::max(most_bytes, held_bytes);
    return made;
}

void* operator new(std::size_t size) {
    void* const made = operator new(size, std::nothrow);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

void operator delete(void* what) noexcept {
    if (what == nullptr) return;
    held_bytes -= malloc_usable_size(what);
    std::free(what);
}

void operator delete(void* what, std::size_t) noexcept { operator delete(what); }

namespace membrane::corrupt {

allocation_watch::allocation_watch() {
    most_bytes = held_at_start = held_bytes;
    allocations_at_start = allocations;
}
std::size_t allocation_watch::count() const { return allocations - allocations_at_start; }
std::size_t allocation_watch::peak_bytes() const { return most_bytes - held_at_start; }

}  // namespace membrane::corrupt
