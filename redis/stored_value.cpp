#include "stored_value.hpp"

#include <algorithm>
#include <utility>

#include <membrane/base/checked_math.hpp>
#include <membrane/format/file_view.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane::redis {

namespace {

// Headers of all links of the longest chain; what of a file or an image is no payload.
constexpr std::uint64_t header_allowance = 256 * (most_links + 1);

// How long a .mbr file or an image will be, by its checked header.
result<std::uint64_t> announced_bytes(load_form form, byte_span start) {
    if (form == load_form::image) {
        const auto header = open_chain_header(start);
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

result<filter_chain> partial_load::finish(std::uint64_t max_bytes) const {
    return form_ == load_form::file ? open_single(bytes(), max_bytes) : open_chain(bytes(), max_bytes);
}

std::uint64_t memory_bytes(const stored_value& value) {
    if (const auto* const chain = std::get_if<filter_chain>(&value))
        return sizeof value - sizeof *chain + chain->memory_bytes();
    return sizeof value + std::get<partial_load>(value).memory_bytes();
}

std::uint64_t block_count(const stored_value& value) {
    const auto* const chain = std::get_if<filter_chain>(&value);
    return chain == nullptr ? 1 : chain->links().size();
}

}  // namespace membrane::redis
