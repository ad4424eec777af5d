#include "received_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "memory.hpp"

namespace membrane::redis {

result<received_bytes> received_bytes::copy_of(const received_bytes& other) {
    received_bytes copy;
    if (auto taken = copy.append(other.all(), other.size()); !taken) return taken.error();
    return result<received_bytes>(std::move(copy));
}

result<void> received_bytes::make_room(std::uint64_t room_bytes) {
    const std::uint64_t before = allocated_by_this_thread();
    auto made = aligned_buffer::zeroed(room_bytes);
    if (!made) return made.error();
    block_bytes_ = allocated_by_this_thread() - before;
    if (size_bytes_ != 0) std::memcpy(made->data(), block_.data(), size_bytes_);
    block_ = std::move(*made);
    return {};
}

result<void> received_bytes::append(std::span<const std::byte> more, std::uint64_t total_bytes) {
    if (more.empty()) return {};
    const std::uint64_t needed = size_bytes_ + more.size();
    if (needed > block_.size_bytes()) {
        const std::uint64_t room = std::min<std::uint64_t>(2 * block_.size_bytes(), total_bytes);
        if (auto made = make_room(std::max(needed, room)); !made) return made;
    }
    std::memcpy(block_.data() + size_bytes_, more.data(), more.size());
    size_bytes_ += more.size();
    return {};
}

}  // namespace membrane::redis
