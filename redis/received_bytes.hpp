// Bytes that arrive in pieces, in the server's memory (memory.hpp), so that maxmemory knows of them while they wait for the
// rest. Room is taken by doubling: never more than twice what has arrived, nor more than there will be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/aligned_buffer.hpp>

namespace membrane::redis {

class received_bytes {
public:
    static result<received_bytes> copy_of(const received_bytes& other);

    std::size_t size() const noexcept { return size_bytes_; }
    std::span<const std::byte> all() const noexcept { return block_.bytes().first(size_bytes_); }
    std::uint64_t memory_bytes() const noexcept { return block_bytes_; }

    // At most `total_bytes` will arrive.
    result<void> append(std::span<const std::byte> more, std::uint64_t total_bytes);
    void drop_last(std::size_t count) noexcept { size_bytes_ -= count; }

private:
    result<void> make_room(std::uint64_t room_bytes);

    aligned_buffer block_;
    std::size_t size_bytes_ = 0;
    std::uint64_t block_bytes_ = 0;  // as the allocator rounded it
};

}  // namespace membrane::redis
