#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <unistd.h>

#include <fmt/core.h>

#include "numbers.hpp"
#include "terminal.hpp"

namespace membrane::cli {

namespace {

constexpr auto first_draw = std::chrono::milliseconds(500);
constexpr auto between_draws = std::chrono::milliseconds(100);
constexpr std::size_t least_bar_cells = 8;

std::string duration_text(double seconds) {
    const long whole = std::lround(seconds);
    if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
    if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} s", whole);
}

void write_error(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

}  // namespace

progress::progress(std::string_view verb, std::optional<std::uint64_t> total, bool is_quiet,
                   progress_unit unit)
    : verb_(verb),
      unit_(unit),
      total_(total && *total != 0 ? total : std::nullopt),
      is_shown_(!is_quiet && ::isatty(STDERR_FILENO) == 1),
      start_(clock::now()),
      next_draw_(start_ + first_draw) {}

progress::~progress() {
    if (is_drawn_) write_error("\r\x1b[K");
}

void progress::update(std::uint64_t done, std::uint64_t keys) {
    if (!is_shown_) return;
    const auto now = clock::now();
    if (now < next_draw_) return;
    next_draw_ = now + between_draws;
    draw(done, keys, now);
}

void progress::draw(std::uint64_t done, std::uint64_t keys, clock::time_point now) {
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::string tail;
    const std::size_t width = terminal_width(STDERR_FILENO);
    // In a narrow terminal the rate says enough.
    constexpr std::size_t width_for_both = 76;
    if (unit_ == progress_unit::keys && (!total_ || width >= width_for_both))
        tail += fmt::format("{} keys  ", short_count_text(static_cast<double>(keys)));
    if (unit_ == progress_unit::keys)
        tail += fmt::format("{} keys/s", short_count_text(static_cast<double>(keys) / seconds));
    if (total_ && done != 0) {
        const double left = static_cast<double>(*total_ - std::min(done, *total_));
        tail += fmt::format("{}{} left", unit_ == progress_unit::keys ? "  " : "",
                            duration_text(seconds * left / static_cast<double>(done)));
    }
    std::string line = fmt::format("\r{}  ", verb_);
    if (total_) {
        const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total_));
        // The brackets, the percentage and the last column, which the cursor has.
        constexpr std::size_t beside_cells = 13;
        const std::size_t used = verb_.size() + tail.size() + beside_cells;
        const int cells = static_cast<int>(width > used + least_bar_cells ? width - used : least_bar_cells);
        const int full = static_cast<int>(part * cells);
        line += fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  ", "", full, "", cells - full, part * 100);
    }
    line += tail;
    write_error(line + "\x1b[K");
    is_drawn_ = true;
}

}  // namespace membrane::cli
