// An owned, zeroed block of memory aligned to a cache line (64 bytes): the payload of every owning filter. Move-only.
// A failed allocation is an error value, never an exception.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include <membrane/base/huge_pages.hpp>
#include <membrane/base/result.hpp>

namespace membrane {

inline constexpr std::size_t cache_line_bytes = 64;

class aligned_buffer {
public:
    aligned_buffer() = default;

    static result<aligned_buffer> zeroed(std::uint64_t size_bytes) {
        // Check before rounding up, so that the rounding cannot wrap. PTRDIFF_MAX is the largest object size.
        if (size_bytes > static_cast<std::uint64_t>(PTRDIFF_MAX) - cache_line_bytes)
            return make_error(errc::out_of_memory, "buffer bytes").with_found(size_bytes);
        const auto rounded = (static_cast<std::size_t>(size_bytes) + cache_line_bytes - 1) /
                             cache_line_bytes * cache_line_bytes;
        aligned_buffer made;
        made.size_bytes_ = static_cast<std::size_t>(size_bytes);
        if (rounded == 0) return made;
        // For large sizes calloc returns untouched zero pages, so a large filter only uses memory where it is
        // written. One extra line leaves room to align the start.
        made.block_ = static_cast<std::byte*>(std::calloc(rounded + cache_line_bytes, 1));
        if (made.block_ == nullptr)
            return make_error(errc::out_of_memory, "buffer bytes").with_found(size_bytes);
        prefer_huge_pages(made.block_, rounded + cache_line_bytes);
        const auto address = reinterpret_cast<std::uintptr_t>(made.block_);
        made.data_ = made.block_ + (cache_line_bytes - address % cache_line_bytes) % cache_line_bytes;
        return made;
    }

    static result<aligned_buffer> copy_of(std::span<const std::byte> bytes) {
        auto made = zeroed(bytes.size());
        if (made && !bytes.empty()) std::memcpy(made->data(), bytes.data(), bytes.size());
        return made;
    }

    // Keeps the bytes that are in both sizes; those behind are not set. In place where the allocator can: large blocks of the C
    // library are moved by remapping their pages, without a copy. On an error nothing has changed.
    result<void> resize(std::uint64_t size_bytes) {
        if (size_bytes > static_cast<std::uint64_t>(PTRDIFF_MAX) - 2 * cache_line_bytes)
            return make_error(errc::out_of_memory, "buffer bytes").with_found(size_bytes);
        const auto rounded = (static_cast<std::size_t>(size_bytes) + cache_line_bytes - 1) /
                             cache_line_bytes * cache_line_bytes;
        const auto offset = static_cast<std::size_t>(data_ - block_);
        const std::size_t kept = std::min(size_bytes_, static_cast<std::size_t>(size_bytes));
        auto* const block = static_cast<std::byte*>(std::realloc(block_, rounded + cache_line_bytes));
        if (block == nullptr) return make_error(errc::out_of_memory, "buffer bytes").with_found(size_bytes);
        block_ = block;
        size_bytes_ = static_cast<std::size_t>(size_bytes);
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        data_ = block + (cache_line_bytes - address % cache_line_bytes) % cache_line_bytes;
        if (data_ != block + offset) std::memmove(data_, block + offset, kept);
        prefer_huge_pages(block_, rounded + cache_line_bytes);
        return {};
    }

    aligned_buffer(aligned_buffer&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)),
          data_(std::exchange(other.data_, nullptr)),
          size_bytes_(std::exchange(other.size_bytes_, 0)) {}
    aligned_buffer& operator=(aligned_buffer&& other) noexcept {
        aligned_buffer taken(std::move(other));
        std::swap(block_, taken.block_);
        std::swap(data_, taken.data_);
        std::swap(size_bytes_, taken.size_bytes_);
        return *this;
    }
    ~aligned_buffer() { std::free(block_); }

    std::byte* data() noexcept { return data_; }
    const std::byte* data() const noexcept { return data_; }
    std::size_t size_bytes() const noexcept { return size_bytes_; }
    std::span<std::byte> bytes() noexcept { return {data_, size_bytes_}; }
    std::span<const std::byte> bytes() const noexcept { return {data_, size_bytes_}; }

private:
    // As calloc returned it. Not a unique_ptr: <memory> also includes <ostream> and doubles this header's compile time.
    std::byte* block_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace membrane
