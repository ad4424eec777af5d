// The header of a file in the newest format version. The payload is written behind it as it stands in memory.
#pragma once

#include <cstddef>
#include <vector>

#include <membrane/format/file_view.hpp>

namespace membrane {

// `filter.kind` and `filter.payload` are set; format_version is ignored.
std::vector<std::byte> encode_header(const file_view& filter);

}  // namespace membrane
