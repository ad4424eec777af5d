// The look of the n-th series: eight hues after Okabe and Ito (distinguishable with the common colour blindnesses), each in a shade
// for light and one for dark background, seven marker shapes and four dash patterns. Eight and seven have no common factor,
// so 56 series differ.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace membrane::plot {

struct hue {
    std::string_view on_white;
    std::string_view on_dark;
};

inline constexpr std::array<hue, 8> hues{{{"#0072b2", "#56b0ea"},
                                          {"#d55e00", "#ff8f45"},
                                          {"#00825f", "#2fcfa3"},
                                          {"#b8518f", "#ef9fcb"},
                                          {"#9a6b00", "#f0bd3c"},
                                          {"#2b98c8", "#9bd8ff"},
                                          {"#6a4fb3", "#b9a5f5"},
                                          {"#5c5c5c", "#bdbdbd"}}};
inline constexpr std::size_t marker_shapes = 7;
inline constexpr std::array<std::string_view, 4> dashes{"7 4", "2 3", "9 3 2 3", "4 2"};

}  // namespace membrane::plot
