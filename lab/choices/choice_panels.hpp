// The charts of the two-choices paper: one panel per size, the number of groups on the x axis.
#pragma once

#include <string>

#include <fmt/format.h>

#include <lab/picture.hpp>

namespace membrane::lab {

inline constexpr std::uint64_t choice_sizes[]{8, 16, 32};  // bits per key

inline std::size_t choice_panel(std::uint64_t bits_per_key) {
    std::size_t panel = 0;
    while (choice_sizes[panel] != bits_per_key) ++panel;
    return panel;
}

inline std::vector<plot::panel> choice_panels(const std::string& y_title) {
    std::vector<plot::panel> panels;
    for (const std::uint64_t bits_per_key : choice_sizes)
        panels.push_back(axes(fmt::format("{} bits per key", bits_per_key),
                              {"groups per key, c", plot::scale::linear, plot::range{0.5, 3.5}},
                              {y_title, plot::scale::linear, {}}));
    return panels;
}

}  // namespace membrane::lab
