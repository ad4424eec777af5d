// A text as a file, whole or not at all as far as anybody can tell who waits for the end: errors are failures.
#pragma once

#include <string>
#include <string_view>

namespace membrane::cli {

void save_text(const std::string& path, std::string_view text);

}  // namespace membrane::cli
