#include "stored_value.hpp"

#include <algorithm>
#include <cstring>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/format/layout.hpp>

namespace membrane::redis {

namespace {

// Headers of all links of the longest chain; what of a file or an image is no payload.
constexpr std::uint64_t header_allowance = 256 * (most_links + 1);

// How long a .mbr file will be, by its header; the decoder checks the header again when all is there.
result<std::uint64_t> announced_file_bytes(byte_span start) {
    if (start.size() < layout::least_header_bytes)
        return make_error(errc::truncated, "bytes of the header in the first chunk")
            .with_found(start.size())
            .with_range(layout::least_header_bytes, UINT64_MAX);
    if (std::memcmp(start.data(), layout::magic.data(), layout::magic.size()) != 0)
        return make_error(errc::not_a_membrane_file, "first bytes are not those of a .mbr file");
    const auto total = checked_add(load_le<std::uint32_t>(start.data() + layout::header_bytes_at),
                                   load_le<std::uint64_t>(start.data() + layout::payload_bytes_at));
    if (!total) return make_error(errc::size_overflow, "announced bytes");
    return *total;
}

}  // namespace

result<void> partial_load::append(byte_span more, std::uint64_t max_bytes) {
    std::uint64_t total = total_bytes_;
    if (total == 0) {
        if (form_ == load_form::file) {
            const auto announced = announced_file_bytes(more);
            if (!announced) return announced.error();
            total = *announced;
        } else {
            const auto header = open_chain_header(more);
            if (!header) return header.error();
            total = header->image_bytes;
        }
        const std::uint64_t most = max_bytes + std::min(header_allowance, UINT64_MAX - max_bytes);
        if (total > most)
            return make_error(errc::too_large, "announced bytes").with_found(total).with_range(0, most);
    }
    if (more.size() > total - bytes_.size())
        return make_error(errc::trailing_bytes, "chunk")
            .with_found(more.size())
            .with_range(0, total - bytes_.size());
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    total_bytes_ = total;
    return {};
}

result<filter_chain> partial_load::finish(std::uint64_t max_bytes) const {
    return form_ == load_form::file ? open_single(bytes_, max_bytes) : open_chain(bytes_, max_bytes);
}

std::uint64_t memory_bytes(const stored_value& value) {
    if (const auto* const chain = std::get_if<filter_chain>(&value))
        return sizeof value - sizeof *chain + chain->memory_bytes();
    return sizeof value + std::get<partial_load>(value).bytes().capacity();
}

std::uint64_t block_count(const stored_value& value) {
    const auto* const chain = std::get_if<filter_chain>(&value);
    return chain == nullptr ? 1 : chain->links().size();
}

}  // namespace membrane::redis
