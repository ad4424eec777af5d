#include "partial_load.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <membrane/base/checked_math.hpp>
#include <membrane/format/file_view.hpp>
#include <membrane/runtime/registry.hpp>

#include "memory.hpp"

namespace membrane::redis {

namespace {

// Limits the bytes of an image or a file that are not payload: the header of the stack and those of its links.
constexpr std::uint64_t header_allowance = 256 * (max_links + 1);

// The total size of an image or a .mbr file, from its header, which is checked.
result<std::uint64_t> announced_bytes(load_form form, byte_span start) {
    if (form == load_form::image && topk_sketch::is_image(start)) return topk_sketch::announced_bytes(start);
    if (form == load_form::image) {
        const auto header = open_stack_header(start);
        if (!header) return header.error();
        return header->image_bytes;
    }
    const auto header = open_header(start, registered_rules());
    if (!header) return header.error();
    const auto total = checked_add(header->header_bytes, header->payload_bytes);
    if (!total) return make_error(errc::size_overflow, "announced bytes");
    return *total;
}

}  // namespace

result<received_bytes> received_bytes::copy_of(const received_bytes& other) {
    received_bytes copy;
    if (auto taken = copy.append(other.all(), other.size()); !taken) return taken.error();
    return result<received_bytes>(std::move(copy));
}

result<void> received_bytes::reallocate(std::uint64_t capacity_bytes) {
    const std::uint64_t before = allocated_by_this_thread();
    auto made = aligned_buffer::zeroed(capacity_bytes);
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
        const std::uint64_t doubled = std::min<std::uint64_t>(2 * block_.size_bytes(), total_bytes);
        if (auto made = reallocate(std::max(needed, doubled)); !made) return made;
    }
    std::memcpy(block_.data() + size_bytes_, more.data(), more.size());
    size_bytes_ += more.size();
    return {};
}

result<partial_load> partial_load::copy_of(const partial_load& other) {
    auto bytes = received_bytes::copy_of(other.bytes_);
    if (!bytes) return bytes.error();
    partial_load copy(other.form_);
    copy.total_bytes_ = other.total_bytes_;
    copy.bytes_ = std::move(*bytes);
    return result<partial_load>(std::move(copy));
}

result<void> partial_load::append(byte_span more, std::uint64_t max_bytes) {
    std::uint64_t total = total_bytes_;
    if (total == 0) {
        const auto announced = announced_bytes(form_, more);
        if (!announced) return announced.error();
        total = *announced;
        const std::uint64_t most = max_bytes + std::min(header_allowance, UINT64_MAX - max_bytes);
        if (total > most)
            return make_error(errc::too_large, "announced bytes").with_found(total).with_range(0, most);
    }
    if (more.size() > total - bytes_.size())
        return make_error(errc::trailing_bytes, "chunk")
            .with_found(more.size())
            .with_range(0, total - bytes_.size());
    if (auto taken = bytes_.append(more, total); !taken) return taken;
    total_bytes_ = total;
    return {};
}

result<complete_value> partial_load::finish(std::uint64_t max_bytes) const {
    if (form_ == load_form::image && topk_sketch::is_image(bytes())) {
        auto sketch = topk_sketch::open(bytes(), max_bytes);
        if (!sketch) return sketch.error();
        return complete_value(std::move(*sketch));
    }
    auto stack = form_ == load_form::file ? filter_stack::from_file(bytes(), max_bytes)
                                          : open_stack(bytes(), max_bytes);
    if (!stack) return stack.error();
    return complete_value(std::move(*stack));
}

}  // namespace membrane::redis
