// How a filter that grows by itself does it.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane {

inline constexpr double least_growth_factor = 1.05;
inline constexpr double most_growth_factor = 16;
inline constexpr double most_lines_per_insertion = 1e9;

struct growth_policy {
    // The next layout has room for so many times the keys: 1.05 to 16. Step by step it is less where few lines are moved.
    double factor = 1.5;
    std::uint64_t max_bytes = UINT64_MAX;  // of the filter; an insertion that needs more is refused
    double lines_per_insertion =
        0;  // 0: growth is done at once; otherwise each insertion moves so many lines
    // Of growth step by step: false: in place, which copies and clears a tenth of the filter when it begins, and all of it where the
    // allocator cannot enlarge a block. True: in a block of its own, so that no call depends on the size of the filter; both blocks are
    // held until the last line has been moved.
    bool in_own_block = false;
    // The size of the block that the allocator makes for so many bytes; the next layout uses all of it. Null: as many as were asked for.
    std::uint64_t (*block_bytes)(std::uint64_t) = nullptr;

    friend bool operator==(const growth_policy&, const growth_policy&) = default;
};

inline result<void> check_growth_policy(const growth_policy& policy) {
    const auto wrong = [](const char* field, const char* note) {
        return make_error(errc::bad_field, field).with_note(note);
    };
    if (!(policy.factor >= least_growth_factor && policy.factor <= most_growth_factor))
        return wrong("factor", "a filter grows by a factor of 1.05 to 16");
    if (!(policy.lines_per_insertion >= 0 && policy.lines_per_insertion <= most_lines_per_insertion))
        return wrong("lines_per_insertion",
                     "0: growth is done at once; or the lines that each insertion moves, at most a billion");
    return {};
}

}  // namespace membrane
