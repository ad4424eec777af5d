// The page has neither zlib nor libzstd.
#include <string_view>

#include "cli/input/byte_stream.hpp"
#include "cli/print/failure.hpp"

namespace membrane::cli {

std::unique_ptr<decompressor> decompressor_for(const char* start, std::size_t size) {
    const std::string_view bytes(start, size);
    if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd"))
        fail(
            exit_code::bad_data,
            "the file is compressed; unpack it first, or give it to `membrane build`, which unpacks gzip and "
            "zstd");
    return nullptr;
}

}  // namespace membrane::cli
