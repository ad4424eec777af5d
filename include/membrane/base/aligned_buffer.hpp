// Zeroed bytes on a cache-line boundary: one of the two places where the library allocates. Failing to get them
// is an error value, never an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
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
        // Checked before rounding up, so that the rounding cannot wrap; PTRDIFF_MAX is what new accepts at most.
        if (size_bytes > static_cast<std::uint64_t>(PTRDIFF_MAX) - cache_line_bytes)
            return make_error(errc::out_of_memory, "buffer bytes").with_found(size_bytes);
        const auto rounded = (static_cast<std::size_t>(size_bytes) + cache_line_bytes - 1) /
                             cache_line_bytes * cache_line_bytes;
        aligned_buffer made;
        made.size_bytes_ = static_cast<std::size_t>(size_bytes);
        if (rounded == 0) return made;
        // calloc hands out untouched zero pages for large sizes, so that a huge filter costs memory only where
        // it is written; the slack of one line makes room for the alignment.
        made.block_.reset(static_cast<std::byte*>(std::calloc(rounded + cache_line_bytes, 1)));
        if (!made.block_) return make_error(errc::out_of_memory, "buffer bytes").with_found(size_bytes);
        prefer_huge_pages(made.block_.get(), rounded);
        const auto address = reinterpret_cast<std::uintptr_t>(made.block_.get());
        made.data_ = made.block_.get() + (cache_line_bytes - address % cache_line_bytes) % cache_line_bytes;
        return made;
    }

    static result<aligned_buffer> copy_of(std::span<const std::byte> bytes) {
        auto made = zeroed(bytes.size());
        if (made && !bytes.empty()) std::memcpy(made->data(), bytes.data(), bytes.size());
        return made;
    }

    aligned_buffer(aligned_buffer&& other) noexcept
        : block_(std::move(other.block_)),
          data_(std::exchange(other.data_, nullptr)),
          size_bytes_(std::exchange(other.size_bytes_, 0)) {}
    aligned_buffer& operator=(aligned_buffer&& other) noexcept {
        block_ = std::move(other.block_);
        data_ = std::exchange(other.data_, nullptr);
        size_bytes_ = std::exchange(other.size_bytes_, 0);
        return *this;
    }

    std::byte* data() noexcept { return data_; }
    const std::byte* data() const noexcept { return data_; }
    std::size_t size_bytes() const noexcept { return size_bytes_; }
    std::span<std::byte> bytes() noexcept { return {data_, size_bytes_}; }
    std::span<const std::byte> bytes() const noexcept { return {data_, size_bytes_}; }

private:
    struct free_block {
        void operator()(std::byte* block) const noexcept { std::free(block); }
    };
    std::unique_ptr<std::byte, free_block> block_;
    std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace membrane
