// Text in a picture: estimated width, line breaking, and XML escaping.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace membrane::plot {

// Slightly above the width in common sans-serif fonts: the reader's font is unknown, and too much room does no harm.
double text_width(std::string_view text, double font_size);

// Breaks at spaces; a single word that is too wide stays whole.
std::vector<std::string> wrap(std::string_view text, double font_size, double width);

// Safe inside elements and attributes; control characters, which XML cannot carry, become U+FFFD.
std::string escape(std::string_view text);

// At most two decimals, and never "-0".
std::string coordinate(double value);

}  // namespace membrane::plot
