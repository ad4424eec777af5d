// A value that a client is loading in chunks and that is not complete yet. It cannot be queried, but it is saved and replicated
// like any other value, so that loading can continue after a restart or a failover.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include <membrane/base/aligned_buffer.hpp>

#include "stack_image.hpp"
#include "topk_sketch.hpp"

namespace membrane::redis {

// A growing buffer in the server's memory (memory.hpp), so that maxmemory counts partial loads. The capacity doubles: it is at
// most twice the size, and at most the total that will arrive.
class received_bytes {
public:
    static result<received_bytes> copy_of(const received_bytes& other);

    std::size_t size() const noexcept { return size_bytes_; }
    std::span<const std::byte> all() const noexcept { return block_.bytes().first(size_bytes_); }
    std::uint64_t memory_bytes() const noexcept { return block_bytes_; }

    // `total_bytes` is the final size.
    result<void> append(std::span<const std::byte> more, std::uint64_t total_bytes);
    void drop_last(std::size_t count) noexcept { size_bytes_ -= count; }

private:
    result<void> reallocate(std::uint64_t capacity_bytes);

    aligned_buffer block_;
    std::size_t size_bytes_ = 0;
    std::uint64_t block_bytes_ = 0;  // as rounded by the allocator
};

// The image of a stack or of TOPK, or a .mbr file. The numbers are part of saved data.
enum class load_form : std::uint8_t { image = 0, file = 1 };

using complete_value = std::variant<filter_stack, topk_sketch>;

class partial_load {
public:
    explicit partial_load(load_form form) : form_(form) {}
    static result<partial_load> copy_of(const partial_load& other);

    load_form form() const noexcept { return form_; }
    byte_span bytes() const noexcept { return bytes_.all(); }
    std::uint64_t memory_bytes() const noexcept { return bytes_.memory_bytes(); }  // without this object
    std::uint64_t total_bytes() const noexcept { return total_bytes_; }  // 0: before the first append
    bool is_complete() const noexcept { return total_bytes_ != 0 && bytes_.size() == total_bytes_; }

    // Appends the next bytes. The first call must bring the whole header, which is checked and has the total size; if that
    // exceeds `max_bytes` plus an allowance for headers, the load is refused at once.
    result<void> append(byte_span more, std::uint64_t max_bytes);
    // Undoes the last append of `count` bytes.
    void drop_last(std::size_t count) noexcept { bytes_.drop_last(count); }
    result<complete_value> finish(std::uint64_t max_bytes) const;

private:
    load_form form_;
    std::uint64_t total_bytes_ = 0;
    received_bytes bytes_;
};

}  // namespace membrane::redis
