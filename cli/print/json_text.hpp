// JSON strings for output of which there is one object per line: written directly, because building a value for each costs more than
// the lookup that it reports.
#pragma once

#include <string>
#include <string_view>

namespace membrane::cli {

// In quotes; bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& to, std::string_view bytes);

std::string hex_digits(std::string_view bytes);

}  // namespace membrane::cli
