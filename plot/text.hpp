// Text in a picture: its width before it is drawn, lines of bounded width, and the escaping that XML asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace membrane::plot {

// Somewhat above the width in common sans-serif fonts: the reader's font is not known here, and a gap that is too
// wide does no harm.
double text_width(std::string_view text, double font_size);

// Broken at spaces; a single word that is wider stays whole.
std::vector<std::string> wrap(std::string_view text, double font_size, double width);

// Safe inside elements and attributes; control characters, which XML cannot carry, become U+FFFD.
std::string escape(std::string_view text);

// Two digits after the point at most, and no "-0".
std::string coordinate(double value);

}  // namespace membrane::plot
